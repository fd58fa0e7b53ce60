"""The program that measures: C and assembly, written into a folder, built on the board by `make`.

    board.h board.c measure.c    the same for everybody: clocks, samples, the file
    limits.h                     when samples are not believed, from `results`
    probes.S                     the micro-tests, and what walks through memory
    table.c                      the rows, and the operands of the kernels with the bytes that must come out
    kernels/, include/           the kernels, as they are in the catalogue
    Makefile README              how to build it, and what to do then

Nothing of it is run here. It builds with gcc or clang on Linux (AArch64, AArch32) and macOS (AArch64).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

from neonsim.common.fileio import make_folder, write_file
from neonsim.common.limits import MAX_SAMPLES
from neonsim.errors import BadArgument
from neonsim.ukernel import Case, Kernel, kernels_folder
from neonsim.ukernel.case import At

from .kernel_probes import calls_of, case_of
from .memory_probes import SIZES, STREAMS
from .probes import Probe
from .results import COARSE, DRIFT, FEWEST, MOVED, NOISE, NOISY, VERSION

__all__ = ["write_program"]

GUARD = 64          # bytes on both sides of an operand: a kernel may read a few before a row
STREAM_BYTES = 64 << 20
ADDS = 256          # additions a turn of the chain that time is turned into cycles by: what counts its turns is little
_INCLUDE = re.compile(r'^[ \t]*#include[ \t]+"([\w./-]+)"', re.M)

_START = {"aarch64": """    mov x2, x1
    str x1, [x1]
    mov x3, #0
""" + "".join(f"    fmov v{n}.4s, #1.0\n" for n in (*range(8), *range(16, 32))),
          "aarch32": """    push {r4-r10, lr}
    mov r1, r2
    str r1, [r1]
    mov r3, #0
""" + "".join(f"    vmov.f32 q{n}, #1.0\n" for n in (*range(4), *range(8, 16)))}
_TURN = {"aarch64": "    subs x0, x0, #1\n    b.ne 1b\n    ret\n",
         "aarch32": "    subs r0, r0, #1\n    bne 1b\n    pop {r4-r10, pc}\n"}
_MEMORY = {
    "aarch64": {"add_chain": ["add x1, x1, x1"] * ADDS, "chase": ["ldr x1, [x1]"] * 8,
                "read": ["ldp q0, q1, [x1], #32"] * 2, "fill": ["stp q0, q1, [x1], #32"] * 2,
                "copy": ["ldp q0, q1, [x2], #32", "stp q0, q1, [x1], #32"] * 2},
    "aarch32": {"add_chain": ["add r1, r1, r1"] * ADDS, "chase": ["ldr r2, [r2]"] * 8,
                "read": ["vld1.8 {d0-d3}, [r2]!"] * 2, "fill": ["vst1.8 {d0-d3}, [r2]!"] * 2,
                "copy": ["vld1.8 {d0-d3}, [r3]!", "vst1.8 {d0-d3}, [r2]!"] * 2},
}
_END = {"aarch64": _TURN["aarch64"], "aarch32": "    subs r0, r0, #1\n    bne 1b\n    bx lr\n"}
_HEAD = """#if defined(__APPLE__)
#define NAME(x) _##x
#else
#define NAME(x) x
    .section .note.GNU-stack, "", %progbits
#endif
    .text
