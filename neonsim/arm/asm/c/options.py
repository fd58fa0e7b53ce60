"""A way to compile C: which compiler, which options; and another one in a few words, to be seen beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from neonsim.arm.asm.c import compile
from neonsim.arm.asm.program import Program
from neonsim.errors import BadArgument

__all__ = ["COMPILERS", "CompilerOptions", "joined_words"]

COMPILERS = ("gcc", "clang", "zig")


@dataclass(frozen=True)
class CompilerOptions:
    """`compiler` None: the first that is found; options as of `load_c`."""

    isa: str = "aarch64"
    compiler: str | None = None
    options: tuple[str, ...] = ("-O2",)
    include: tuple[str | Path, ...] = ()

    def load(self, source: str | Path) -> Program:
        """Compile and load it. Errors as `load_c`."""
        return compile.load_c(source, self.isa, options=self.options, include=self.include, compiler=self.compiler)

    @property
    def title(self) -> str:
        """gcc -O2"""
        found = self.compiler or next(iter(compile.compilers(self.isa)), "C")
        return " ".join((found, *self.options))

    def with_changes(self, words: str) -> CompilerOptions:
        """This way with another compiler, another -O, more options: "clang", "-O0", "clang -O3 -DN=4".

        Raises BadArgument for a word that is neither, and for what is no other way.
        """
        way = self
        for word in words.split():
            if word in COMPILERS:
                way = replace(way, compiler=word)
            elif word.startswith("-"):
                kept = (one for one in way.options if not (word.startswith("-O") and one.startswith("-O")))
                way = replace(way, options=(word, *kept) if word.startswith("-O") else (*kept, word))
            else:
                raise BadArgument(f"--compare-flags {words}: {word!r} is no compiler ({', '.join(COMPILERS)}) and no "
                                  "option such as -O3")
        if way.title == self.title:
            raise BadArgument(f"--compare-flags {words}: so it is compiled already ({self.title}); name another "
                              "compiler or another -O")
        return way


def joined_words(words: Sequence[str]) -> list[str]:
    """Return a command line with `--compare-flags -O3` and `--compiler-option -mfpu=neon` as one word each.

    argparse takes what begins with - for an option of its own.
    """
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in ("--compare-flags", "--compiler-option") and re.match("-[^-]", word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined
