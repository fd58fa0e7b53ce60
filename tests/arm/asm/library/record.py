"""The built-in functions from C to the text that is kept:  python tests/arm/asm/library/record.py

Every function and every constant becomes a part of its own, with names of the file's own made such that no program has
them; neonsim.arm.asm.library chooses parts. Needs GCC for both instruction sets; kept is what GCC 12 makes.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parents[4] / "neonsim" / "arm" / "asm" / "library"
COMPILERS: Final = {
    "aarch64": ["aarch64-linux-gnu-gcc", "-march=armv8-a"],
    "aarch32": ["arm-linux-gnueabihf-gcc", "-marm", "-march=armv8-a", "-mfpu=neon-fp-armv8", "-mfp16-format=ieee"]}
OPTIONS: Final = [
    "-O2", "-S", "-ffreestanding", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-fno-math-errno",
    "-ffp-contract=off", "-fno-section-anchors", "-ffunction-sections", "-fdata-sections", "-fno-ipa-sra",
    "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-stack-protector", "-fno-pic", "-fno-ident",
    "-fno-tree-vectorize", "-falign-functions=1", "-falign-loops=1", "-falign-jumps=1", "-falign-labels=1", "-Wall",
    "-Wextra", "-Werror"]
_DROPPED: Final = re.compile(r"\s*(#|\.(size|type|syntax|arm|arch\w*|cpu|fpu|file|eabi_attribute|global|ident)\b|@|$)")


def recorded(isa: str) -> str:
    """The text of an instruction set."""
    done = subprocess.run([*COMPILERS[isa], *OPTIONS, "-o", "-", str(HERE / "library.c")], check=True,
                          capture_output=True, text=True)
    public = set(re.findall(r"\.global\s+(\S+)", done.stdout))
    own = set(re.findall(r"^([\w.]+):", done.stdout, re.MULTILINE)) - public
    parts: list[tuple[bool, list[str]]] = []
    section, data = "", False
    for raw in done.stdout.splitlines():
        line = re.sub(r"\s*(@ .*|// .*)$", "", raw.replace("\t", " ")).rstrip()
        if line.strip().startswith((".section", ".text")):
            section = line.strip()
            data = ".rodata" in section
            if not data and ".text." not in section:
                section = ""
            parts.append((data, []))
            continue
        if not section or _DROPPED.match(line) or (not data and re.match(r"\s*\.(p2)?align\b", line)
                                                   and line.split()[-1] in ("2", "0")):
            continue
        lines = parts[-1][1]
        if data and line.endswith(":") and any(one.endswith(":") for one in lines):
            parts.append((data, [one for one in lines[:1] if "align" in one]))
        line = re.sub(r"(?<![\w.])\.?[A-Za-z_][\w.]*", lambda m: f".Lneonsim_{m[0].lstrip('.')}" if m[0] in own else
                      m[0], line)
        parts[-1][1].append(" ".join(line.split()) if line.endswith(":") else f"    {' '.join(line.split())}")
    head = [f"// Made of library.c by tests/arm/asm/library/record.py, for {isa}.", ""]
    for data, lines in parts:
        if not any(line.endswith(":") for line in lines):
            continue
        name = next(line for line in lines if line.endswith(":"))[:-1]
        head += [f'.section .neonsim.{name.removeprefix(".Lneonsim_")},"a"' if data else ".text", *lines, ""]
    return "\n".join(head)


if __name__ == "__main__":
    for isa in COMPILERS:
        (HERE / f"{isa}.s").write_text(recorded(isa))