"""
_MODE = {"aarch64": "", "aarch32": "    .syntax unified\n    .arch armv7-a\n    .fpu neon\n    .arm\n"}


def write_program(folder: str | Path, tests: Sequence[Probe], *, isa: str = "aarch64", kernels: bool = True,
                  memory: bool = True) -> list[Path]:
    """Write the program for these micro-tests; -> the files.

    kernels, memory   with the kernels of the catalogue, with chains and streams through memory

    Raises BadArgument if there is nothing to measure, or the folder cannot be written.
    """
    if not tests and not kernels and not memory:
        raise BadArgument("There is nothing to measure: no micro-test, no kernel and no memory test is selected.")
    place = make_folder(folder)
    calls = calls_of(isa) if kernels else {}
    texts = {f"{name}": (files(__package__) / "c" / name).read_text(encoding="utf-8")
             for name in ("board.h", "board.c", "measure.c")}
    texts["limits.h"] = _limits()
    texts["probes.S"] = _probes(tests, isa)
    texts["table.c"] = _table(tests, calls, isa, memory)
    texts |= _kernel_files({one.name: one for one, _ in calls.values()}.values(), isa)
    texts["Makefile"] = _makefile([name for name in texts if name.startswith("kernels/")], isa)
    texts["README"] = _readme(len(tests), len(calls), isa)
    for name in texts:
        if "/" in name:
            make_folder(place / Path(name).parent)
    return [write_file(place / name, text) for name, text in texts.items()]


def _limits() -> str:
    return "".join(f"#define NEONSIM_{name} {value}\n" for name, value in
                   (("VERSION", VERSION), ("MAX_SAMPLES", MAX_SAMPLES), ("FEWEST", FEWEST), ("DRIFT", DRIFT),
                    ("NOISE", NOISE), ("NOISY", NOISY), ("MOVED", MOVED), ("COARSE", COARSE), ("ADDS", ADDS)))


def _plain(features: Iterable[str], text: str) -> str:
    """Left out by `make PLAIN=1` if it needs more than every core has."""
    return f"#if !defined(NEONSIM_PLAIN)\n{text}#endif\n" if set(features) - {"neon", ""} else text


def _function(name: str, isa: str, text: str) -> str:
    kind = f"    .type {name}, %function\n" if isa == "aarch32" else ""
    return f"    .p2align 4\n    .globl NAME({name})\n{kind}NAME({name}):\n{text}\n"


def _probes(tests: Sequence[Probe], isa: str) -> str:
    parts = [_HEAD, _MODE[isa]]
    for name, lines in _MEMORY[isa].items():
        body = "".join(f"    {line}\n" for line in lines)
        parts.append(_function(f"neonsim_{name}", isa, f"1:\n{body}{_END[isa]}"))
    for number, probe in enumerate(tests):
        body = "".join(f"    {line}\n" for line in probe.lines)
        text = f"/* {probe.name} */\n" + _function(f"neonsim_probe_{number}", isa,
                                                   f"{_START[isa]}    .p2align 5\n1:\n{body}{_TURN[isa]}")
        parts.append(_plain(probe.features, text))
    return "".join(parts)


def _table(tests: Sequence[Probe], calls: dict[str, tuple[Kernel, int]], isa: str, memory: bool) -> str:
    parts = ['/* Made by `neonsim measure`. */\n#include "board.h"\n\n#include <string.h>\n\n']
    rows = []
    for number, probe in enumerate(tests):
        name = f"neonsim_probe_{number}"
        parts.append(_plain(probe.features, f"void {name}(uint64_t turns, void* scratch);\n"))
        rows.append(_plain(probe.features, f'    {{ "{probe.name}", NEONSIM_TURN, {name}, 0, 1, NULL }},\n'))
    for number, (row, (kernel, depth)) in enumerate(calls.items()):
        parts.append(_plain([kernel.feature], _call(number, kernel, case_of(kernel.name, depth))))
        rows.append(_plain([kernel.feature],
                           f'    {{ "{row}", NEONSIM_CALL, call_{number}, 0, 1, check_{number} }},\n'))
    if memory:
        rows += [f'    {{ "load {size}", NEONSIM_LOAD, NULL, {size}, 8, NULL }},\n' for size in SIZES]
        rows += [f'    {{ "{name}", NEONSIM_BYTE, NULL, {STREAM_BYTES}, 64, NULL }},\n' for name in STREAMS]
    parts.append("\nconst struct neonsim_row neonsim_rows[] = {\n" + "".join(rows) + "};\n"
                 "const size_t neonsim_row_count = sizeof neonsim_rows / sizeof *neonsim_rows;\n")
    return "".join(parts)


def _bytes(data: Iterable[int]) -> str:
    numbers = list(data)
    return ",\n    ".join(", ".join(map(str, numbers[k:k + 24])) for k in range(0, len(numbers), 24))


def _call(number: int, kernel: Kernel, case: Case) -> str:
    """A kernel's operands, a function that calls it n times, one that looks at every byte it wrote."""
    lines, types, given, checks = [], [], [], []
    for name, region in case.memory.items():
        if region.role == "table":
            raise BadArgument(f"{kernel.name} takes pointers to rows, and calls of such kernels are not measured.")
        size = region.data.size
        lines.append(f"static unsigned char call_{number}_{name}[{size + 2 * GUARD}]\n"
                     f"    __attribute__((aligned(64))) = {{\n"
                     f"    [{GUARD}] = {_bytes(region.data.tolist())}\n}};\n")
        if region.role == "out":
            wanted = case.expected[name].tolist()
            lines.append(f"static const unsigned char call_{number}_{name}_wanted[] = {{\n    {_bytes(wanted)}\n}};\n")
            checks.append(f"memcmp(call_{number}_{name} + {GUARD}, call_{number}_{name}_wanted, {size})")
    for argument in case.contract.arguments:
        value = case.values[argument.name]
        if isinstance(value, At):
            types.append("void*")
            given.append(f"call_{number}_{value.region} + {GUARD + value.offset}")
        else:
            types.append("int32_t" if argument.kind == "int32" else "size_t")
            given.append(str(value))
    lines.append(f"void {kernel.name}({', '.join(types)});\n"
                 f"static void call_{number}(uint64_t turns, void* scratch)\n{{\n    (void)scratch;\n"
                 f"    for (; turns; turns--)\n        {kernel.name}({', '.join(given)});\n}}\n"
                 f"static int check_{number}(void)\n{{\n    return {' || '.join(checks) or '0'};\n}}\n")
    return "".join(lines)


