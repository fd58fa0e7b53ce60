"""Rows of `neonsim bench emulator`: a text assembled, beside GNU as on the same file, and a program bound."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from neonsim.arm.asm import Program, assemble
from neonsim.arm.machine import Machine
from neonsim.common.fileio import write_file

from .measurement import BenchMeasurement, best_of

__all__ = ["assembler_rows"]

_GNU: Final = {"aarch64": ("aarch64-linux-gnu-as",), "aarch32": ("arm-linux-gnueabihf-as", "-mfpu=neon")}
# Twenty lines of an unrolled product, registers and lanes of a tile of 8 x 8; what is in braces changes from one time
# to the next.
_PASS: Final = {
    "aarch64": """
loop{i}:
        ld1     {{v{a}.8b}}, [x{p}], #8         // a row of A
        ldr     q{b}, [x5, #{far}]
        uxtl    v{a}.8h, v{a}.8b
        usubl   v{b}.8h, v{b}.8b, v7.8b
        smlal   v{c}.4s, v{b}.4h, v{a}.h[{lane}]
        smlal2  v{d}.4s, v{b}.8h, v{a}.h[{lane}]
        smlal   v{e}.4s, v{b}.4h, v{a}.h[{other}]
        smlal2  v{f}.4s, v{b}.8h, v{a}.h[{other}]
        prfm    pldl1keep, [x5, #{far}]
        ldp     q{b}, q{a}, [x{p}, #{far}]
        sqrdmulh v{c}.4s, v{c}.4s, v{b}.4s
        srshl   v{d}.4s, v{d}.4s, v{a}.4s
        add     x{p}, x{p}, #{far}
        fmla    v{e}.4s, v{b}.4s, v{a}.s[{quarter}]
        fmla    v{f}.4s, v{b}.4s, v{a}.4s
        str     q{c}, [x6, #{far}]
        subs    x3, x3, #1
        b.ne    loop{i}
""",
    "aarch32": """
loop{i}:
        vld1.8  {{d{a}}}, [r{p}]!               @ a row of A
        vldr    d{b}, [r5, #{far}]
        vmovl.u8 q{c}, d{a}
        vsubl.u8 q{d}, d{b}, d{a}
        vmlal.s16 q{c}, d{b}, d{a}[{quarter}]
        vmlal.s16 q{d}, d{b}, d{a}[{quarter}]
        vmlal.s16 q{e}, d{b}, d{a}[{quarter}]
        vmlal.s16 q{f}, d{b}, d{a}[{quarter}]
        pld     [r5, #{far}]
        ldr     r{p}, [r5, #{far}]
        vqrdmulh.s32 q{c}, q{c}, q{d}
        vrshl.s32 q{d}, q{d}, q{e}
        add     r{p}, r{p}, #{far}
        vmla.f32 q{e}, q{d}, d{a}[0]
        vmla.f32 q{f}, q{d}, q{c}
        vst1.32 {{d{b}}}, [r6]!
        subs    r3, r3, #1
        bne     loop{i}
"""}
_MACRO: Final = {
    "aarch64": """
.macro  STEP acc, a, b, lane, far
        ldr     q\\b, [x5, #\\far]
        uxtl    v\\b\\().8h, v\\b\\().8b
        smlal   v\\acc\\().4s, v\\b\\().4h, v\\a\\().h[\\lane]
        add     x6, x6, #\\far
.endm
""",
    "aarch32": """
.macro  STEP acc, a, b, lane, far
        vldr    d\\b, [r5, #\\far]
        vmovl.u8 q15, d\\b
        vmlal.s16 q\\acc, d\\b, d\\a[\\lane]
        add     r6, r6, #\\far
.endm
"""}
_DATA: Final = {
    "aarch64": "f: adrp x1, table\nadd x1, x1, :lo12:table\n{body}ret\n.data\ntable: .word 7, 8, 9, 10\n",
    "aarch32": "f: ldr r1, =table\n{body}bx lr\n.data\ntable: .word 7, 8, 9, 10\n"}


def _words(seed: int) -> Callable[[], dict[str, int]]:
    chance = random.Random(seed)

    def words() -> dict[str, int]:
        return {"a": chance.randrange(4), "b": chance.randrange(4, 7), "p": chance.randrange(7, 11),
                "c": chance.randrange(8, 10), "d": chance.randrange(10, 12), "e": chance.randrange(12, 14),
                "f": chance.randrange(14, 16), "lane": chance.randrange(8), "other": chance.randrange(8),
                "quarter": chance.randrange(4), "far": 16 * chance.randrange(16)}
    return words


def _plain(isa: str, lines: int, seed: int) -> str:
    """n lines, comments among them none that stand alone."""
    words, text = _words(seed), _PASS[isa].strip("\n") + "\n"
    return "".join(text.format(i=i, **words()) for i in range(-(-lines // text.count("\n"))))


def _calls(isa: str, count: int, seed: int) -> str:
    """n calls of a macro of four instructions."""
    words = _words(seed)
    return _MACRO[isa] + "".join("        STEP    {c}, {a}, {b}, {quarter}, {far}\n".format(**words())
                                 for _ in range(count))


def assembler_rows(quick: bool, missing: list[str]) -> list[BenchMeasurement]:
    """Assembling beside GNU as, each round a text of other registers; a program with data bound, beside one without."""
    rows = []
    for isa, command in _GNU.items():
        peer = None if (found := shutil.which(command[0])) is None else (found, *command[1:])
        if peer is None:
            missing.append(f"assembling {isa} beside GNU as: {command[0]} is not installed (Debian's "
                           f"binutils-{'aarch64-linux-gnu' if isa == 'aarch64' else 'arm-linux-gnueabihf'})")
        elif not hasattr(os, "wait4"):
            missing.append(f"assembling {isa} beside GNU as: this system does not say how long a program ran")
            peer = None
        for what, text_of, count in (("plain lines", _plain, 5000), ("calls of a macro of 4 lines", _calls, 2000)):
            ours: list[float] = []
            others: list[float | None] = []
            for seed in range(2 if quick else 5):
                text = text_of(isa, count, seed)
                ours.append(best_of(partial(assemble, text, isa), 1)[0])
                if peer is not None:
                    others.append(_gnu(peer, text, missing))
            row = BenchMeasurement(f"assemble {count} {what}, {isa}", min(ours), "s")
            if None not in others and others:
                theirs = min(filter(None, others))
                row.goal, row.peer, row.peer_value, row.ratio = 30 * theirs, "GNU as", theirs, min(ours) / theirs
            rows.append(row)
        rows.append(_binding(isa, quick))
    return rows


def _gnu(command: tuple[str, ...], text: str, missing: list[str]) -> float | None:
    """Seconds of processor time that GNU as takes for a text, the least of three."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.s"
        write_file(path, text)
        taken = []
        for _ in range(3):
            process = subprocess.Popen([*command, "-o", str(Path(folder) / "text.o"), str(path)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            assert process.stderr is not None
            said = process.stderr.read()
            process.stderr.close()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                missing.append(f"{command[0]} refused the text: {said.decode(errors='replace').strip()[:200]}")
                return None
            taken.append(used.ru_utime + used.ru_stime)
    return min(taken)


def _binding(isa: str, quick: bool) -> BenchMeasurement:
    """A first call on a machine of its own, of a program of 1000 lines: with a table that it reads, and without."""
    words = _words(0)
    text = _PASS[isa].strip("\n").partition("\n")[2].rpartition("\n")[0] + "\n"
    lines = "".join(text.format(i=i, **words()) for i in range(60))
    # Jumped over: what is measured is what comes before the first step.
    body = f"b past\n{lines}past:\n"
    programs = {"with": assemble(_DATA[isa].format(body=body), isa),
                "without": assemble(f"f: {body}{'ret' if isa == 'aarch64' else 'bx lr'}\n", isa)}

    def start(program: Program) -> float:
        begin = time.process_time()
        assert Machine(isa).call(program, trace=False, sanitize=False).steps > 0
        return time.process_time() - begin

    taken = dict.fromkeys(programs, float("inf"))
    for _ in range(5 if quick else 40):
        for name, program in programs.items():
            taken[name] = min(taken[name], start(program))
    ours, other = (1e6 * taken[name] for name in programs)
    return BenchMeasurement(f"a new machine's first call, 1000 lines and data, {isa}", ours, "us", 1.2 * other,
                            "no data", other, ours / other)
