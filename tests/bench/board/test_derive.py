"""From a model to a simulated measurement and back: the numbers of the model are found again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.timing import load_core
from neonsim.arm.timing.cores.model import PriceRow
from neonsim.bench.board import core_text, derive, findings_report, modeled, result_of, simulated_board, some_probes
from neonsim.bench.board.derive_core import Derived
from neonsim.bench.board.probes import BESIDE, LATENCY, PAIR, QUEUE, SUM, THROUGHPUT, probe_named, probes
from neonsim.cli import main
from neonsim.errors import BadArgument, NeonsimError


def derived(board: str, parent: str, words: list[str], **options: Any) -> Derived:
    tests = some_probes(words=words) if words else None
    return derive(result_of(simulated_board(board, tests=tests, **{"kernels": False, "memory": False, **options})),
                  parent)


def test_latencies_of_another_core_are_found() -> None:
    """A55 measured, based on A53: FMLA takes 4 instead of 8, what goes into an accumulator is not the same."""
    done = derived("cortex-a55", "cortex-a53", ["fmla.4s", "mla to smlal"])
    assert done.rows["asimd_fp_mla"]["latency"] == 4
    changed = {finding.location: finding for finding in done.findings if finding.value != finding.before}
    assert set(changed) == {"[class] asimd_fp_mla", "[[forward]] asimd_mla to asimd_mla_long, a"}
    assert all(finding.determined for finding in done.findings if finding.quantity == "latency")


def test_noise_is_refused() -> None:
    with pytest.raises(BadArgument, match="The noise is too large"):
        derived("cortex-a53", "cortex-a53", ["latency smlal.4s"], noise=0.3)


def test_bars_say_what_the_samples_leave_open() -> None:
    """From 3.8 cycles on 4 is near enough; nothing is near from 3.4 to 3.5, and that is said."""
    value = simulated_board("cortex-a53", tests=some_probes(words=["latency smlal.4s"]), kernels=False, memory=False)
    links = 32
    for cycles, bars in (([3.8, 3.84, 3.85, 3.86, 3.9], (4, 4)), ([3.4, 3.45, 3.5, 3.5, 3.5], (None, None)),
                         ([3.75, 3.78, 3.8, 3.8, 3.8], (4, 4))):
        value["rows"] = [{**value["rows"][0], "samples": [links * c for c in cycles]}]
        finding = derive(result_of(value), "cortex-a53").findings[0]
        assert (finding.low, finding.high) == bars
        assert finding.cycles == pytest.approx((cycles[0], cycles[2]))


@pytest.mark.nightly
def test_a_noisy_row_is_left_out() -> None:
    tests = some_probes(words=["latency add", "latency mul"])
    value = simulated_board("cortex-a55", tests=tests, kernels=False, memory=False)
    value["rows"][3]["samples"][:6] = [2 * s for s in value["rows"][3]["samples"][:6]]
    done = derive(result_of(value), "cortex-a53")
    assert done.excluded == [value["rows"][3]["name"]]
    assert done.excluded[0] not in {finding.row_name for finding in done.findings}
    assert done.excluded[0] in core_text(done)


def test_queues_are_found() -> None:
    done = derived("cortex-a72", "cortex-a57", ["queue vector 8", "queue vector 1"], noise=0.001)
    (finding,) = done.findings
    assert finding.quantity == "queue" and finding.value == load_core("cortex-a72").units["F0"].queue


@pytest.mark.slow
def test_memory_is_found() -> None:
    done = derived("cortex-a76", "neoverse-n1", ["latency ldr.x"], memory=True, noise=0.0)
    board = load_core("cortex-a76").memory
    assert {key: done.memory[key] for key in ("l2", "dram", "read", "write")} == pytest.approx(
        {"l2": board.l2, "dram": board.dram, "read": board.read, "write": board.write}, rel=0.03)


@pytest.mark.slow
def test_the_file_is_the_core(tmp_path: Path) -> None:
    """What is written loads, says which numbers are guesses, and takes as long as the model that was made."""
    words = ["fmla.4s", "latency lsl.x", "throughput lslv.x", "shift to address"]
    done = derived("cortex-a55", "cortex-a53", words)
    path = tmp_path / "mine.toml"
    path.write_text(core_text(done, "mine"), encoding="utf-8")
    core = load_core(path)
    for probe in some_probes(words=words):
        assert modeled(probe, core) == modeled(probe, done.core), probe.name
    assert "asimd_add" in core.assumed() and "asimd_fp_mla" not in core.assumed()
    program = ns.assemble("top: fmla v0.4s, v1.4s, v2.4s\n subs x0, x0, #1\n b.ne top", isa="aarch64")
    assert ns.time(program, core=str(path)).cycles_per_iteration == 4


def test_a_file_of_ones_own_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, text = tmp_path / "mine.toml", tmp_path / "loop.s"
    path.write_text(core_text(derived("cortex-a55", "cortex-a53", ["latency fmla.4s"]), "mine"), encoding="utf-8")
    text.write_text("top: fmla v0.4s, v0.4s, v2.4s\n subs x0, x0, #1\n b.ne top\n")
    assert main(["time", str(text), "--isa", "aarch64", "--core", f"a53,{path}", "--json"]) == 0
    found = {row["core"]: row["modeled"]["cycles"] for row in json.loads(capsys.readouterr().out)}
    assert found["cortex-a53"] > 1.9 * found["mine"] and len(found) == 2


@pytest.mark.parametrize(("name", "said"), [
    ("Mine", "lower-case letters"), ("a" * 60, "at most"), ("x\"\n[class]", "lower-case letters"),
    ("cortex-a53", "this core exists already")])
def test_names_that_no_core_can_have(name: str, said: str) -> None:
    done = derived("cortex-a53", "cortex-a53", ["latency add.8h"])
    with pytest.raises(BadArgument, match=said):
        core_text(done, name)


def test_text_of_strangers_stays_text(tmp_path: Path) -> None:
    value = simulated_board("cortex-a53", tests=some_probes(words=["latency add.8h"]), kernels=False, memory=False)
    value["machine"]["model"] = '"""\n[class]\nalu = { latency = 99 }\n\\u0000\ud800'
    path = tmp_path / "mine.toml"
    path.write_text(core_text(derive(result_of(value)), "mine"), encoding="utf-8")
    core = load_core(path)
    assert core.fields("alu", set())[0]["latency"] == 1 and core.title.isprintable()


