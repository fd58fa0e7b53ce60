"""What is checked: a program, its entry, and what its header or the caller says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neonsim.arm.asm import Program, load_c, load_object
from neonsim.arm.asm.file_header import header_of
from neonsim.arm.asm.undeclared import assemble_file
from neonsim.common.fileio import read_text
from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import BadArgument
from neonsim.ukernel import Kernel, Tile, contract_named, kernels_folder

__all__ = ["KernelUnderTest", "entry_of", "read_program", "subject", "tile_limits"]

MAX_TILE = (64, 1024, 64)  # rows, columns, depths side by side: cases are packed for all of them


@dataclass(frozen=True)
class KernelUnderTest:
    """A kernel to be checked.

    program, entry              what is called
    name                        for messages
    contract                    str
    tile                        Tile: rows, columns, depths side by side
    reads_before, reads_after   bytes outside a row of its input that it may read
    """

    program: Program
    entry: str
    name: str
    contract: str
    tile: Tile
    reads_before: int = 0
    reads_after: int = 0


def subject(source: str | Path | Program | Kernel, contract: str | None = None, *, tile: str | Tile | None = None,
            isa: str | None = None, entry: str | None = None, reads_before: int | None = None,
            reads_after: int | None = None, include: Sequence[str | Path] = (),
            define: Mapping[str, str | int] | None = None, options: Sequence[str] = ("-O2",)) -> KernelUnderTest:
    """Bring together what is known of a kernel; arguments win over its header.

    source   a .S or .s file, an object file, a .c file, a kernel of the catalogue, or a Program
    isa      of assembly text (its header may say it), or for C
    options  for the compiler of C, as of `load_c`

    Raises BadArgument for what is missing (contract, tile, isa), AssemblyError and NeonsimError of reading the file.
    """
    program, name, said = read_program(source, isa=isa, include=include, define=define, options=options)
    entry = entry or (source.name if isinstance(source, Kernel) else None)
    contract = contract or said.get("contract")
    if contract is None:
        raise BadArgument(f"{name} has no contract. Name one with --contract qu8_gemm_q31 or "
                          "in Python contract=\"qu8_gemm_q31\" (`neonsim check contracts` lists them)")
    contract_named(contract)
    entry = entry or entry_of(program, Path(name).stem)
    return KernelUnderTest(program, entry, name, contract, _tile(tile or said.get("tile"), name, contract),
                           _bytes(reads_before, said, "reads-before"), _bytes(reads_after, said, "reads-after"))


def read_program(source: str | Path | Program | Kernel, *, isa: str | None = None, include: Sequence[str | Path] = (),
                 define: Mapping[str, str | int] | None = None, options: Sequence[str] = ("-O2",),
                 ) -> tuple[Program, str, dict[str, str]]:
    """(program, its name for messages, what its header says) of a file, a kernel or a program; arguments as `subject`.

    Raises BadArgument for a file that is not there, and for text that does not say its instruction set.
    """
    if isinstance(source, Kernel):
        return source.program(), source.name, header_of(source.source)
    if isinstance(source, Program):
        return source, str(source.path), {}
    if not isinstance(source, str | Path):
        raise BadArgument(f"check needs a file, a program or a kernel, not {type(source).__name__}")
    path, name = Path(source), str(source)
    if not path.is_file():
        raise BadArgument(f"{path} is a folder. Name a file in it" if path.is_dir() else f"there is no file {path}")
    if path.suffix == ".o":
        return load_object(path), name, {}
    said = header_of(read_text(path, 4 * MAX_FILE_LENGTH, "replace"))
    if path.suffix == ".c":
        return load_c(path, isa or said.get("isa") or "aarch64", include=include,
                      options=[*options, *(f"-D{name}={value}" for name, value in (define or {}).items())]), name, said
    return assemble_file(path, isa, include=[*include, kernels_folder()], define=define or {}), name, said


def entry_of(program: Program, stem: str) -> str:
    """Return the function of the file's name if there is one; otherwise the program's only one."""
    if stem in program.symbols:
        return stem
    index = program.entry(None)  # where there are several, the error lists them
    names = [name for name, at in program.symbols.items() if at == index]
    if not names:
        raise BadArgument(f"{program.path} has no label to call. Write the function's name before its first "
                          f"instruction")
    return next((name for name in names if name in program.globals), names[0])


def tile_limits(tile: Tile, name: str) -> Tile:
    """Return a tile of a size that cases can be made for. Raises BadArgument."""
    for size, most, what in zip((tile.mr, tile.nr or 1, tile.kr * tile.sr), MAX_TILE,
                                ("rows", "columns", "depths side by side"), strict=True):
        as_int(size, f"{what} of the tile of {name}", 1, most)
    return tile


def _tile(given: str | Tile | None, name: str, contract: str) -> Tile:
    if isinstance(given, Tile):
        return tile_limits(given, name)
    if given is None:
        raise BadArgument(f"{name} has no tile size. Add tile (--tile 4x8, or --mr 4 --nr 8), or a line `//! tile: "
                          f"4x8` at its top. The check of `{contract}` uses all sizes up to it")
    found = Tile.parse(given)
    if found is None:
        raise BadArgument(f"{given!r} is not a tile: write 4x8, 4x8c2 (two depths side by side) or 4x")
    return tile_limits(found, name)


def _bytes(given: int | None, said: dict[str, str], key: str) -> int:
    if given is not None:
        return given
    word = said.get(key, "0")
    return int(word) if word.isdigit() else 0
