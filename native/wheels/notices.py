"""Licences of what Zig links into a C library, put into its wheel with their texts: as ziglang brings them along."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

__all__ = ["add"]


def add(metadata: Path, system: str) -> None:
    """Into an unpacked wheel's dist-info: the texts under licenses/, and their names in METADATA.

    system   for which the library was compiled, as CMake names it
    Raises ValueError where METADATA does not have one licence expression.
    """
    texts, licenses = _found(system)
    for name, text in texts.items():
        (metadata / "licenses" / name).write_text(text, "utf-8")
    file = metadata / "METADATA"
    head, gap, page = file.read_text("utf-8").partition("\n\n")
    added = "".join(f" AND {license}" for license in licenses)
    head, changed = re.subn(r"^License-Expression: .*$", lambda line: line[0] + added, head, flags=re.M)
    if changed != 1:
        raise ValueError(f"{file} has {changed} lines License-Expression; it must have one")
    head += "".join(f"\nLicense-File: {name}" for name in texts)
    file.write_text(head + gap + page, "utf-8")


def _found(system: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Texts by the names of their files, and the licences in SPDX's words."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise ValueError("the package ziglang is not installed: pip install ziglang")
    zig = Path(spec.origin).parent
    texts = {"LICENSE-zig": (zig / "LICENSE").read_text("utf-8")}
    if system != "Windows":
        return texts, ("MIT",)
    libc = zig / "lib" / "libc"
    texts["COPYING-mingw-w64"] = (libc / "mingw" / "COPYING").read_text("utf-8")
    header = (libc / "include" / "any-windows-any" / "pthread.h").read_text("utf-8")
    # Its notices are the comments at the head, before the first directive.
    notices, _, _ = header.partition("\n#")
    texts["COPYING-winpthreads"] = notices.strip() + "\n"
    return texts, ("MIT", "ZPL-2.1")
