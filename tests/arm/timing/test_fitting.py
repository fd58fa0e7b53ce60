"""Cores fitted to what others measured: planted numbers are found, doubtful ones named, unseen figures judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from neonsim.arm.timing import InstructionStream, load_core, simulate
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.fitting import as_json, as_text, evidence, fit, grids, parameters, solver
from neonsim.arm.timing.fitting.discriminating import deciding
from neonsim.arm.timing.fitting.evidence import PublishedFigure, Test, straight
from neonsim.cli import main
from neonsim.errors import MissingPackage

A53, A72 = load_core("cortex-a53"), load_core("cortex-a72")
needs_solver = pytest.mark.usefixtures("ortools")


@pytest.fixture
def ortools() -> None:
    pytest.importorskip("ortools", reason="needs packages: pip install 'neonsim[search]'")


def measured_on(core: Core, lines: str, turns: int = 40) -> Test:
    """A test whose figure is what a core says of it: with a core of other numbers, a planted truth."""
    stream = InstructionStream.of_ops(straight(lines), iterations=turns)

    def run(model: Core) -> float:
        issue, n = simulate(stream, model).issue, stream.body
        return (issue[(turns - 1) * n] - issue[turns // 2 * n]) / (turns - 1 - turns // 2)

    cycles = run(core)
    return Test(lines, "sequence", (stream,), run, (PublishedFigure(lines, cycles, 0.02 * cycles, 0.0, "planted"),))


def solved(core: Core, tests: list[Test], wanted: Callable[[parameters.Place], bool]) -> tuple[Any, Any]:
    """(problem, best choice) over the unknowns at some places."""
    places = list(dict.fromkeys(p for test in tests for p in parameters.reached(core, test) if wanted(p)))
    known = parameters.unknowns(core, tests, places)
    now = {place: one.value for place, one in known.items()}
    tables = [grids.grid(core, test, known, places, now, 200) for test in tests]
    problem = solver.Problem(known, [(one, one.test.figures) for one in tables])
    return problem, problem.solve()


@needs_solver
def test_a_planted_latency_is_found_and_determined() -> None:
    """EXT takes 3 cycles on a core where the file says 2: a chain of it tells, and no other value fits."""
    place = ("class", "asimd_ext", "latency")
    truth = parameters.with_values(A53, [(place, 3)])
    problem, found = solved(A53, [measured_on(truth, "ext v0.16b, v0.16b, v0.16b, #4")], lambda p: p == place)
    assert found.chosen[place] == 3 and not found.contradicted and not found.measured
    assert all(problem.solve({place: value}).contradicted == 1 for value in (1, 2))


@needs_solver
def test_which_of_two_pipes_takes_a_program_of_two_instructions() -> None:
    """A stream alone fits both pipes; beside products, which have one of them, it does not."""
    place = ("class", "asimd_abs", "unit")
    alone = measured_on(A72, "abs v0.4s, v9.4s; abs v1.4s, v9.4s")
    beside = measured_on(A72, "abs v0.4s, v9.4s; smull v1.4s, v9.4h, v9.4h; abs v2.4s, v9.4s")
    problem, found = solved(A72, [alone], lambda p: p == place)
    assert not problem.solve({place: "F0"}).contradicted and not problem.solve({place: "F1"}).contradicted
    problem, found = solved(A72, [alone, beside], lambda p: p == place)
    assert found.chosen[place] == "F1" and problem.solve({place: "F0"}).contradicted
    one = problem.known[place]
    micro = deciding(A72, replace(one, values=("F0", "F1")), {value: {place: value} for value in ("F0", "F1")}, {})
    assert micro is not None and "beside" in micro.text and micro.separation[0] == 1 and micro.separation[1] > 0.3


@needs_solver
def test_a_depth_of_queues_through_the_pipeline() -> None:
    """Products that wait fill a queue; what comes after them starts the earlier the deeper it is."""
    place = ("queue", "F0", "F1")
    wait = "; ".join(f"smlal v{4 + k}.4s, v0.4h, v1.4h" for k in range(8))
    lines = f"fdiv v0.2s, v0.2s, v1.2s; {wait}; " + "; ".join("add x1, x2, x3" for _ in range(30))
    truth = parameters.with_values(A72, [(place, 4)])
    test = replace(measured_on(truth, lines), kind="loop")
    _, found = solved(A72, [test], lambda p: p == place)
    assert found.chosen[place] == 4


@needs_solver
def test_what_a_choice_as_good_says_of_another_test() -> None:
    """Of an addition that nobody measured there is a span, not a number."""
    place = ("class", "asimd_abs", "unit")
    alone = measured_on(A72, "abs v0.4s, v9.4s; abs v1.4s, v9.4s")
    beside = measured_on(A72, "abs v0.4s, v9.4s; smull v1.4s, v9.4h, v9.4h; abs v2.4s, v9.4s")
    problem, found = solved(A72, [alone], lambda p: p == place)
    other = grids.grid(A72, beside, problem.known, [place], {place: "F1"}, 10)
    least, most = problem.between(other, found.cost)
    assert least == pytest.approx(2.0, abs=0.2) and most == pytest.approx(3.0, abs=0.2)


def test_units_and_time_on_them_are_held_together() -> None:
    """A table that moved one of them and held the other spoke of rates that the streams of the class exclude."""
    test = measured_on(A72, "abs v0.4s, v9.4s; smull v1.4s, v9.4h, v9.4h; abs v2.4s, v9.4s")
    unit, busy = ("class", "asimd_abs", "unit"), ("class", "asimd_abs", "busy")
    known = parameters.unknowns(A72, [test], [unit, busy])
    now = {place: one.value for place, one in known.items()}
    cells = len(known[unit].values) * len(known[busy].values)
    assert set(grids.grid(A72, test, known, [unit, busy], now, cells).places) == {unit, busy}
    for most in range(1, cells):
        one = grids.grid(A72, test, known, [unit, busy], now, most)
        assert not one.places and one.fixed, (most, one.places)


@needs_solver
def test_what_a_better_value_rests_on_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core with a wrong latency: the figure that says so, and a program that tells both values apart."""
    test = measured_on(A53, "ext v0.16b, v0.16b, v0.16b, #4")
    monkeypatch.setattr(sys.modules["neonsim.arm.timing.fitting.fit"], "evidence", lambda core: (test,))
    text = as_text(fit(parameters.with_values(A53, [(("class", "asimd_ext", "latency"), 4)])))
    assert "asimd_ext: latency = 4: 2 (determined)" in text
    assert "rests on ext v0.16b" in text and "measured 2.0, otherwise at best 4.0" in text
    assert "would decide: chain of asimd_ext: 2.00 (2), 4.00 (4) cycles an iteration" in text


