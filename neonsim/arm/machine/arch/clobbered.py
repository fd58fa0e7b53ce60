"""What a call leaves in registers that the procedure call standard lets a callee change: nothing to rely on.

The values stay what they are, so that every engine has the same; the sanitizer counts them as junk from the return on.
That holds for functions of other files and for those that are built in, which another library may have otherwise. A
compiler may know what functions of the same file change (GCC's -fipa-ra), so these are left out unless asked for.

| after a call of                     | AArch64 keeps                        | AArch32 keeps                 |
|-------------------------------------|--------------------------------------|-------------------------------|
| any                                 | x19-x30, sp, lower halves of v8-v15  | r4-r11, sp, lr, d8-d15        |
| as results: of another file         | x0, x1, v0-v3                        | r0-r3, q0-q3                  |
| as results: of a built-in function  | x0, x1, v0, v1                       | r0, r1 (r3: ldivmod), q0      |

Source: AAPCS64 6.1 and 6.9, AAPCS32 5.1 and 6.1.2; RTABI 4.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from neonsim.arm.asm import Program

from .registers import Slots

__all__ = ["clobbered_by"]


def clobbered_by(program: Program, slots: Slots, site: int, back: int,
                 strict: bool = False) -> Iterator[tuple[int, int]]:
    """(slot, first byte that is lost) of the registers that a call may have changed; none for a call inside a file.

    site     the instruction that called          back   the one that returns
    strict   functions of the same file count too, but for compiled C
    """
    outside = program.file_of(site) != program.file_of(back)
    if program.file_of(site) < 0 or not (outside or (strict and not program.origins)):
        return
    built_in = program.file_of(back) < 0
    if slots.isa == "aarch64":
        vectors = [*range(2 if built_in else 4, 8), *range(16, 32)]
        core = [*range(2, 19)]
        yield from ((n, 8) for n in range(8, 16))
    else:
        function = program.instructions[back].position.function if built_in else ""
        vectors = [*range(1 if built_in else 4, 4), *range(8, 16)]
        core = [*([2, 3] if built_in and not function.endswith("ldivmod") else []), 12]
    yield from ((n, 0) for n in vectors)
    yield from ((slots.vectors + n, 0) for n in core)
    yield from ((slots.index[name], 0) for name in ("nzcv", "fpnzcv", "ge") if name in slots.index)
