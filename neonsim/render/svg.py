"""A small SVG writer: the pictures of this floor are text made here.

Colours are written twice on purpose of the reader's screen: light ones as attributes (they survive sites that strip
styles), dark ones in a style that only a dark system uses. Every picture has its own opaque paper, so it also reads on
a page of the other theme.

In a notebook a picture is an image as well (`shown`): programs draw SVG only where they trust its author, and
images always.
"""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from neonsim.common.fileio import write_file

__all__ = ["Drawing", "Picture", "shown"]

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
SHARP = 2    # pixels of a PNG for each px
FLUID = "max-width:100%;height:auto"
# What stays as it is in an address of data between single quotes of HTML; all of it but letters, digits, _.-~.
_PLAIN = ' !"$()*+,/:;<=>?@[]^{|}'
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

    @property
    def image(self) -> str:
        """The picture as an <img> of HTML, its SVG in it as data: drawn also where SVG is taken out."""
        root = self.svg.partition(">")[0]
        label, shrink = (re.search(f' {key}="([^"]*)"', root) for key in ("aria-label", "style"))
        # Not in base64, which takes more of a file, and hardly becomes smaller when files are packed.
        return (f"<img src='data:image/svg+xml,{quote(_lean(self.svg), safe=_PLAIN)}' "
                f'alt="{label[1] if label else ""}" style="{shrink[1] if shrink else FLUID}">')

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        return shown(self, repr(self))

    def save(self, path: str | Path) -> Path:
        """Write the picture to an .svg file and return its path."""
        return write_file(path, self.svg)


def shown(picture: Picture, text: str) -> dict[str, str]:
    """Return what a notebook keeps of a picture, by media type.

    text   what stands in its place where nothing is drawn
    ->     an image of the SVG in HTML, for notebooks, trusted or not; the SVG, for code hosts and pages; the text.
           With the package resvg_py a PNG in place of the SVG: `jupyter nbconvert --to pdf` takes it as it is, and
           asks Inkscape for every SVG
    """
    try:
        from resvg_py import svg_to_bytes  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        drawn = {"image/svg+xml": picture.svg}
    else:
        drawn = {"image/png": base64.b64encode(svg_to_bytes(svg_string=picture.svg, zoom=SHARP)).decode("ascii")}
    return {"text/html": picture.image, **drawn, "text/plain": text}


def _lean(svg: str) -> str:
    """The same as an image needs it: its style is kept, so colours stand there alone; nothing can be pointed at."""
    roles = sorted(set(re.findall(r'class="nsp-([\w-]+)"', svg)))
    light = "".join(f".{role}{{fill:{PALETTE[role][0]};stroke:{PALETTE[role][1]}}}" for role in roles)
    lean = re.sub(r'class="nsp-([\w-]+)" fill="[^"]*"(?: stroke="[^"]*")?', r'class="\1"', svg).replace(".nsp-", ".")
    lean = re.sub(r"<title>[^<]*</title>", "", lean)
    return lean.replace(">", f"><style>{light}</style>", 1)


@dataclass
class Drawing:
    """Collects shapes, back to front; `finish` makes the Picture. Sizes in px."""

    parts: list[str] = field(default_factory=list)
    roles: set[str] = field(default_factory=set)

    def _paint(self, role: str) -> str:
        self.roles.add(role)
        fill, stroke, _, _ = PALETTE[role]
        return f'class="nsp-{role}" fill="{fill}"' + (f' stroke="{stroke}"' if stroke != "none" else "")

    def rect(self, x: float, y: float, width: float, height: float, role: str, *, radius: float = 3,
             dashed: bool = False, thick: bool = False, title: str = "") -> None:
        more = ' stroke-dasharray="4 2"' if dashed else ""
        more += ' stroke-width="2"' if thick else ""
        tip = f"<title>{html.escape(title)}</title></rect>" if title else ""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
                          f'{self._paint(role)}{more}{">" + tip if tip else "/>"}')

    def text(self, x: float, y: float, text: str, role: str = "ink", *, size: float = 12, anchor: str = "start",
             bold: bool = False, mono: bool = True) -> None:
        more = "" if anchor == "start" else f' text-anchor="{anchor}"'
        more += ' font-weight="700"' if bold else ""
        # Browsers do not take it from the root of the picture.
        more += ' xml:space="preserve"' if "  " in text or text != text.strip() else ""
        more += "" if mono else ' font-family="system-ui,\'DejaVu Sans\',sans-serif"'
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" {self._paint(role)}{more}>'
                          f'{html.escape(text)}</text>')

    def path(self, d: str, role: str = "arrow", *, width: float = 1.2, opacity: float = 1, dashed: bool = False,
             title: str = "") -> None:
        more = "" if opacity == 1 else f' opacity="{opacity:g}"'
        more += ' stroke-dasharray="5 3"' if dashed else ""
        tip = f"><title>{html.escape(title)}</title></path>" if title else "/>"
        self.parts.append(f'<path d="{d}" {self._paint(role)} stroke-width="{width:g}"{more}{tip}')

    def image(self, x: float, y: float, width: float, height: float, png: bytes, title: str) -> None:
        """A picture of pixels, which stay sharp squares where it is drawn larger."""
        data = base64.b64encode(png).decode("ascii")
        self.parts.append(f'<image x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                          f'style="image-rendering:pixelated" href="data:image/png;base64,{data}">'
                          f"<title>{html.escape(title)}</title></image>")

    def finish(self, width: float, height: float, description: str) -> Picture:
        paper = self._paint("paper")
        dark = "".join(f".nsp-{role}{{fill:{PALETTE[role][2]};stroke:{PALETTE[role][3]}}}"
                       for role in sorted(self.roles))
        label = html.escape(description, quote=True)
        # It shrinks with its container, until its letters would be too small to read: then the container scrolls.
        shrink = f"{FLUID};min-width:{round(LEAST * width)}px"
        svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
               f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{label}" font-family="{MONO}" '
               f'xml:space="preserve" style="{shrink}">'
               f"<style>@media (prefers-color-scheme:dark){{{dark}}}</style>"
               f'<rect {paper} x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>'
               + "".join(self.parts) + "</svg>")
        return Picture(svg, description)
