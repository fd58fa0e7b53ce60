"""Pages of the repository on the site: where each goes, and its links with it; what lessons are about."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

__all__ = ["PAGES", "ROOT", "lessons", "relinked"]

ROOT = Path(__file__).parents[2]
# File of the repository -> page of the site.
PAGES = {
    "README.md": "project/readme.md", "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md", "SECURITY.md": "project/security.md",
    "notebooks/README.md": "course/index.md",
    **{f"docs/{path.name}": f"topics/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))},
    **{f"notebooks/{path.name}": f"course/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))},
    **{f"notebooks/pictures/{path.name}": f"course/pictures/{path.name}"
       for path in sorted((ROOT / "notebooks/pictures").iterdir())},
}
_OWN = "docs/website/pages/"    # pages that are written for the site
# Of a row of the teacher's map: subject, notebook, what it assesses.
_LESSON = re.compile(r"^\| \[(\d\d [^\]]+)\]\((\w+)\.ipynb\)(?: \|[^|]*){3} \| ([^|]+) \|", re.M)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_SOURCE = re.compile(r'\b(src|srcset)="([^"]+)"')


def relinked(text: str, file: str) -> str:
    """Markdown of a file of the repository with its links as its page on the site needs them.

    A link to a file that is not on the site becomes the file's name.
    """
    page = PAGES[file]

    def target(link: str) -> str | None:
        path, _, anchor = link.partition("#")
        if not path or "://" in link:
            return link
        where = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
        found = PAGES.get(where) or (where.removeprefix(_OWN) if where.startswith(_OWN) else None)
        if found is None:
            return None
        return posixpath.relpath(found, posixpath.dirname(page)) + (f"#{anchor}" if anchor else "")

    def link(match: re.Match[str]) -> str:
        to = target(match[3])
        if to is not None:
            return f"{match[1]}[{match[2]}]({to})"
        return match[2] if match[2].startswith("`") else f"{match[2]} (`{match[3]}`)"

    return _SOURCE.sub(lambda m: f'{m[1]}="{target(m[2]) or m[2]}"', _LINK.sub(link, text))


def lessons(text: str) -> dict[str, tuple[str, list[str]]]:
    """Of the teacher's map: notebook -> its number and subject, the words for what it assesses."""
    return {stem: (subject, [word for word in re.split(r", (?![^(]*\))", words) if "`" not in word])
            for subject, stem, words in _LESSON.findall(text)}
