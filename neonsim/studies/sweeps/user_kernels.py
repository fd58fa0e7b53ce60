"""Kernels of your own in a sweep: assembly text that travels with the definition, named by what it says.

Other machines have no file of yours, so the definition holds the text itself, and the kernel's name ends with a digest
of it: rows of a file that has been changed since are rows of another kernel.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from neonsim.arm.asm import assemble
from neonsim.arm.isa import WORD_BYTES
from neonsim.common.fileio import read_text
from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import AssemblyError, BadArgument, NeonsimError
from neonsim.ukernel import Tile, contract_named, kernels_folder
from neonsim.ukernel.catalog import full_text
from neonsim.ukernel.naming import split_name
from neonsim.verify.checking import KernelUnderTest, subject, tile_limits

__all__ = ["MAX_USER_KERNELS", "UserKernel", "read_user_kernels"]

MAX_USER_KERNELS = 64           # files of a sweep: their texts are in its manifest
MAX_TEXT_LENGTH = 500_000     # characters of one; the longest of the catalogue has 29 000, macros aside
MAX_STEM_LENGTH = 40          # characters of a file's name that its kernel keeps
MAX_READS = 4096       # bytes outside of a row
TEXTS = (".S", ".s")


@dataclass(frozen=True)
class UserKernel:
    """A kernel that is no file of the catalogue.

    stem       of its file's name, in small letters
    contract   what it is meant to compute         tile   as 4x8c2         isa   aarch64 | aarch32
    entry      the label to call
    text       assembly text that includes nothing
    reads_before, reads_after   bytes outside a row of its input that it may read
    """

    stem: str
    contract: str
    tile: str
    isa: str
    entry: str
    text: str
    reads_before: int = 0
    reads_after: int = 0

    @cached_property
    def name(self) -> str:
        """As kernels are named, and of the text: contract_tile__isa_stem_digest."""
        digest = hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]
        return f"{self.contract}_{self.tile}__{self.isa}_{self.stem}_{digest}"

    @cached_property
    def subject(self) -> KernelUnderTest:
        """What is called. Raises AssemblyError, MachineError for a text that cannot be."""
        program, tile = assemble(self.text, self.isa), Tile.parse(self.tile)
        program.entry(self.entry)
        assert tile is not None
        return KernelUnderTest(program, self.entry, self.name, self.contract, tile, self.reads_before, self.reads_after)

    def check(self) -> None:
        """Whether all fields are ones that a kernel can have. Raises BadArgument."""
        tile = Tile.parse(self.tile) if re.fullmatch(r"[0-9xcs]{1,20}", self.tile) else None
        if tile is None or str(tile) != self.tile:
            raise BadArgument(f"{self.tile!r} is not a tile: write 4x8, 4x8c2 or 4x.")
        tile_limits(tile, self.stem)
        if self.isa not in WORD_BYTES or not re.fullmatch(r"[a-z0-9_]{1,40}", self.stem):
            raise BadArgument(f"{self.stem!r}, {self.isa!r}: no kernel can have that name.")
        for count, what in ((self.reads_before, "before"), (self.reads_after, "after")):
            as_int(count, f"bytes that {self.stem} may read {what} a row", 0, MAX_READS)
        if len(self.text) > MAX_TEXT_LENGTH:
            raise BadArgument(f"the text of {self.stem} has {len(self.text):,} characters; the limit is "
                              f"{MAX_TEXT_LENGTH:,}.")
        contract_named(self.contract)

    @classmethod
    def from_dict(cls, data: Any) -> UserKernel:
        """From an untrusted manifest. Raises BadArgument for what is no kernel."""
        kinds = {field.name: int if field.name.startswith("reads") else str for field in fields(cls)}
        if not isinstance(data, dict) or data.keys() != kinds.keys() \
                or any(type(value) is not kinds[name] for name, value in data.items()):
            raise BadArgument("it is not a definition of a sweep: the fields of a kernel are not those of this "
                              "version.")
        made = cls(**data)
        try:
            made.check()
        except NeonsimError as why:
            raise BadArgument(f"it is not a definition of a sweep: {why}") from None
        return made


def read_user_kernels(kernels: Any, *, define: Mapping[str, str | int] | None = None, **known: Any) -> list[Any]:
    """Words for kernels, those that name a file replaced by the `Own` in it.

    define   as by #define before its first line
    known    contract, tile, isa, entry, reads_before, reads_after, where files do not say so in their headers

    Raises BadArgument for files that cannot travel, for what is not known of them, and for what is said without one;
    AssemblyError for a text that is none.
    """
    words = [word.strip() for word in kernels.split(",") if word.strip()] if isinstance(kernels, str) else \
        [kernels] if isinstance(kernels, Path) or not hasattr(kernels, "__iter__") else list(kernels)
    found = [_read(Path(word), define or {}, known) if _is_file(word) else word for word in words]
    given = [name for name, value in {**known, "define": define or None}.items() if value is not None]
    if given and not any(isinstance(one, UserKernel) for one in found):
        raise BadArgument(f"{given[0].replace('_', '-')} needs an assembly file, as mine.S.")
    return found


def _is_file(word: Any) -> bool:
    if not isinstance(word, str):
        return isinstance(word, Path)
    return "/" in word or (Path(word).suffix != "" and not set(word) & set("*?["))


def _read(path: Path, define: Mapping[str, str | int], known: Mapping[str, Any]) -> UserKernel:
    if path.suffix not in TEXTS and path.is_file():
        raise BadArgument(f"{path} cannot be sent to other machines. A sweep needs assembly text (.S, .s), which `cc "
                          f"-S` creates from C.")
    what = subject(path, define=define, **known)
    lines = [f"#define {name} {value}" for name, value in define.items()]
    text = "\n".join([*lines, *_in_place(full_text(read_text(path, 4 * MAX_FILE_LENGTH, "replace")))]) + "\n"
    made = UserKernel(_stem(path.stem), what.contract, str(what.tile), what.program.isa, what.entry, text,
                      what.reads_before,
               what.reads_after)
    made.check()
    try:
        same = len(made.subject.program) == len(what.program)
    except AssemblyError as why:
        raise BadArgument(f"{path} cannot be sent to other machines, because they do not have the files that it "
                          f"includes. Copy their text into it. ({str(why).splitlines()[0]})") from None
    if not same:
        raise BadArgument(f"{path} assembles to another program without its included files. Copy their text into it.")
    return made


def _in_place(text: str) -> Iterator[str]:
    """The lines, macros of our own kernels in place: which these are is part of the text then."""
    for line in text.splitlines():
        found = re.fullmatch(r'#include "(include/\w+\.h)"', line)
        path = kernels_folder() / found[1] if found else None
        if path is not None and path.is_file():
            yield from path.read_text("utf-8").splitlines()
        else:
            yield line


def _stem(stem: str) -> str:
    """What a kernel is called by its file: the technique, where that is named as ours are."""
    with suppress(NeonsimError):
        stem = split_name(stem)[3]
    return re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")[:MAX_STEM_LENGTH] or "own"
