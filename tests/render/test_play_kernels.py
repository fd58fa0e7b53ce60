"""Kernels in the playground: the page's engine takes the steps that the machine takes and leaves its bytes, and the
cost models without numpy give the same cycles. Each by its contract's smallest case.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from docs.website.play.examples import INCLUDE, kernel_example
from neonsim.arm.machine import Trace
from neonsim.arm.machine.memory.arguments import is_place
from neonsim.render.play import open_text, soft_words
from neonsim.render.play.start import NO_ARGUMENT
from neonsim.render.stepper.bundle import join_modules

from .play_digests import prices

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
CORES = ("cortex-a53", "cortex-a76")
SAMPLE = "qs8_vadd_16x__aarch32_neon", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
Run = tuple[Any, dict[str, Any]]    # what was opened, what Node made of it


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("node") is None:
        pytest.skip("needs Node.js: on Debian and Ubuntu, apt-get install nodejs npm")
    path = tmp_path_factory.mktemp("live") / "playsoft.mjs"
    path.write_text(f"{join_modules('playsoft.js')}\nexport {{ Replay, softRun }};\n", "utf-8")
    return path


def runs(examples: list[dict[str, Any]], module: Path) -> Iterator[Run]:
    """Every example as the page runs it."""
    with subprocess.Popen(["node", str(HERE / "live.mjs"), str(module)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as node:
        assert node.stdin is not None and node.stdout is not None
        for one in examples:
            opened = open_text(one["text"], one["isa"], one["words"], include=INCLUDE)
            compute = soft_words(json.dumps(opened.header["live"]["words"]))
            columns = {name: base64.b64encode(data).decode("ascii") for name, data in opened.columns.items()}
            say(node.stdin, json.dumps({"header": opened.header, "columns": columns, "script": opened.script}))
            while not (asked := node.stdout.readline()).startswith("= "):
                assert asked, one["name"]
                say(node.stdin, str(compute(*map(int, asked.split()))))
            yield opened, json.loads(asked[2:])
        node.stdin.close()


def say(stream: Any, line: str) -> None:
    stream.write(f"{line}\n")
    stream.flush()


def called(one: dict[str, Any]) -> tuple[ns.Machine, Trace]:
    """The example as the machine does it."""
    machine, given = ns.Machine(one["isa"]), {}
    for number, word in sorted(enumerate(one["words"]), key=lambda word: is_place(word[1])):
        value = machine.memory.declare(word.removeprefix(NO_ARGUMENT), f"arg{number}")
        if not word.startswith(NO_ARGUMENT):
            given[number] = value
    program = ns.assemble(one["text"], isa=one["isa"], include=INCLUDE)
    trace = machine.call(program, *(given[number] for number in sorted(given)), trace=True).trace
    assert trace is not None
    return machine, trace


def accesses_of(opened: Any, columns: dict[str, list[int]]) -> list[list[tuple[int, int, int]]]:
    """As recordOf of playcall.js has them."""
    found, at = [], 0
    buffers = opened.header["buffers"]
    for count in columns["access_count"]:
        found.append([(buffers[columns["access_buffer"][k]]["address"] + columns["access_offset"][k],
                       columns["access_bytes"][k], columns["access_store"][k]) for k in range(at, at + count)])
        at += count
    return found


def compared(kernels: list[Any], module: Path, cores: tuple[str, ...], without_numpy: bool) -> int:
    """Compare them; how many there are whose calls words can say."""
    examples = [one for one in map(kernel_example, kernels) if one is not None]
    asked, judged = [], []
    for one, (opened, found) in zip(examples, runs(examples, module), strict=True):
        machine, trace = called(one)
        columns = found["columns"]
        assert (found["problem"], columns["pc"]) == ("", trace.pc.tolist()), one["name"]
        assert columns["executed"] == trace.executed.tolist(), one["name"]
        left = trace.state(trace.steps)
        assert base64.b64decode(found["registers"]) == b"".join(left[name] for name in trace.locations), one["name"]
        memory, at = base64.b64decode(found["memory"]), 0
        for buffer in opened.header["buffers"]:
            data = memory[at:at + buffer["nbytes"]]
            assert machine.memory.fetch(buffer["name"]).tobytes().endswith(data), (one["name"], buffer["name"])
            at += buffer["nbytes"]
        asked.append({"text": one["text"], "isa": one["isa"], "words": one["words"], "cores": cores,
                      "record": {"pc": columns["pc"], "executed": columns["executed"], "buffers":
                                 opened.header["buffers"], "accesses": accesses_of(opened, columns)}})
        judged.append([cycles(trace, core) for core in cores])
    for one, mine, theirs in zip(examples, judged, priced(asked, without_numpy), strict=True):
        assert mine == theirs, one["name"]
    return len(examples)


def priced(asked: list[dict[str, Any]], without_numpy: bool) -> list[list[int | None]]:
    """Cycles of each record, by another process if that has to be without numpy."""
    if not without_numpy:
        return prices(asked)
    done = subprocess.run([sys.executable, "-m", "tests.render.play_digests", "--price"], cwd=ROOT, text=True,
                          input=json.dumps(asked), capture_output=True, check=False)
    assert not done.returncode, done.stderr[-2000:]
    found: list[list[int | None]] = json.loads(done.stdout)
    return found


def cycles(trace: Trace, core: str) -> int | None:
    """None where the core cannot run it."""
    try:
        return ns.time(trace, core=core).cycles
    except ns.TimingError:
        return None


def test_one_kernel(module: Path) -> None:
    assert compared([ns.kernel(SAMPLE[0])], module, CORES[:1], without_numpy=False) == 1


@pytest.mark.slow
def test_some_kernels(module: Path) -> None:
    assert compared(list(map(ns.kernel, SAMPLE)), module, CORES, without_numpy=True) == len(SAMPLE)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
def test_every_kernel(module: Path, part: int) -> None:
    kernels = list(ns.kernels())[part::4]
    assert compared(kernels, module, CORES, without_numpy=True) == len(kernels)