def _kernel_files(chosen: Iterable[Kernel], isa: str) -> dict[str, str]:
    """The kernels as they are, under their assembler's dialect, and what they include."""
    folder, found, needed = kernels_folder(), {}, set()
    for kernel in chosen:
        head = _HEAD.replace("#define NAME(x) _##x", f"#define {kernel.name} _{kernel.name}") \
            .replace("#define NAME(x) x\n", f"    .type {kernel.name}, %function\n")
        mode = "    .syntax unified\n    .arm\n    .fpu neon\n" if isa == "aarch32" else ""
        found[f"kernels/{kernel.name}.S"] = _plain([kernel.feature], f"{head}{mode}    .p2align 4\n{kernel.source}\n")
        needed |= set(_INCLUDE.findall(kernel.source))
    done: set[str] = set()
    while needed - done:
        name = sorted(needed - done)[0]
        done.add(name)
        text = (folder / name).read_text(encoding="utf-8")
        found[name] = text
        # Headers name each other from the kernels' folder, as kernels do.
        needed |= set(_INCLUDE.findall(text))
    return found


def _makefile(kernels: Sequence[str], isa: str) -> str:
    objects = " ".join(["measure.o", "board.o", "table.o", "probes.o", *(f"{Path(name).with_suffix('.o')}"
                                                                        for name in kernels)])
    flags = " -marm -mfpu=neon" if isa == "aarch32" else ""
    # As options: assemblers of some years ago do not know the directives for these.
    more = "" if isa == "aarch32" else "$(if $(PLAIN),,-march=armv8.2-a+dotprod+i8mm)"
    return f"""# make, then ./measure; make PLAIN=1 for an assembler that does not know dot products
CC ?= cc
CFLAGS ?= -O2 -Wall -Wextra
FLAGS = -std=gnu11 -I.{flags} $(if $(PLAIN),-DNEONSIM_PLAIN)
OBJECTS = {objects}

measure: $(OBJECTS)
\t$(CC) $(CFLAGS) $(FLAGS) $(LDFLAGS) -o $@ $(OBJECTS)

%.o: %.c board.h limits.h
\t$(CC) $(CFLAGS) $(FLAGS) -c -o $@ $<

%.o: %.S
\t$(CC) $(FLAGS) {more} -c -o $@ $<

clean:
\trm -f measure $(OBJECTS)

.PHONY: clean
"""


def _readme(tests: int, calls: int, isa: str) -> str:
    return f"""Measures {tests} micro-tests and {calls} calls of kernels on an Arm board ({isa}), and its memory.

    make                          with gcc or clang, on the board
    ./measure --cpu 2             processor 2 (big and little cores differ); writes measured.json
    ./measure --quick --only smlal

Then, where neonsim is:

    neonsim cores derive measured.json --name my-board -o my-board.toml
    neonsim time KERNEL --core my-board.toml

It opens no connection, reads /proc and /sys only, and writes the one file. Cycles come from perf events, else from
PMCCNTR, else from time, calibrated by a chain of additions. Set the governor to performance and stop what else runs.
"""
