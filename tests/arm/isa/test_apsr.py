"""MRS and MSR of AArch32's flags: bits 31 to 28, 27 and 19 to 16, and the mode of user programs."""

from __future__ import annotations

import pytest

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError

ALL = 0xF80F0000
USER = 0x10     # the mode, as QEMU's user programs read it


@pytest.mark.parametrize("value", [0, 0xFFFFFFFF, 0x80050000, 0x58000000, 0x0800FFFF, 0x000A0000])
@pytest.mark.parametrize(("name", "mask"), [
    ("apsr_nzcvq", 0xF8000000), ("cpsr_f", 0xF8000000), ("apsr_g", 0x000F0000), ("cpsr_s", 0x000F0000),
    ("APSR_nzcvqg", ALL), ("cpsr_fs", ALL)])
def test_there_and_back(name: str, mask: int, value: int) -> None:
    """What is not named stays: it was set, or cleared, before."""
    for before in (0, ALL):
        program = assemble(f"msr apsr_nzcvqg, r1\nmsr {name}, r0\nmrs r0, apsr\nbx lr", "aarch32")
        returned = ns.Machine("aarch32").call(program, value, before).returned
        assert returned == value & mask | before & ~mask & ALL | USER
        assert assemble(str(program), "aarch32") == program


def test_flags_are_those_of_other_instructions() -> None:
    text = ("mov r1, #0\nmsr apsr_nzcvqg, r1\nmvn r1, #0\nqadd r2, r0, r0\nuadd8 r3, r1, r1\nadds r1, r1, r1\n"
            "mrs r0, cpsr\nbx lr")
    # Q: the doubled sum did not fit; GE: every byte carried; N and C of 0xfffffffe.
    assert ns.Machine("aarch32").call(assemble(text, "aarch32"), 0x7FFFFFFF).returned == 0xA80F0000 | USER
    assert ns.Machine("aarch32").call(assemble("msr cpsr_f, r0\nmoveq r0, #1\nbx lr", "aarch32"), 1 << 30).returned == 1


@pytest.mark.parametrize("line", ["mrs r0, spsr", "msr cpsr_c, r0", "msr cpsr, r0", "msr spsr_f, r0"])
def test_what_is_an_operating_systems(line: str) -> None:
    with pytest.raises(AssemblyError, match="is a system instruction"):
        assemble(line, "aarch32")
