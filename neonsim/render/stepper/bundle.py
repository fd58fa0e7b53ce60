"""Joins the stepper's ES modules into one: our whole build step.

Each module under `static/` may import names from its siblings (`import { a, b } from "./x.js";`, one line, no
renaming) and export functions, classes and constants where they are defined. Joining puts every module after those it
needs, drops the import lines, the comments and the word `export`, and checks that no name is defined twice. A comment
stands on lines of its own or behind a statement; only the former are dropped.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from neonsim.errors import NeonsimError

__all__ = ["join_modules", "static_text", "stepper_styles"]

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)";\n', re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?://.*|/\*[\s\S]*?\*/[ \t]*)\n", re.MULTILINE)
STYLE_COMMENT = re.compile(r"[ \t]*/\*[\s\S]*?\*/\n?")
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) )", re.MULTILINE)
EXPORTED = re.compile(EXPORT.pattern + r"(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)
LIST = re.compile(r"^(?:export )?const .*", re.MULTILINE)  # const A = 1, B = 2;
NEXT = re.compile(r", ([A-Z_]+) = ")


STYLES = ("stepper.css", "edit.css", "stops.css", "memory.css")


@cache
def stepper_styles() -> str:
    """Return what the stepper looks like, without the comments."""
    return STYLE_COMMENT.sub("", "".join(map(static_text, STYLES)))


@cache
def static_text(name: str) -> str:
    """Return the text of a file under `static/`."""
    return (files("neonsim.render") / "static" / name).read_text(encoding="utf-8")


@cache
def join_modules(entry: str) -> str:
    """One ES module with everything `entry` needs; its own exports (`export default`) stay.

    entry   "widget.js" (for a notebook), "loader.js" (for each stepper there), "page.js" (for a file of its own) or
            "livepage.js" (for one that computes)

    Raises NeonsimError if two modules define the same name, import in a circle, or import a name that is not exported.
    """
    order: list[str] = []
    _visit(entry, order, [])
    owner: dict[str, str] = {}
    parts = []
    for name in order:
        text = static_text(name)
        for symbol in (*TOP_LEVEL.findall(text), *(more for line in LIST.findall(text) for more in NEXT.findall(line))):
            if symbol in owner:
                raise NeonsimError(f"{name} and {owner[symbol]} both define {symbol}. Rename one")
            owner[symbol] = name
        for names, source in IMPORT.findall(text):
            for wanted in (part.strip() for part in names.split(",")):
                if wanted not in _exported(source):
                    raise NeonsimError(f"{name} imports {wanted}, which {source} does not export")
        parts.append(f"// ---- {name}\n" + EXPORT.sub("", IMPORT.sub("", COMMENT.sub("", text))).strip() + "\n")
    return "\n".join(parts)


@cache
def _exported(name: str) -> frozenset[str]:
    return frozenset(EXPORTED.findall(static_text(name)))


def _visit(name: str, order: list[str], path: list[str]) -> None:
    if name in path:
        raise NeonsimError(f"the modules import each other in a circle: {' -> '.join([*path, name])}")
    if name in order:
        return
    for _, source in IMPORT.findall(static_text(name)):
        _visit(source, order, [*path, name])
    order.append(name)
