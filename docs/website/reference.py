"""The reference: every public name with its signature and its docstring, by package."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import neonsim as ns

from .text import docstring, escaped, fenced, table

__all__ = ["public_packages", "write"]

# Packages whose names are for commands alone.
INNER = ("cli",)


def write(sources: Path) -> None:
    """api/: the package's own names, and a page for each package."""
    folder = sources / "api"
    folder.mkdir()
    (folder / "neonsim.md").write_text(_page(ns), "utf-8")
    packages = public_packages()
    for package in packages:
        (folder / f"{package.__name__}.md").write_text(_page(package), "utf-8")
    rows = [(f"[{one.__name__}]({one.__name__}.md)", escaped((inspect.getdoc(one) or "").partition("\n")[0]))
            for one in (ns, *packages)]
    (folder / "index.md").write_text(
        "# Reference\n\nThis reference has every public name. Most programs need only `neonsim` itself, by convention "
        "`import neonsim as ns`.\n\n" + table(("package", "what"), rows)
        + "\n```{toctree}\n:hidden:\n\n" + "\n".join(one.__name__ for one in (ns, *packages)) + "\n```\n", "utf-8")


def public_packages() -> list[ModuleType]:
    """Return the packages below neonsim that have public names, in the order of their names."""
    found = [importlib.import_module(one.name) for one in pkgutil.walk_packages(ns.__path__, "neonsim.") if one.ispkg]
    return [one for one in found if getattr(one, "__all__", ()) and one.__name__.split(".")[1] not in INNER]


def _page(module: ModuleType) -> str:
    name = module.__name__
    parts = [f"# {name}\n", docstring(inspect.getdoc(module) or "")]
    for public in sorted(module.__all__, key=str.lower):
        found = getattr(module, public)
        if inspect.ismodule(found):
            continue
        if module is not ns and getattr(ns, public, None) is found and public in ns.__all__:
            parts.append(f"{{py:obj}}`neonsim.{public}`: with [the package's names](neonsim.md).")
            continue
        parts.append(_entry(f"{name}.{public}", found))
    return "\n\n".join(parts) + "\n"


def _entry(name: str, found: Any) -> str:
    """One name as an object of Sphinx's Python domain: a class with its public methods and properties."""
    if inspect.isclass(found):
        inner = "\n\n".join(_member(f"{name}.{key}", value) for key, value in _members(found).items()
                            if not key.startswith("_") and _documented(value))
        kind = "exception" if issubclass(found, BaseException) else "class"
        return _directive(kind, name + _signature(found), _text(found), inner)
    if callable(found):
        return _directive("function", name + _signature(found), _text(found))
    return _directive("data", name, fenced(_short(found)) + "\n" + _text(found))


def _members(found: type) -> dict[str, Any]:
    """What a class has of its own, behind what it has from mixins, which have no entry."""
    mixins = [one for one in found.__mro__[1:] if one.__bases__ == (object,) and one.__module__.startswith("neonsim.")]
    return {key: value for one in (*reversed(mixins), found) for key, value in vars(one).items()}


def _documented(value: Any) -> bool:
    return bool(inspect.getdoc(value)) and (
        inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod))


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        return _directive("property", name, _text(value))
    kind = {classmethod: "classmethod", staticmethod: "staticmethod"}.get(type(value), "method")
    return _directive(kind, name + _signature(getattr(value, "__func__", value), inside=True), _text(value))


def _text(found: Any) -> str:
    return docstring(inspect.getdoc(found) or "")


def _signature(found: Any, *, inside: bool = False) -> str:
    """`(a, b=1) -> int`; of a method without self. Nothing where Python cannot say it."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return ""
    parameters = list(signature.parameters.values())[1 if inside else 0:]
    defaults = [p.replace(default=_Shown(p.default)) if p.default is not p.empty else p for p in parameters]
    return str(signature.replace(parameters=defaults)).replace("neonsim.", "").replace("\n", " ")


class _Shown:
    """A default as it is shown: what has no short words of its own is three dots."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        text = repr(self.value)
        return text if len(text) < 40 and " at 0x" not in text and "<" not in text else "..."


def _short(value: Any) -> str:
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))  # where a function lies in memory, another place each time
    return text if len(text) <= 300 else text[:297] + "..."


def _directive(kind: str, signature: str, *bodies: str) -> str:
    """Colons as a fence, longer than any of those inside."""
    body = "\n\n".join(filter(None, bodies))
    fence = ":" * (4 if ":::" in body else 3)
    return f"{fence}{{py:{kind}}} {signature}\n\n{body}\n{fence}"
