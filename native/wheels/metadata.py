"""README.md as the page of a package index, made with every wheel and sdist (pyproject.toml names this module).

A package index shows the page far from the files beside it. Where NEONSIM_SOURCE_URL says where the sources are public,
links lead to the files there, at the tag of this version, as GitHub and those who imitate it write addresses. Where it
does not, no link leads nowhere: a file is named by its path in the sources, and a picture tells what is to be seen.

The module runs inside the build: standard library only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["VARIABLE", "dynamic_metadata", "page"]

VARIABLE = "NEONSIM_SOURCE_URL"
_README = Path(__file__).parents[2] / "README.md"
_URL = re.compile(r"https://[\w.-]+(:\d+)?(/[\w.~-]+)+")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.S)
_TEXT = r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)"
_PICTURE = re.compile(f"!{_TEXT}")
_LINK = re.compile(f"(?<!!){_TEXT}")
_MANY = re.compile(r"<picture>.*?</picture>", re.S)
_ALT = re.compile(r'\balt="([^"]*)"')
_SOURCE = re.compile(r'\b(src|srcset)="([^"]+)"')


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of [project] that are made: readme, urls (called by scikit-build-core).

    Raises ValueError (one sentence) where NEONSIM_SOURCE_URL is no address.
    """
    if settings:
        raise ValueError(f"native/wheels/metadata.py takes no settings, not {', '.join(settings)}")
    url = os.environ.get(VARIABLE, "").rstrip("/")
    if url and not _URL.fullmatch(url):
        raise ValueError(f"{VARIABLE} is {url!r}: give the https address of the repository, as "
                         "https://example.org/someone/neonsim, or nothing")
    tag = f"v{project['version']}"
    text = page(_README.read_text("utf-8"), url, tag)
    urls = {"Source": url, "Changelog": f"{url}/blob/{tag}/CHANGELOG.md",
            "Course": f"{url}/blob/{tag}/notebooks/README.md"} if url else {}
    return {"readme": {"text": text, "content-type": "text/markdown"}, "urls": urls}


def page(text: str, url: str, tag: str) -> str:
    """Markdown of the repository's first page as it reads elsewhere: sources at `url`, "" for nowhere."""
    if url:
        text = _SOURCE.sub(lambda m: f'{m[1]}="{_absolute(m[2], url, tag, "raw")}"', text)
        text = _outside_code(_PICTURE, lambda m: f"![{m[1]}]({_absolute(m[2], url, tag, 'raw')})", text)
        return _outside_code(_LINK, lambda m: f"[{m[1]}]({_absolute(m[2], url, tag, 'blob')})", text)
    text = _MANY.sub(_told, text)
    text = _outside_code(_PICTURE, lambda m: _shown(m[1]), text)
    return _outside_code(_LINK, _named, text)


def _absolute(target: str, url: str, tag: str, kind: str) -> str:
    return target if _elsewhere(target) else f"{url}/{kind}/{tag}/{target}"


def _elsewhere(target: str) -> bool:
    return "://" in target or target.startswith(("#", "mailto:"))


def _told(match: re.Match[str]) -> str:
    alt = _ALT.search(match[0])
    return _shown(alt[1]) if alt else ""


def _shown(alt: str) -> str:
    return f"> Picture: {' '.join(alt.split())}"


def _named(match: re.Match[str]) -> str:
    """A file of the sources by its path; a place within a file, by the link's text alone."""
    text, target = match[1], match[2]
    if _elsewhere(target):
        return match[0]
    path, _, place = target.partition("#")
    return text if place else f"{text} (`{path}`)"


def _outside_code(pattern: re.Pattern[str], replaced: Any, text: str) -> str:
    """Substitute, but in blocks of code, where brackets are brackets. Code within a link's text stays what it is."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    hidden = pattern.sub(replaced, _CODE.sub(hide, text))
    return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], hidden)
