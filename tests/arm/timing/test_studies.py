"""Studies: their figures, held against what is published where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.asm.program import Program
from neonsim.arm.timing import InstructionStream, load_core, simulate, time
from neonsim.arm.timing.stream import longest_loop
from neonsim.cli import main
from neonsim.cli.study import GEMM, PLAIN, STUDIES, SUMS, host_cache, host_sweep, host_walk
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import backend
from neonsim.studies.kernels import (
    DepthPoint,
    DualIssue,
    Geometry,
    Lines,
    Report,
    Side,
    anomaly,
    cliff,
    cliff_traces,
    dual_issue,
    kernel_traces,
    neon_rate,
    neon_rates,
    orders,
    qnnpack_switch,
    reorder,
    simple_rate,
    simple_rates,
)
from neonsim.ukernel import kernel as catalogue

OUT_OF_ORDER = ["cortex-a72", "cortex-a73", "cortex-a75", "cortex-a76"]


def kernel(name: str) -> Program:
    return catalogue(name).program()


def three_kernels() -> tuple[Program, Program, Program]:
    """The default kernel, the dual-issue one, its row sums."""
    default, dual, sums = (kernel(name) for name in (*list(GEMM.values())[:2], SUMS))
    return default, dual, sums


@pytest.fixture(scope="module")
def report() -> Report:
    traces = {depth: kernel_traces(*three_kernels(), depth) for depth in (8, 32, 128)}
    return dual_issue(traces, ["cortex-a53", "cortex-a55", *OUT_OF_ORDER])


@pytest.fixture(scope="module")
def study(report: Report) -> DualIssue:
    found: DualIssue = report.data
    return found


@pytest.mark.slow
def test_dual_issue_never_pays_on_in_order_cores(study: DualIssue) -> None:
    assert all(study.gain(core, depth) < 0.9 for core in ("cortex-a53", "cortex-a55") for depth in (8, 32, 128))
    assert study.crossover("cortex-a53") is None and study.break_even("cortex-a53") is None


@pytest.mark.nightly
def test_article_15_to_20_percent_on_a75(study: DualIssue) -> None:
    """For K > 64, row sums included; the loop alone can give at most 1.31."""
    assert 1.12 <= study.gain("cortex-a75", 128) <= 1.31


@pytest.mark.nightly
def test_order_of_the_crossovers(study: DualIssue) -> None:
    """A76 well before the others, then A75, A72, A73, in the order in which QNNPACK switches (16, 32, 64, 256)."""
    even = {core: study.break_even(core) for core in OUT_OF_ORDER}
    print({core: (even[core] and round(even[core], 1), qnnpack_switch()[core]) for core in even})
    assert all(value is not None for value in even.values())
    assert sorted(even, key=lambda core: even[core] or 0) == sorted(even, key=lambda core: qnnpack_switch()[core])
    assert even["cortex-a76"] < 0.6 * even["cortex-a75"]


@pytest.mark.nightly
def test_guesses_of_the_a75_move_the_crossover() -> None:
    traces = {depth: kernel_traces(*three_kernels(), depth) for depth in (8, 16, 32)}
    found = dual_issue(traces, ["cortex-a75", "cortex-a76"], doubted=["cortex-a75"])
    plain, moved = found.data.break_even("cortex-a75"), {guess.text: guess.even for guess in found.data.guesses}
    assert {guess.core for guess in found.data.guesses} == {"cortex-a75"} and len(moved) == 9
    # A second pipe that takes every Q-form operation helps dual issue; products that come later hinder it.
    assert plain and 10 < (moved["two Q-form operations a cycle, not three in two"] or 0) < plain
    assert (moved["products a cycle later"] or 0) > plain
    text = " ".join(str(found).split())
    assert "prices are guesses" in text and "NEON queues of 5 entries" in text


def test_gain_grows_with_depth_and_columns(study: DualIssue) -> None:
    for core in OUT_OF_ORDER:
        gains = [study.gain(core, depth) for depth in (8, 32, 128)]
        assert gains == sorted(gains)
    point = DepthPoint("x", 64, default=100, dual=80, reduction_cycles=30)
    assert point.gain(8) == pytest.approx(100 / 110) and point.gain(64) == pytest.approx(800 / 670)


def test_cores_of_one_instruction_set_are_left_out(tmp_path: Path) -> None:
    """A core without AArch32 is not in the study of AArch32 kernels, one without caches not in that of caches."""
    path = tmp_path / "only64.toml"
    text = Path(load_core("ideal-1").path).read_text(encoding="utf-8")
    path.write_text(text.replace('"aarch32", ', "").replace("ideal-1", "only64"), encoding="utf-8")
    names = ["cortex-a53", str(path)]
    found = dual_issue({8: kernel_traces(*three_kernels(), 8)}, names)
    assert found.data.cores == ["cortex-a53"]
    old = ", ".join(Path(program.path or "").name for program in three_kernels())
    assert found.skipped == (f"Left out: only64 runs aarch64, but {old} are aarch32.",)
    assert found.skipped[0] in " ".join(str(found).split()) and found.to_dict()["skipped"] == list(found.skipped)
    traces = cliff_traces(kernel("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"), 8, [64])
    walked = cliff(traces, names, depth=8)
    assert list(walked.data) == ["cortex-a53"] and "no [memory] in the core's file" in walked.skipped[0]
    loop = time(assemble(PLAIN, "aarch64"), core=path).stream
    assert orders([], [("x", loop)]).skipped == () and simple_rates([str(path)]).table[1][0][1:] == ["1.00"] * 2


def test_odd_depth_is_refused() -> None:
    program = kernel("qu8_sumrows_4x__aarch32_neon")
    with pytest.raises(BadArgument, match="got 12"):
        kernel_traces(program, program, program, 12)


@pytest.mark.parametrize(("core", "low", "high"), [("cortex-a53", 0.95, 1.0), ("cortex-a55", 0.95, 1.16),
                                                    ("cortex-a72", 1.0, 1.4), ("cortex-a76", 1.2, 1.5)])
def test_one_neon_instruction_a_cycle_in_order(core: str, low: float, high: float) -> None:
    program = kernel("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane")
    timing = time(program, core=core, entry=longest_loop(program))
    print(f"{core}: {neon_rate(timing):.2f} NEON instructions a cycle")
    assert low <= neon_rate(timing) <= high


@pytest.mark.parametrize(("core", "rate"), [("cortex-a53", (2.0, 1.0)), ("cortex-a72", (2.0, 1.5)),
                                             ("cortex-a57", (2.0, 2.0)), ("neoverse-n1", (2.0, 2.0))])
def test_three_in_two_cycles(core: str, rate: tuple[float, float]) -> None:
    assert simple_rate(core) == rate


def dependences(stream: InstructionStream) -> set[tuple[str, str]]:
    ops = [stream.ops[k] for k in stream.order[:stream.body]]
    found = set()
    for k, op in enumerate(ops):
        for before in ops[:k]:
            written, mine = {r for _, r in before.writes}, {r for _, r in op.writes}
            read, needed = {r for _, r in before.reads}, {r for _, r in op.reads}
            if written & (mine | needed) or mine & read:
                found.add((before.text, op.text))
    return found


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a55"])
def test_order_made_for_the_core_is_faster(core: str) -> None:
    plain = time(assemble(PLAIN, "aarch64"), core=core)
    better = time(reorder(plain.stream, core), core=core)
    print(f"{core}: plain {plain.cycles_per_iteration}, reordered {better.cycles_per_iteration} cycles an iteration")
    assert better.cycles_per_iteration < 0.85 * plain.cycles_per_iteration
    assert dependences(better.stream) == dependences(plain.stream)
    assert better.counts.classes == plain.counts.classes
    wide = [time(stream, core="neoverse-n1").cycles_per_iteration for stream in (plain.stream, better.stream)]
    assert wide[0] == pytest.approx(wide[1], rel=0.1)


def test_longer_latency_makes_it_faster() -> None:
    found = anomaly()
    assert "takes 3 cycles instead of 2, and the program 9 instead of 10" in str(found)
    assert simulate(found.data, load_core("cortex-a76")).cycles == 10


def test_notes_say_what_was_not_read(report: Report) -> None:
    text = " ".join(str(report).split())
    assert "no table of the NEON pipes" in text and "QNNPACK" in text and "K=128" in text
    assert report.to_dict()["table"][0]["core"] == "cortex-a53"
    figure = report.figure
    assert isinstance(figure, Lines) and len(figure.series) == 6 and ("cortex-a75", 32, "QNNPACK") in figure.marks


def test_rates_as_studies() -> None:
    program = kernel("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane")
    entry = longest_loop(program)
    found = neon_rates(("8x8", time(program, core=core, entry=entry)) for core in ("cortex-a53", "cortex-a72"))
    assert found.data["8x8", "cortex-a53"] == pytest.approx(0.98, abs=0.02)
    assert "0.98 (3.1)" in str(found)
    assert simple_rates(["cortex-a72"]).table[1] == [["cortex-a72", "2.00", "1.50"]]


def test_orders_beside_what_was_measured() -> None:
    found = orders(["cortex-a53"], [("plain", time(assemble(PLAIN, "aarch64")).stream)])
    rows = {(row[0], row[1]): row[2:] for row in found.data}
    plain, hand, scheduled, before, after = rows["12x8", "cortex-a53"]
    assert hand is not None and before is not None and after is not None
    assert plain == pytest.approx(before, rel=0.02) and hand == pytest.approx(after, rel=0.02) and scheduled < plain
    assert rows["plain", "cortex-a53"][1] is None and "measured by hand" in str(found)


@pytest.mark.nightly
def test_cliff_and_its_cure() -> None:
    """8 rows in 4 ways: at 8192 bytes they evict one another, 64 bytes of padding end it; in 16 ways they fit."""
    traces = cliff_traces(kernel("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"), 64, [64, 8192])
    seconds = {512: 1.0, 576: 1.0, 4096: 3.0, 4160: 1.5}
    found = cliff(traces, ["cortex-a53", "cortex-a75", "ideal-1"], depth=64,
                  measured={"here": (Side(16, False, True, Geometry(32768, 8)), seconds)})
    assert found.data["cortex-a53"][8192] > 1.05 and found.data["cortex-a53"][64] == 1.0
    assert found.data["cortex-a75"][8192] == 1.0 and found.data["here"][4096] == 2.0
    assert isinstance(found.figure, Lines) and found.figure.series[-1].measured
    assert "cortex-a53: 8 rows, 32 KB in 4 ways: 16, 8, 4" in str(found)
    with pytest.raises(BadArgument, match="multiple of 8"):
        cliff_traces(kernel("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"), 20, [64])


def test_lines_lost_by_the_rule() -> None:
    cache = Geometry(32768, 4)
    assert cache.misses(8, 512, 8192) > 400 > cache.misses(8, 512, 8192 + 64)
    assert cache.misses(4, 512, 8192, weights=False) == 0
    assert Geometry(32768, 8).misses(16, 512, 4096, weights=False) == 16 * 64        # every step of every row


def test_walk_on_this_machine() -> None:
    """Measured here; only that it runs and that its numbers are times: the machine is shared, its cache unknown."""
    seconds = host_walk(8, [512, 1024], rounds=2)
    assert set(seconds) == {512, 576, 1024, 1088} and all(s > 0 for s in seconds.values())
    cache = host_cache()
    assert cache is None or cache.size % (cache.ways * cache.line) == 0


def test_sweep_of_the_native_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    if backend.available() is None:
        seconds = host_sweep([512], rounds=2)
        assert set(seconds) == {512, 576} and all(s > 0 for s in seconds.values())
    with pytest.raises(BadArgument, match="at least the depth"):
        host_sweep([64])
    monkeypatch.setattr(backend, "available", lambda: "there is none.")
    with pytest.raises(BackendError, match="needs the native library: there is none"):
        host_sweep([512])


def test_command_lists_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in STUDIES)
    page, picture = tmp_path / "a.html", tmp_path / "a.svg"
    assert main(["study", "anomaly", "--html", str(page), "--svg", str(picture)]) == 0
    assert "modelled" in capsys.readouterr().out and page.stat().st_size > 2000
    assert picture.read_text().startswith("<svg")
    assert main(["study", "three-in-two", "--core", "cortex-a72", "--json"]) == 0
    assert '"cortex-a72"' in capsys.readouterr().out
