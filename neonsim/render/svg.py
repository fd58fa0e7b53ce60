"""A small SVG writer: the pictures of this floor are text made here.

Colours are written twice on purpose of the reader's screen: light ones as attributes (they survive sites that strip
styles), dark ones in a style that only a dark system uses. Every picture has its own opaque paper, so it also reads on
a page of the other theme.
"""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field
from pathlib import Path

from neonsim.files import write_file

__all__ = ["Drawing", "Picture"]

# role: (light fill, light stroke, dark fill, dark stroke)
PALETTE = {
    "paper": ("#ffffff", "#d0d7de", "#14181d", "#343c46"),
    "box": ("#f6f8fa", "#d0d7de", "#1b2027", "#343c46"),
    "read": ("#e3f0fd", "#0b4f94", "#14304d", "#9ecbff"),
    "write": ("#ffdf9e", "#5c2f00", "#6b4400", "#ffdfa8"),
    "bias": ("#e6f4e1", "#2d6a1e", "#1f3d18", "#a9d99b"),
    "stall": ("#fbe4e4", "#b3261e", "#4a1d1b", "#f2a7a1"),
    "band": ("#eef2f6", "none", "#1f262e", "none"),
    "ink": ("#1c2128", "none", "#e3e8ee", "none"),
    "paper-ink": ("#ffffff", "none", "#14181d", "none"),
    "soft": ("#57606a", "none", "#9aa6b2", "none"),
    "idle-ink": ("#7d8790", "none", "#76818c", "none"),
    "read-ink": ("#0b4f94", "none", "#9ecbff", "none"),
    "write-ink": ("#5c2f00", "none", "#ffdfa8", "none"),
    "arrow": ("none", "#8b949e", "none", "#6b7682"),
    "accent": ("none", "#0b5cad", "none", "#6cb6ff"),
}
# Series of a chart: light, dark. Each has at least 4.5:1 contrast on its paper.
SERIES = (("#0b5cad", "#6cb6ff"), ("#b3261e", "#f2a7a1"), ("#2d6a1e", "#8fd07c"), ("#8a4b00", "#ffb45c"),
          ("#6a3d9a", "#c9a6f5"), ("#006a74", "#5fd3dc"), ("#5a5f66", "#b0b6bf"), ("#9c1f6b", "#f29ad0"))
for _number, (_light, _dark) in enumerate(SERIES):
    PALETTE[f"line-{_number}"] = ("none", _light, "none", _dark)
    PALETTE[f"mark-{_number}"] = (_light, "none", _dark, "none")
LEAST = 0.6  # of its width
MONO = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"


@dataclass(frozen=True)
class Picture:
    """A finished picture: shows itself in a notebook, `str(picture)` is SVG text.

    svg           str   the whole file
    description   str   what a reader who cannot see it is told
    """

    svg: str
    description: str = ""

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture: {self.description}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the picture to an .svg file and return its path."""
        return write_file(path, self.svg)


@dataclass
class Drawing:
    """Collects shapes, back to front; `finish` makes the Picture. Sizes in px."""

    parts: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def _paint(self, role: str) -> str:
        self.used.add(role)
        fill, stroke, _, _ = PALETTE[role]
        return f'class="nsp-{role}" fill="{fill}" stroke="{stroke}"'

    def rect(self, x: float, y: float, width: float, height: float, role: str, *, radius: float = 3,
             dashed: bool = False, thick: bool = False, title: str = "") -> None:
        more = ' stroke-dasharray="4 2"' if dashed else ""
        more += ' stroke-width="2"' if thick else ""
        tip = f"<title>{html.escape(title)}</title></rect>" if title else ""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
                          f'{self._paint(role)}{more}{">" + tip if tip else "/>"}')

    def text(self, x: float, y: float, text: str, role: str = "ink", *, size: float = 12, anchor: str = "start",
             bold: bool = False, mono: bool = True) -> None:
        more = ' font-weight="700"' if bold else ""
        more += "" if mono else ' font-family="system-ui,\'DejaVu Sans\',sans-serif"'
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" {self._paint(role)}'
                          f'{more} xml:space="preserve">{html.escape(text)}</text>')

    def path(self, d: str, role: str = "arrow", *, width: float = 1.2, opacity: float = 1, dashed: bool = False,
             title: str = "") -> None:
        more = ' stroke-dasharray="5 3"' if dashed else ""
        tip = f"><title>{html.escape(title)}</title></path>" if title else "/>"
        self.parts.append(f'<path d="{d}" {self._paint(role)} stroke-width="{width:g}" opacity="{opacity:g}"'
                          f'{more}{tip}')

    def image(self, x: float, y: float, width: float, height: float, png: bytes, title: str) -> None:
        """A picture of pixels, which stay sharp squares where it is drawn larger."""
        data = base64.b64encode(png).decode("ascii")
        self.parts.append(f'<image x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                          f'style="image-rendering:pixelated" href="data:image/png;base64,{data}">'
                          f"<title>{html.escape(title)}</title></image>")

    def finish(self, width: float, height: float, description: str) -> Picture:
        self.used.add("paper")
        dark = "".join(f".nsp-{role}{{fill:{PALETTE[role][2]};stroke:{PALETTE[role][3]}}}"
                       for role in sorted(self.used))
        fill, stroke, _, _ = PALETTE["paper"]
        label = html.escape(description, quote=True)
        # It shrinks with its container, until its letters would be too small to read: then the container scrolls.
        shrink = f"max-width:100%;min-width:{round(LEAST * width)}px;height:auto"
        svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
               f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{label}" font-family="{MONO}" '
               f'style="{shrink}">'
               f"<style>@media (prefers-color-scheme:dark){{{dark}}}</style>"
               f'<rect class="nsp-paper" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="8" '
               f'fill="{fill}" stroke="{stroke}"/>' + "".join(self.parts) + "</svg>")
        return Picture(svg, description)