def test_which_parent() -> None:
    value = simulated_board("cortex-a72", tests=some_probes(words=["latency add.8h"]), kernels=False, memory=False)
    assert derive(result_of(value)).parent.name == "cortex-a72"          # by its MIDR
    value["machine"]["midr"] ^= 0x00300001                              # another revision of it
    assert derive(result_of(value)).parent.name == "cortex-a72"
    value["machine"]["midr"] = 0
    with pytest.raises(BadArgument, match="is not a modelled core"):
        derive(result_of(value))
    with pytest.raises(NeonsimError, match="no core 'a54'"):
        derive(result_of(value), "a54")
    value["machine"]["isa"] = "aarch32"
    with pytest.raises(BadArgument, match="runs aarch64, but"):
        derive(result_of(value), "cortex-a510")


def test_what_no_number_explains_is_said() -> None:
    """A72 from A57: three additions in two cycles are no unit's doing, so they stay and are told."""
    done = derived("cortex-a72", "cortex-a57", ["throughput add.8h"])
    (finding,) = done.findings
    assert finding.value is None and "throughput add.8h" in core_text(done)


def test_what_the_parent_has_not_is_said() -> None:
    done = derived("cortex-a55", "cortex-a53", ["sdot.4s", "latency add.8h"])
    assert done.lacking == {"dotprod"} and "needs dotprod, which cortex-a53 has not" in findings_report(done)
    assert {finding.row_name for finding in done.findings} == {"latency add.8h"}


def test_micro_tests_are_what_they_say() -> None:
    """Each kind is there for both instruction sets, and a chain of additions takes the published latency (2 on A53)."""
    for isa in ("aarch64", "aarch32"):
        kinds = {probe.kind for probe in probes(isa)}
        assert kinds >= {LATENCY, SUM, THROUGHPUT, BESIDE, PAIR}
        assert len({probe.name for probe in probes(isa)}) == len(probes(isa))
    assert QUEUE in {probe.kind for probe in probes()}
    for name, isa in (("latency add.8h", "aarch64"), ("latency vadd.q", "aarch32")):
        assert modeled(probe_named(name, isa), "cortex-a53") == 2


@pytest.mark.nightly
def test_who_is_beside_whom_tells_pipes_apart() -> None:
    """A72: three Q-form operations in two cycles, on two pipes; on one they would take two. A53: SMULL 1, UADALP 2."""
    probe = probe_named("beside smull and uadalp", "aarch64")
    assert probe is not None
    core = load_core("cortex-a72")
    one_pipe = replace(core, rows=(*core.rows, PriceRow("asimd_mul_long", (), {"unit": "F1"})))
    assert modeled(probe, core) == pytest.approx(4 / 3, abs=0.02)
    assert modeled(probe, one_pipe) == pytest.approx(2, abs=0.03)
    assert modeled(probe, "cortex-a53") == pytest.approx(3, abs=0.05)
    assert probe in some_probes(core="cortex-a53")
    with pytest.raises(BadArgument, match="cortex-a9 runs aarch32, but the micro-tests are for aarch64"):
        some_probes(core="cortex-a9")


def test_a_board_of_the_other_instruction_set_is_not_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]
                                                               ) -> None:
    assert main(["measure", "--core", "a9", "--simulate", str(tmp_path / "board.json")]) == 2
    assert capsys.readouterr().err.rstrip().endswith("the micro-tests are for aarch64: use --isa aarch32.")
    assert not list(tmp_path.iterdir())


@pytest.mark.nightly
def test_of_a_core_what_it_does_not_know() -> None:
    """Dot products of the A75 are a placeholder, its chain is asked for; what the A53's table has is not."""
    assert "latency sdot.4s" in {probe.name for probe in some_probes(core="cortex-a75")}
    chosen = {probe.name for probe in some_probes(core="cortex-a53")}
    assert "latency smlal.4s" not in chosen and "pair smull to smlal sum" in chosen
    with pytest.raises(BadArgument, match="no micro-test of aarch64 has 'vmlal'"):
        some_probes(words=["vmlal"])


@pytest.mark.nightly
@pytest.mark.parametrize(("board", "parent", "most"), [("cortex-a55", "cortex-a53", 0.01),
                                                       ("neoverse-n1", "cortex-a76", 0.01),
                                                       ("cortex-a72", "cortex-a57", 0.05)])
def test_whole_boards(board: str, parent: str, most: float) -> None:
    """Every micro-test: the core that is made is as the board, on average within `most`."""
    done = derived(board, parent, [], noise=0.001)
    errors = []
    for name, row in done.measurement.rows.items():
        probe = probe_named(name, "aarch64")
        assert probe is not None
        if done.parent.lacks("aarch64", probe.features):
            continue
        errors.append(abs(modeled(probe, done.core) * probe.per / row.minimum - 1))
    assert sum(errors) / len(errors) < most
