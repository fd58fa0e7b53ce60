"""Assembly, objects and archives of other people: python -m tests.arm.asm.outside [-I FOLDER] [-D NAME=TEXT] FOLDER ...

Every text for Arm below the folders is assembled by GCC (GNU as) and by neonsim, whose listing GNU as assembles again:
the code must be the same, byte by byte. What neonsim refuses is listed by its message. Of every object, and of every
member of an archive, all sections that are loaded must have the file's bytes.

Sources of Debian: `apt-get source dav1d x264 libvpx libjpeg-turbo ffmpeg x265 ...`; archives: `apt-get download` of
-dev packages for arm64 and armhf. Texts whose own build writes a config.h need one, in a folder named by -I.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from neonsim.arm.asm import assemble, load_archive, load_object
from neonsim.errors import NeonsimError
from tests.arm.asm.sections import differences

GCC = {"aarch64": ("aarch64-linux-gnu-gcc", "-march=armv8.6-a+crypto+fp16"),
       "aarch32": ("arm-linux-gnueabihf-gcc", "-marm", "-march=armv8-a", "-mfpu=crypto-neon-fp-armv8")}
OF_ARM = re.compile(r"arm|aarch|neon", re.IGNORECASE)
OF_A64 = re.compile(r"aarch64|arm64|/64/|armv8", re.IGNORECASE)
MAX_OBJECT_BYTES = 400_000   # bytes of an object


def code_of(path: Path) -> bytes:
    """All code of an object."""
    listed = subprocess.run(["aarch64-linux-gnu-objdump", "-h", path], capture_output=True, text=True,
                            check=True).stdout
    found = b""
    for name, size in re.findall(r"^\s*\d+ (\S+)\s+([0-9a-f]+).*\n.*CODE", listed, re.MULTILINE):
        if int(size, 16):
            out = path.with_suffix(".bin")
            subprocess.run(["aarch64-linux-gnu-objcopy", "-O", "binary", "-j", name, path, out], check=True)
            found += out.read_bytes()
    return found


def text(path: Path, include: list[str], define: list[str], folder: Path) -> str:
    """"equal", or what is not."""
    isa = "aarch64" if OF_A64.search(str(path)) else "aarch32"
    near = [*include, *(str(one) for one in (path.parent, path.parent.parent))]
    made = subprocess.run([*GCC[isa], "-x", "assembler-with-cpp", *(f"-I{one}" for one in near),
                           *(f"-D{one}" for one in define), "-c", path, "-o", folder / "theirs.o"],
                          capture_output=True, check=False)
    if made.returncode:
        return "not taken by GCC"
    try:
        program = assemble(path, isa, include=near, define=dict(one.split("=", 1) for one in define))
    except NeonsimError as problem:
        said = [line for line in str(problem).split("\n") if line and not line.startswith((" ", "/", "In the"))]
        return "refused: " + re.sub(r"`[^`]*`", "`..`", said[0] if said else str(problem))
    (folder / "ours.s").write_text(str(program))
    again = subprocess.run([*GCC[isa], "-c", folder / "ours.s", "-o", folder / "ours.o"], capture_output=True,
                           text=True, check=False)
    if again.returncode:
        return "the listing is refused by GNU as: " + again.stderr.split("\n")[1].rpartition(": ")[2]
    theirs, ours = code_of(folder / "theirs.o"), code_of(folder / "ours.o")
    if len(theirs) != len(ours):
        return f"DIFFERS: {len(ours)} bytes, not {len(theirs)}"
    runs = [range(run.offset, run.offset + len(run.contents)) for run in program.data if run.offset is not None]
    # What fills up in front of aligned data is NOPs for one and zeros for the other.
    other = [at for at in range(0, len(ours), 4) if ours[at:at + 4] != theirs[at:at + 4]
             and (any(ours[at:at + 4]) or not any(at in run for run in runs))]
    return f"DIFFERS at {other[0]:#x}" if other else "equal"


def objects(path: Path) -> Iterator[str]:
    """The same of an object, or of each member of an archive."""
    data = path.read_bytes()
    if path.suffix == ".o":
        members = {path.name: data}
    else:
        archive = load_archive(path)
        members = {name: archive.contents(name) for name in archive.members}
    for name, one in members.items():
        if len(one) > MAX_OBJECT_BYTES:
            yield "too large"
            continue
        try:
            other = differences(load_object(one), one)
        except NeonsimError as problem:
            said = str(problem).split("\n")[-1]
            yield "refused: " + ("Thumb code" if "Thumb" in said else re.sub(r"^.*?(\): |> | is )", "", said))
            continue
        if other:
            print(f"{path}({name}): {other[:3]}")
        yield "DIFFERS" if other else "equal"


def main() -> int:
    """1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.arm.asm.outside", description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    options = parser.parse_args()
    texts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for path in sorted(one for folder in options.folders for one in folder.rglob("*")):
            if path.suffix in (".S", ".s", ".asm") and OF_ARM.search(str(path)):
                said = text(path, options.include, options.define, Path(name))
                texts[said] += 1
                if not said.startswith(("equal", "not taken")):
                    print(f"{path}: {said}")
            elif path.suffix in (".o", ".a") and path.is_file():
                found.update(objects(path))
    for what, counted in (("texts", texts), ("objects", found)):
        for said, count in counted.most_common():
            print(f"{count:6} {what} {said}")
    return any(said.startswith("DIFFERS") for said in (*texts, *found))


if __name__ == "__main__":
    sys.exit(main())
