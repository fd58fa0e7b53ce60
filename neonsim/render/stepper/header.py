"""What the stepper is told of a program, whether it has run or not: instructions, listing, manual, dataflow.

Fields as in `neonsim.render.stepper.payload`. Nothing here computes with arrays.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neonsim.arm.machine.arch.register_names import TYPE_BYTES, expression_text, lane_edges, signed_sums

if TYPE_CHECKING:
    from neonsim.arm.asm import Program
    from neonsim.arm.isa import Instruction
    from neonsim.arm.isa.operands.locations import RegisterUse

__all__ = ["buffer_header", "listing", "program_header"]


def program_header(program: Program) -> dict[str, Any]:
    """Return the fields that are the program's own; of instructions all but ``macs``."""
    manual, pages = _manual(program)
    flows, flow_of = _flows(program)
    return {
        "instructions": [_instruction(one) | {"manual": page}
                         for one, page in zip(program.instructions, pages, strict=True)],
        "code": listing(program), "source": None if _is_source(program) else str(program),
        "flows": flows, "flow_of": flow_of, "manual": manual,
    }


def _instruction(one: Instruction) -> dict[str, Any]:
    sentence, _, rest = (one.form.doc or "").strip().partition("\n\n")
    # The second paragraph of a meaning is its formula (architecture: Docstrings); the source comes after it.
    rule = [row.strip() for row in rest.partition("\n\n")[0].partition("Source:")[0].splitlines()]
    return {
        "text": str(one), "line": one.position.line, "doc": " ".join(sentence.split()),
        "rule": "\n".join(row for row in rule if row),
        "element": one.element, "condition": one.condition, "target": one.target,
        "reads": [_use(use) for use in one.reads],
        "writes": [_use(use) for use in one.writes],
    }


def _manual(program: Program) -> tuple[list[str], list[int]]:
    """The manual's text of each instruction: its own page, and what quantised kernels use its family for."""
    texts: dict[str, int] = {}
    numbers = []
    for one in program.instructions:
        family = inspect.getdoc(sys.modules.get(one.form.function.__module__)) or ""
        uses = [part for part in family.split("\n\n") if part.startswith(("In quantised kernels", "Traps"))]
        text = "\n\n".join([inspect.cleandoc(one.form.doc or ""), *uses])
        numbers.append(texts.setdefault(text, len(texts)))
    return list(texts), numbers


def _use(use: RegisterUse) -> list[Any]:
    return [use.role, use.register, list(use.lanes) if use.lanes else None]


def _is_source(program: Program) -> bool:
    """Whether the program's lines are the text that all its instructions come from."""
    return bool(program.lines) and len({str(one.position.path) for one in program.instructions}) <= 1


def listing(program: Program) -> list[dict[str, Any]]:
    """Return the source as written when all instructions come from it, else the instructions alone."""
    places: dict[int, list[int]] = {}
    for index, one in enumerate(program.instructions):
        places.setdefault(one.position.line, []).append(index)
    if not _is_source(program):
        return [{"number": k, "text": f"        {one}", "pcs": [k]} for k, one in enumerate(program.instructions)]
    rows = [{"number": k, "text": line.rstrip(), "pcs": places.get(k, [])}
            for k, line in enumerate(program.lines, start=1)]
    written = [k for k, row in enumerate(rows) if row["text"]]
    return rows[written[0]:written[-1] + 1] if written else rows


def _flows(program: Program) -> tuple[list[Any], list[int]]:
    flows: list[Any] = []
    known: dict[str, int] = {}
    index = []
    signed = signed_sums(program)
    for one in program.instructions:
        text = str(one)
        if text not in known:
            known[text] = len(flows)
            flows.append([[*edge.destination, expression_text(edge), [list(source) for source in edge.sources]]
                          for edge in lane_edges(one, signed)])
        index.append(known[text])
    return flows, index


def buffer_header(name: str, address: int, nbytes: int, *, skipped: int = 0, size: int, dtype: str, itemsize: int,
                  shape: Sequence[int], wide: int, kind: str, typed: bool) -> dict[str, Any]:
    """Return a buffer in ``buffers``.

    wide   elements of ``itemsize`` bytes per row of its picture        kind   the element type that it is shown in
    """
    row, element = wide * itemsize, TYPE_BYTES[kind]
    return {"name": name, "address": address, "nbytes": nbytes, "skipped": skipped, "size": size, "dtype": dtype,
            "shape": [int(n) for n in shape], "columns": (row if row % element == 0 else 16) // element, "type": kind,
            "typed": typed}
