"""The source reading as C: what the tests of the words checked in Python, compiled by the host compiler and run.

Runs behind `test_words`, whose cases it takes; alone it has none.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lane_readings import C_CASES

from neonsim.arm.semantics import CWriter
from neonsim.arm.semantics.codegen.to_c import c_scalar


def bytes_of(values: list[int], bits: int) -> str:
    data = b"".join((v % (1 << bits)).to_bytes(bits // 8, "little") for v in values)
    return ", ".join(map(str, data))


def case(number: int, helpers: dict[str, str], results: Any, inputs: Any, values: Any, expected: Any) -> str:
    """One function: inputs from bytes, results compared with bytes; returns whether they agree."""
    writer = CWriter(helpers)
    head = []
    for i, ((type_, count), lanes) in enumerate(zip(inputs, values, strict=True)):
        head.append(f"static const uint8_t b{i}[] = {{{bytes_of(lanes, type_.bits)}}};")
        if count > 1:
            whole = writer.vectorable(type_.bits, count)
            kind = writer.vector_type(type_.bits, count) if whole else c_scalar(type_.bits)
            head.append(f"{kind} p{i}{'' if whole else f'[{count}]'}; memcpy(&p{i}, b{i}, sizeof b{i});")
        else:
            head.append(f"{c_scalar(type_.bits)} p{i}; memcpy(&p{i}, b{i}, sizeof b{i});")
    tail = []
    for k, (result, want) in enumerate(zip(results, expected, strict=True)):
        node, one = result.node, c_scalar(result.type.bits)
        vector = writer.vectorable(node.type.bits, node.count) and node.op != "name"
        lanes = writer.vector(node) if vector else ", ".join(writer.scalar(node, i) for i in range(node.count))
        kind = writer.vector_type(node.type.bits, node.count) if vector else ""
        tail.append(f"static const uint8_t w{k}[] = {{{bytes_of(want, result.type.bits)}}};")
        tail.append(f"const {kind} r{k} = {lanes};" if vector else f"const {one} r{k}[] = {{{lanes}}};")
        tail.append(f"if (sizeof r{k} != sizeof w{k} || memcmp(&r{k}, w{k}, sizeof w{k})) return 0;")
    return f"static int case{number}(void) {{\n" + "\n".join([*head, *writer.lines, *tail, "return 1;"]) + "\n}\n"


@pytest.mark.parametrize("count", [60, pytest.param(5, marks=pytest.mark.nightly)])
def test_generated_c(count: int, tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler: install gcc or clang to check the generated C")
    if not C_CASES:
        pytest.skip("runs behind tests/arm/semantics/test_vocabulary.py, whose cases it compiles")
    helpers: dict[str, str] = {}
    chosen = C_CASES[::count]
    bodies = [case(i, helpers, *c) for i, c in enumerate(chosen)]
    calls = "\n".join(f'if (!case{i}()) {{ printf("{i}\\n"); }}' for i in range(len(bodies)))
    text = ("#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n" + "\n".join(helpers.values()) + "\n"
            + "".join(bodies) + f"int main(void) {{\n{calls}\nreturn 0;\n}}\n")
    (tmp_path / "words.c").write_text(text)
    binary = str(tmp_path / "words")
    # What an optimiser could make of undefined behaviour, the sanitizer reports; without it this takes half the time.
    subprocess.run([compiler, "-O0", "-w", "-Wno-psabi", "-fsanitize=undefined", "-fno-sanitize-recover=all",
                    "-o", binary, str(tmp_path / "words.c")], check=True)
    found = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split()
    assert not found, "\n".join(f"{chosen[int(i)]!r}\n{bodies[int(i)]}" for i in found[:3])
