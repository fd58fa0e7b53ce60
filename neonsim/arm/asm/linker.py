"""Joining programs, as a linker does: the code and data of each behind that of the one before.

Names that a program keeps to itself (without .global) stay apart; what one program names is found where another one
makes it global.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate

from neonsim.arm.asm.assembler import assemble_named
from neonsim.arm.asm.object.archive import Archive
from neonsim.arm.asm.program import Program
from neonsim.errors import BadArgument

__all__ = ["link"]

_WORD = re.compile(r"(?<![\w.$])[A-Za-z_.$][\w.$]*")


def link(*parts: Program | Archive) -> Program:
    """Link several programs into one: texts, objects, compiled C, and data alone.

    parts   programs from `assemble`, `load_object` or `load_c`, of one instruction set; the listing keeps their order.
            Of an archive, from `load_archive`, those members that the programs before it want

    Names that no program makes global stay undefined (`Program.undefined`), and running into one says so.
    Raises BadArgument for what is no program, for two instruction sets, and for a global name that two programs define.

    >>> from neonsim.arm.asm import assemble
    >>> user = assemble(".global f\\nf: adrp x0, table\\nldr w0, [x0, :lo12:table]\\nret", "aarch64")
    >>> both = link(user, assemble(".data\\n.global table\\ntable: .word 7", "aarch64"))
    >>> user.undefined, both.undefined
    (('table',), ())
    """
    programs: list[Program] = []
    for part in parts:
        if isinstance(part, Archive):
            programs += part.required_members(programs)
        elif isinstance(part, Program):
            programs.append(part)
        else:
            raise BadArgument(f"link joins programs (from neonsim.assemble or neonsim.load_object), not "
                              f"{type(part).__name__}.")
    if not programs:
        raise BadArgument("link joins programs: link(a, b).")
    if len({program.isa for program in programs}) > 1:
        raise BadArgument("link joins programs of one instruction set: " + ", ".join(
            f"{program.path} is {program.isa}" for program in programs) + ".")
    owners: dict[str, str] = {}
    for program in programs:
        for name in program.globals:
            if name in owners:
                raise BadArgument(f"`{name}` is global in {owners[name]} and in {program.path}: rename one of them.")
            owners[name] = program.path
    taken = set(owners) | {name for program in programs for name in program.undefined}
    texts = []
    for program in programs:
        renamed: dict[str, str] = {}
        for name in _own(program):
            fresh, number = name, 2
            while fresh in taken:
                fresh, number = f"{name}.{number}", number + 1
            taken.add(fresh)
            if fresh != name:
                renamed[name] = fresh
        texts.append(".text\n" + _respelled(str(program), renamed)
                     + "".join(f".extern {name}\n" for name in program.undefined))
    joined = assemble_named(" + ".join(program.path for program in programs), "".join(texts), programs[0].isa)
    begins = [0,
              *accumulate(len(program) if program.text_length is None else program.text_length for program in programs)]
    joined = replace(joined, parts=tuple(begin + part for begin, program in zip(begins, programs, strict=False)
                                         for part in program.parts or (0,)))
    prototypes = tuple(one for program in programs for one in program.prototypes if one.name in program.globals)
    if prototypes:
        joined = replace(joined, prototypes=prototypes)
    if any(program.origins for program in programs):
        rows = [row for program in programs for row in (program.origins or ((0, ""),
                                                                            ) * len(program))[:program.text_length]]
        joined = replace(joined, origins=(*rows, *((0, ""),) * (len(joined) - len(rows))))
    return joined


def _own(program: Program) -> list[str]:
    """Private names."""
    named = [name for name, _ in program.labels] + [name for name, number, _ in program.places
                                                    if not program.data[number].outside]
    return [name for name in dict.fromkeys(named)
            if not (name.isdigit() or name in program.globals or program.is_built_in(name))]


def _respelled(listing: str, renamed: dict[str, str]) -> str:
    """A listing with other names: of labels, and in operands; mnemonics and directives stay."""
    if not renamed:
        return listing
    lines = []
    for line in listing.splitlines():
        head = re.match(r"\s+\S+\s", line)
        start = head.end() if head else 0
        lines.append(line[:start] + _WORD.sub(lambda m: renamed.get(m[0], m[0]), line[start:]))
    return "\n".join(lines) + "\n"
