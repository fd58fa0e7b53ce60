"""Answers proved to be the text that an exercise starts from."""

from __future__ import annotations

import pytest

import neonsim as ns
from neonsim.errors import AssemblyError, BadArgument
from neonsim.learn.course import program_named
from neonsim.learn.course.grading.prove_answer import prove_answer

NAME = "prove-your-schedule"


def test_the_solution_is_the_start_for_all_data() -> None:
    proof = prove_answer(program_named(NAME), program_named(NAME).solution("aarch64"))
    assert proof, proof
    assert "your answer give the same results" in proof.claim


def test_a_wrong_schedule_is_refuted_by_a_run() -> None:
    text = program_named(NAME).solution("aarch64").replace("v18.4s, v19.4s", "v18.4s, v18.4s")
    proof = ns.Exercise(NAME).prove(text)
    assert proof.verdict == "refuted"
    assert proof.counterexample is not None
    assert len(proof.counterexample.traces) == 2


@pytest.mark.parametrize(("name", "text", "problem", "sentence"), [
    ("add-two-vectors", "ret", BadArgument, "does not start from a correct text"),
    (NAME, 7, BadArgument, "an answer must be a str"),
    (NAME, "prove_your_schedule: nonsense", AssemblyError, "nonsense")])
def test_what_cannot_be_proved(name: str, text: str, problem: type[Exception], sentence: str) -> None:
    with pytest.raises(problem, match=sentence):
        prove_answer(program_named(name), text)
