"""Unicorn as a second judge: the recorded lines on the recorded states, but for what it has not or has wrong."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import oracle
import pytest
import recordings
from states import ADDRESS

unicorn = pytest.importorskip("unicorn", reason="the second judge is not installed: pip install unicorn")

pytestmark = pytest.mark.nightly

CODE = 0x400000
# Lines that Unicorn 2.1 cannot run, or runs with another result than QEMU 7.2 and the manual: (pattern, why)
KNOWN = {
    "aarch64": [
        (r"^(us|su)dot|^(s|u|us)mmla", "no matrix multiplies (i8mm)"),
        (r"^bf", "no bfloat16"),
    ],
    "aarch32": [
        (r"^v(us|su)dot|^v(s|u|us)mmla", "no matrix multiplies (i8mm)"),
        (r"bf16", "no bfloat16"),
        (r"^(yield|wfe)", "a hint to wait ends its run"),
    ],
}


class Judge:
    """One Unicorn machine."""

    def __init__(self, isa: str) -> None:
        names: Any  # one of two modules
        from unicorn import UC_ARCH_ARM, UC_ARCH_ARM64, UC_MODE_ARM, Uc, arm64_const, arm_const

        self.isa = isa
        if isa == "aarch64":
            self.uc, names = Uc(UC_ARCH_ARM64, UC_MODE_ARM), arm64_const
            self.uc.ctl_set_cpu_model(names.UC_CPU_ARM64_MAX)
            prefix, vectors, general = "UC_ARM64_REG_", [f"Q{i}" for i in range(32)], [f"X{i}" for i in range(31)]
            self.sp, flags = names.UC_ARM64_REG_SP, ("NZCV", "FPSR")
        else:
            self.uc, names = Uc(UC_ARCH_ARM, UC_MODE_ARM), arm_const
            self.uc.ctl_set_cpu_model(names.UC_CPU_ARM_MAX)
            self.uc.reg_write(names.UC_ARM_REG_C1_C0_2, self.uc.reg_read(names.UC_ARM_REG_C1_C0_2) | 0xF << 20)
            self.uc.reg_write(names.UC_ARM_REG_FPEXC, 1 << 30)
            prefix, vectors, general = "UC_ARM_REG_", [f"Q{i}" for i in range(16)], [f"R{i}" for i in range(15)]
            self.sp, flags = None, ("CPSR", "FPSCR")
        self.uc.mem_map(CODE, 0x1000)
        self.uc.mem_map(ADDRESS & ~0xFFF, 0x2000)
        self.vectors = [getattr(names, prefix + name) for name in vectors]
        self.general = [getattr(names, prefix + name) for name in general]
        self.nzcv, self.fpsr = (getattr(names, prefix + name) for name in flags)

    def run(self, word: int, before: Any) -> Any:
        """The states after the word."""
        uc, after = self.uc, before.copy()
        uc.mem_write(CODE, word.to_bytes(4, "little"))
        uc.ctl_remove_cache(CODE, CODE + 4)
        for state in after:
            for register, value in zip(self.vectors, state["v"], strict=True):
                uc.reg_write(register, int.from_bytes(value.tobytes(), "little"))
            for register, value in zip(self.general, state["x"], strict=False):
                uc.reg_write(register, int(value))
            if self.sp is not None:
                uc.reg_write(self.sp, int(state["sp"]))
            cpsr = uc.reg_read(self.nzcv) & 0x1F if self.isa == "aarch32" else 0
            uc.reg_write(self.nzcv, int(state["nzcv"]) | cpsr)
            uc.reg_write(self.fpsr, int(state["fpsr"]))
            uc.mem_write(int(state["window"]), state["mem"].tobytes())
            uc.emu_start(CODE, 0, count=1)
            state["v"] = [np.frombuffer(uc.reg_read(r).to_bytes(16, "little"), np.uint8) for r in self.vectors]
            state["x"][:len(self.general)] = [uc.reg_read(r) for r in self.general]
            if self.sp is not None:
                state["sp"] = uc.reg_read(self.sp)
            state["nzcv"], state["fpsr"] = uc.reg_read(self.nzcv), uc.reg_read(self.fpsr)
            state["mem"] = np.frombuffer(uc.mem_read(int(state["window"]), len(state["mem"])), np.uint8)
        return after


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_unicorn_agrees(isa: str) -> None:
    if reason := oracle.missing(isa):
        pytest.skip(reason)
    recorded = list(recordings.replay(isa))
    words = oracle.assemble(isa, [one.line for one in recorded])
    judge = Judge(isa)
    wrong: list[str] = []
    excused: Counter[str] = Counter()
    agreed = 0
    for one, word in zip(recorded, words, strict=True):
        line, before, after = one.line, one.before, one.after
        assert word is not None
        try:
            same = recordings.canonical(isa, judge.run(word, before)).tobytes() == after.tobytes()
        except unicorn.UcError:
            same = False
        agreed += same
        if not same:
            why = next((why for pattern, why in KNOWN[isa] if re.search(pattern, line)), "")
            excused.update([why] if why else [])
            wrong += [] if why else [line]
    print(f"{isa}: Unicorn agrees on {agreed} of {len(recorded)} lines; known to differ: {dict(excused)}")
    assert not wrong, f"{len(wrong)} lines differ, among them {wrong[:40]}"
