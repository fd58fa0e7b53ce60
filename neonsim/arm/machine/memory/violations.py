"""The rules of the sanitizer: what a program may not do although a core would let it, all in one table.

Code that finds a rule broken raises ``broken(rule, text)``; `findings` adds the place and the history. The
interpreter alone judges: a fast engine that is in doubt leaves before the step, and the interpreter does it.

Uninitialized bits may be loaded, moved and computed with: kernels load whole registers where a row ends, and
drop what is too much. They are followed bit by bit (`arm.semantics.interp.shadow`) to where they would be seen, and
only there it is an error: in what is stored to a buffer, in an address, in the decision of a branch or a condition. A
result register
is seen, too, but whether a function returns anything is not in its text: that is a warning (`abi.undefined_result`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from neonsim.errors import (
    AbiViolation,
    BadArgument,
    LockstepDivergence,
    MachineError,
    MemoryFault,
    StepLimit,
    UninitialisedRead,
)

__all__ = ["RULES", "ExecutionRule", "get_rule", "rules_table", "violation"]


@dataclass(frozen=True)
class ExecutionRule:
    """One rule.

    name       what errors are marked with (``error.rule``) and the table is read by
    sentence   what a program has to keep
    reports    what a report names, besides the instruction, its line and the last steps
    error      the class that is raised
    condition  "always"; "sanitizer": only with it (on by default for one tile); "grid": tiles in lock-step
    remedy     what to do about it, most often
    """

    name: str
    sentence: str
    reports: str
    error: type[MachineError]
    condition: str = "always"
    remedy: str = field(kw_only=True)


RULES: tuple[ExecutionRule, ...] = (
    ExecutionRule("junk-stored",
                  "Only initialized bits may be stored to a buffer (to the stack any may).",
                  "buffer, offset of the first such byte, register, where its bits come from", UninitialisedRead,
                  "sanitizer",
                  remedy="Write all of a register before it is stored, or store the written lanes alone."),
    ExecutionRule("junk-address", "An address depends only on initialized bits.",
                  "register, where its bits come from", UninitialisedRead, "sanitizer",
                  remedy="Extend a 32-bit argument before it becomes an address (UXTW, SXTW)."),
    ExecutionRule("junk-decision", "A branch or condition depends only on initialized bits.",
                  "register or flags, where their bits come from", UninitialisedRead, "sanitizer",
                  remedy="Compare what has been written: of a 32-bit argument the w register."),
    ExecutionRule("flags-never-set",
                  "A branch or condition uses flags only after an instruction of the function has set them.",
                  "the flags", UninitialisedRead, "sanitizer",
                  remedy="Set the flags first: CMP, TST, or an instruction that ends in S."),
    ExecutionRule("read-outside",
                  "Loads stay within a named buffer, the over-read declared for it, or the caller's frame.",
                  "address, nearest buffer, offset, over-read allowed, base register", MemoryFault,
                  remedy="Read the tail by smaller vectors or elements, or let the last vector overlap its neighbour."),
    ExecutionRule("write-outside", "Stores stay within a named buffer.",
                  "address, nearest buffer, offset, base register", MemoryFault,
                  remedy="Store no more than is left: smaller vectors, then elements."),
    ExecutionRule("below-sp",
                  "Loads and stores of the stack stay above sp: AAPCS has no red zone (Apple and Windows have).",
                  "distance from sp, base register", MemoryFault, "sanitizer",
                  remedy="Move sp down first, and store above it."),
    ExecutionRule("read-only", "Buffers placed as read-only, and read-only sections, are not stored to.",
                  "buffer, offset, base register", MemoryFault,
                  remedy="Store to an output; an input that is changed stands in the prototype without const."),
    ExecutionRule("alignment-hint",
                  "AArch32: an address with a hint, [r0:64], is a multiple of what the hint promises.",
                  "address, hint, base register", MemoryFault,
                  remedy="Leave the hint out, or align the buffer."),
    ExecutionRule("word-alignment",
                  "AArch32: LDM, STM, PUSH, POP, LDRD, STRD, VLDR, VSTR, VLDM and VSTM take multiples of 4.",
                  "address, base register", MemoryFault,
                  remedy="Use VLD1 and VST1, or loads of single bytes, which take any address."),
    ExecutionRule("atomic-alignment",
                  "Exclusive and atomic loads and stores, and those with acquire or release, take multiples "
                  "of their size.", "address, base register", MemoryFault,
                  remedy="Align the buffer to what the instruction moves."),
    ExecutionRule("stack-alignment", "sp is a multiple of 16 at accesses and calls of global functions (A64); "
                  "of 4, at calls of global functions of 8 (A32).",
                  "value of sp, where it was changed", MemoryFault,
                  remedy="Move sp by multiples of 16 bytes (AArch32: of 8)."),
    ExecutionRule("float-rules", "FPCR and FPSCR ask for no traps and no vectors of VFP (Len, Stride): there are none.",
                  "the bits that ask", MachineError,
                  remedy="Leave FPCR and FPSCR as they are."),
    ExecutionRule("half-double",
                  "A Python float is a double if the function has no prototype: half of it is not a float.",
                  "the register", AbiViolation, "sanitizer",
                  remedy="Pass np.float32, or say by a prototype what the function takes."),
    ExecutionRule("callee-saved", "d8-d15 and x19-x29 (AArch64), d8-d15 and r4-r11 (AArch32) come back as they were.",
                  "registers, where each was overwritten", AbiViolation,
                  remedy="Save and restore them, or use v0-v7, v16-v31, x0-x17 (AArch32: q0-q3, q8-q15, r0-r3)."),
    ExecutionRule("stack-pointer", "sp comes back as it was.", "both values, where it was changed last", AbiViolation,
                  remedy="Undo every change of sp before the return."),
    ExecutionRule("return-address",
                  "A return goes back to the caller: a function that calls another keeps its return address.",
                  "where it goes instead, where the link register was written", AbiViolation,
                  remedy="Save the link register before a call, and restore it."),
    ExecutionRule("lost", "Execution stays in the program: no branch to where no code is, no running past the end.",
                  "the place, the last steps", MachineError,
                  remedy="End every way through the function with RET (AArch32: BX LR)."),
    ExecutionRule("endless",
                  "The function returns: within max_steps, and never to the very state it has been in before.",
                  "steps taken, length of the loop", StepLimit,
                  remedy="See that the counter ends the loop for every size, also for no multiple of the step."),
    ExecutionRule("overlapping-output", "In lock-step, no two tiles write the same byte.",
                  "tiles, buffer, offset", LockstepDivergence, "grid",
                  remedy="Let every tile write its own bytes alone."),
    ExecutionRule("tile-order", "In lock-step, no tile reads a byte that another one writes, before or after.",
                  "tiles, buffer, offset", LockstepDivergence, "grid",
                  remedy="Give every tile an input that no other tile writes."),
)

_BY_NAME = {rule.name: rule for rule in RULES}


def get_rule(name: str) -> ExecutionRule:
    """Return the rule of that name; BadArgument lists those there are."""
    if name not in _BY_NAME:
        raise BadArgument(f"unknown rule {name!r}: use {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def violation(name: str, text: str) -> MachineError:
    """Return the error that says a rule is broken, to be raised; ``text`` says how, in the reader's words."""
    error = _BY_NAME[name].error(text)
    error.rule = name
    return error


def rules_table() -> str:
    """All rules as text, for `neonsim check rules`."""
    rows = []
    for rule in RULES:
        rows += [f"{rule.name:20s}{rule.sentence}",
                 f"{'':20s}{rule.error.__name__}, {_WHEN[rule.condition]}; the report names: {rule.reports}"]
    return "\n".join(rows)


_WHEN = {"always": "always", "sanitizer": "with the sanitizer", "grid": "on a grid"}