def test_rules_are_named_by_what_they_connect() -> None:
    place = ("forward", "0", "latency")
    one = parameters.unknowns(A53, [], [place])[place]
    assert one.name == "[[forward]] number 1 (ldr and others to @alu and others): latency" and None in one.values


def test_rules_that_are_taken_away_keep_their_numbers() -> None:
    none = parameters.with_values(A53, [(("forward", "0", "latency"), None)])
    assert len(none.forwards) == len(A53.forwards) and none.forwards[1:] == A53.forwards[1:]
    assert parameters.with_values(A53, []) == A53


@pytest.mark.nightly
def test_evidence_is_what_the_tables_have() -> None:
    """No figure that is left out with a reason; the A76 has its sister's table, the A73 nothing."""
    kinds = {name: {test.kind for test in evidence.evidence(load_core(name))}
             for name in ("cortex-a53", "cortex-a55", "cortex-a73", "cortex-a76")}
    assert kinds == {"cortex-a53": {"chain", "stream", "sequence", "loop"}, "cortex-a55": {"guide", "loop"},
                     "cortex-a73": set(), "cortex-a76": {"chain", "stream", "loop"}}
    for test in evidence.evidence(A53):
        if test.kind in ("chain", "stream", "sequence"):
            said = test.run(A53)
            assert all(abs(said - figure.cycles) <= figure.band + 1e-9 for figure in test.figures), test.name


@needs_solver
def test_a_core_without_evidence_says_so() -> None:
    assert "nothing that is measured on it is here" in as_text(fit("cortex-a73"))


@pytest.mark.nightly
@needs_solver
@pytest.mark.parametrize("core, worst", [("cortex-a53", 0.05), ("cortex-a55", 0.10), ("cortex-a72", 0.18),
                                         ("cortex-a76", 0.05), ("neoverse-n1", 0.05)])
def test_unseen_figures(core: str, worst: float) -> None:
    """Single instructions from the other four parts: a per cent; loops from all others: within these shares."""
    found = fit(core)
    text, plain = as_text(found), as_json(found)
    print(text)
    assert json.dumps(plain) and core in text
    assert all(judged.mean < 0.02 and judged.contradicted <= 0.01 * judged.figures for judged in found.judged)
    for loop in found.loops:
        assert min(abs(error) for error in loop.errors()[1:]) <= worst, loop
    assert len(found.in_state("determined")) > 0.5 * len(found.remaining) - len(found.in_state("untouched"))


def test_without_the_package(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ortools", None)
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    with pytest.raises(MissingPackage, match=r"pip install 'neonsim\[search\]'"):
        fit("cortex-a55")
    assert main(["cores", "fit", "a55"]) == 2
    assert "neonsim[search]" in capsys.readouterr().err
