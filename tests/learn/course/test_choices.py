"""Exercises that ask for numbers: read, planned, graded in modelled cycles; one's own ones too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.learn.course import (
    Answers,
    ChoiceExercise,
    Limits,
    check_answer,
    define_choice,
    program_named,
    prove,
    task_named,
)
from neonsim.learn.course.choice_exercise import modeled
from neonsim.learn.course.tasks import collected
from neonsim.nn.graph import Graph
from neonsim.nn.graph.plan.cycles import network_cycles
from neonsim.nn.ops.float32.operators import Float32Conv2d
from neonsim.nn.ops.float32.winograd import Float32WinogradConv2d
from neonsim.quant.winograd import ConvLayer, choose

WEIGHTS = np.random.default_rng(3).normal(0, 0.1, (8, 3, 3, 8))


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    with collected(keep=False):
        yield


def plan(isa: str, core: str, n: int) -> Any:
    graph = Graph("one", (1, 8, 8, 8), dtype="float32")
    conv = Float32Conv2d(WEIGHTS, padding=1) if n == 1 else Float32WinogradConv2d(WEIGHTS, n=n, padding=1)
    graph.finish(graph.add_node("conv", conv, "input"))
    return graph.plan("emulated", isa=isa, core=core)


def parts(**other: Any) -> dict[str, Any]:
    return {"story": "Tiles.", "hints": ["2."], "choices": {"n": (1, 2)}, "default": {"n": 2}, "plan": plan,
            "limits": Limits(core="cortex-a55", start_share=0.95),
            "answers": Answers({"aarch64": "n = 1\n"}, wrong={"aarch64": [("1", "2", "not fast enough"),
                                                                        ("1", "3", "n must be 1 or 2"),
                                                                        ("n =", "m =", "no choice 'm'")]}), **other}


@pytest.mark.nightly
def test_the_grade_is_the_model_s() -> None:
    """Cycles, instructions and the goal are those of a plan made beside it; more than the goal does not pass."""
    task = define_choice("tiles", "of a layer", **parts())
    plain, quick = (round(network_cycles(plan("aarch64", "cortex-a55", n), "cortex-a55").cycles) for n in (2, 1))
    verdict = check_answer(task, "n = 1  # the direct way\n")
    assert verdict and verdict.score is not None and f"{quick:,} modelled cycles on cortex-a55" in verdict.message
    assert verdict.score.cost.cycles == quick < task.cycles_allowed("aarch64") == int(0.95 * plain)
    assert verdict.score.cost == verdict.score.solution and f"{plain:,} that the defaults take" in task.statement()
    assert 0 < verdict.score.cost.neon <= verdict.score.cost.instructions
    slow = check_answer(task, task.start())
    assert not slow and slow.remark.startswith("not fast enough") and slow.score is not None
    assert slow.score.cost.cycles == plain and "at most" in slow.message
    # An answer that takes exactly what is allowed passes; one cycle less allowed, and it does not.
    for share, passes in ((quick / plain, True), ((quick - 1) / plain, False)):
        edge = define_choice("tiles", "of a layer", **parts(limits=Limits(core="cortex-a55", start_share=share + 1e-9)))
        assert bool(check_answer(edge, "n=1")) is passes


@pytest.mark.parametrize(("text", "words"), [
    ("", "n is missing"), ("n", "a line for each choice"), ("n = two", "a line for each choice"),
    ("n = 9", "line 1, 'n = 9': n must be 1 or 2"), ("n = -1", "n must be"), ("n = 1\nn = 2", "line 2, 'n = 2'"),
    ("// x\nk = 2", "line 2, 'k = 2': unknown choice 'k'; use n"), ("n = 1; import os", "a line for each"),
    ("n = " + "9" * 400, "a line for each choice"), ("\u0661 = 2", "a line for each choice"),
    ("n = \u0662", "a line for each choice"), ("\x00", "a line for each choice"),
    ("x" * 300_000, "characters"),
])
def test_untrusted_text(text: str, words: str) -> None:
    verdict = check_answer(define_choice("tiles", "of a layer", **parts()), text)
    assert not verdict and words in verdict.message and verdict.score is None
    assert len(verdict.message) < 600


@pytest.mark.parametrize(("other", "words"), [
    ({"choices": {}}, "choices must be names"), ({"choices": {"n": (2,)}}, "choices must be names"),
    ({"choices": {"n m": (1, 2)}}, "choices must be names"), ({"choices": {"n": "12"}}, "choices must be names"),
    ({"choices": {"n": (1, 2.5)}}, "choices must be names"), ({"default": {}}, r"as default=\{'n': 1\}"),
    ({"default": {"n": 3}}, "one value for each choice"), ({"plan": None}, r"function of \(isa, core, n\)"),
    ({"limits": Limits()}, "Limits needs a core"), ({"limits": Limits(core="cortex-z9", start_share=0.5)}, "cores are"),
    ({"limits": Limits(core="cortex-a55")}, "start_share"),
    ({"limits": Limits(core="cortex-a55", start_share=1)}, "below 1"),
    ({"limits": Limits(core="cortex-a55", start_share=0.5, neon=0.5)}, "cycles only"),
    ({"start": ["mips"]}, "not for mips"), ({"story": ""}, "story is missing"),
])
def test_what_is_wrong_is_said(other: dict[str, Any], words: str) -> None:
    with pytest.raises(ns.BadArgument, match=words):
        define_choice("tiles", "of a layer", **parts(**other))


@pytest.mark.nightly
def test_of_one_s_own_it_is_proved_and_shown() -> None:
    exercise = ns.Exercise.define("tiles", "of a layer", **parts(answers=None))
    exercise.answers(**vars(parts()["answers"]))
    assert isinstance(exercise.task, ChoiceExercise) and all(prove(exercise.task)), list(map(str, prove(exercise.task)))
    page = exercise._repr_html_()
    assert "<th>default</th>" in page and "1 or 2" in page and "n = 2     // 1 or 2" in page
    answer = exercise.check("n = 1")
    assert answer and answer.stepper() is None and "goal reached" in answer._repr_html_()
    assert "the plan with n = 1" in repr(exercise.score("n = 1"))
    assert exercise.score("n = 1", "cortex-a72").own.cycles != exercise.score("n = 1").own.cycles
    for ask in (exercise.cases, lambda: exercise.contract, lambda: exercise.prove("n = 2")):
        with pytest.raises(ns.BadArgument, match="tiles asks for choices, not for a program"):
            ask()
    with pytest.raises(ns.BadArgument, match="must be a str; got int"):
        exercise.check(5)  # type: ignore[arg-type]


@pytest.mark.nightly
def test_unsound_ones_are_found() -> None:
    """A plan that is quicker because it computes something else; a goal that nothing reaches; a plan that is none."""
    def less(isa: str, core: str, n: int) -> Any:
        graph = Graph("one", (1, 8, 8, 8), dtype="float32")
        graph.finish(graph.add_node("conv", Float32Conv2d(WEIGHTS / 2, padding=1) if n == 1 else
                                    Float32WinogradConv2d(WEIGHTS, n=n, padding=1), "input"))
        return graph.plan("emulated", isa=isa, core=core)

    def said(task: ChoiceExercise) -> str:
        return "\n".join(finding.message for finding in prove(task) if not finding)

    assert "computes something else" in said(define_choice("tiles", "x", **parts(plan=less)))
    far = Limits(core="cortex-a55", start_share=0.01)
    assert "it does not pass: not fast enough" in said(define_choice("tiles", "x", **parts(limits=far)))
    nothing = define_choice("tiles", "x", **parts(plan=lambda isa, core, n: None))
    assert "plan= must return a plan of the emulated backend" in check_answer(nothing, "n = 2").message


def test_programs_and_choices_are_told_apart() -> None:
    assert program_named("grey").name == "grey"
    with pytest.raises(ns.BadArgument, match="beat-the-default asks for choices"):
        program_named("beat-the-default")


@pytest.mark.nightly
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.S"
    assert main(["course", "beat-the-default", "-o", str(path)]) == 0 and "Goal: at most" in capsys.readouterr().out
    assert main(["course", "check", "beat-the-default", str(path)]) == 1 and "not fast" in capsys.readouterr().out
    path.write_text("n14 = 7\nn7 = 4\n")
    assert main(["course", "check", "beat-the-default", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"]["core"] == "cortex-a55"
    assert main(["course", "score", "beat-the-default", str(path), "--isa", "aarch32"]) == 2
    assert "16 vector registers" in capsys.readouterr().err
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "beat-the-default.S").write_text("n14 = 7\nn7 = 4\n")
    assert main(["course", "grade", str(tmp_path)]) == 0 and "1 of 1 passed" in capsys.readouterr().out


@pytest.mark.nightly
def test_the_goal_asks_for_more_than_either_rule() -> None:
    """With the best for one layer, only the best for the other passes; neither the paper's nor the library's choice."""
    task = task_named("beat-the-default")
    assert isinstance(task, ChoiceExercise)
    for isa, best, wide in (("aarch64", 7, {7}), ("aarch32", 4, {4, 5})):
        most = 8 if isa == "aarch64" else 6
        tried = {(a, 4) for a in range(1, most + 1)} | {(best, b) for b in range(1, most + 1)} | {(2, 2), (most, most)}
        passed = {pair for pair in tried if (modeled(task, isa, "cortex-a55", pair).cycles or 0)
                  <= task.cycles_allowed(isa)}
        assert passed == {(a, 4) for a in wide}, isa
    layers = [ConvLayer(size, size, 64, 64) for size in (14, 7)]
    assert [[choose(one, rule).n for one in layers] for rule in ("mnn-2020", "mnn")] == [[2, 2], [7, 7]], "as it says"
