"""Every exercise has a right answer that passes and wrong ones that fail with the message intended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neonsim.course import check_answer, score_answer, task_named, tasks
from neonsim.errors import BadArgument

WRONG = {(task.name, isa): edits for task in tasks() for isa, edits in task.wrong.items()}
POSED = [(task.name, isa) for task in tasks() for isa in task.isas]


def _marked(name: str, isa: str, number: int = 0) -> tuple[pytest.MarkDecorator, ...]:
    """Exercises whose solutions are kernels of the catalogue have long sweeps: most belong to the long tests."""
    long = bool(task_named(name).solutions) and (name, isa, number) != ("clamp", "aarch64", 0)
    # So do most answers in the second instruction set.
    second = isa == "aarch32" and name not in ("add-two-vectors", "dot-product", "grey")
    return (pytest.mark.full,) if long or second or number > 2 else ()


@pytest.mark.parametrize(("name", "isa"), [pytest.param(*pair, marks=_marked(*pair)) for pair in POSED])
def test_the_solution_passes(name: str, isa: str) -> None:
    task = task_named(name)
    verdict = check_answer(task, task.solution(isa), isa)
    assert verdict, verdict
    score = score_answer(task, task.solution(isa), isa)
    assert score.reached and score.own == score.solution and score.own.instructions > 0 and score.own.cycles > 0


@pytest.mark.parametrize(("name", "isa"), [pytest.param(*pair, marks=_marked(*pair, 0 if i == 0 else 3))
                                           for i, pair in enumerate(POSED)])
def test_the_starting_text_assembles_and_does_not_pass(name: str, isa: str) -> None:
    task = task_named(name)
    verdict = check_answer(task, task.start(isa), isa)
    assert not verdict
    assert verdict.result is not None, verdict.message  # it could be read
    if task.goal is None:
        assert verdict.trouble is not None
    else:
        assert "not fast enough" in verdict.message or verdict.trouble is not None


@pytest.mark.parametrize(("name", "isa", "old", "new", "words"), [
    pytest.param(*pair, *edit, id=f"{pair[0]}-{pair[1]}-{i}", marks=_marked(*pair, i)) for pair, edits in WRONG.items()
    for i, edit in enumerate(edits)])
def test_wrong_answers_fail_with_the_message_intended(name: str, isa: str, old: str, new: str, words: str) -> None:
    task = task_named(name)
    right = task.solution(isa)
    assert old in right, f"the solution of {name} does not hold {old!r} any more"
    verdict = check_answer(task, right.replace(old, new), isa)
    assert not verdict
    assert words in verdict.message, verdict.message


def test_every_exercise_has_three_wrong_answers() -> None:
    few = [task.name for task in tasks() if all(len(edits) < 3 for edits in task.wrong.values())]
    assert not few, f"fewer than three wrong answers (`wrong` of its Task): {few}"
    assert all(set(task.wrong) <= set(task.isas) for task in tasks())
    assert len(tasks()) >= 18


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.name)
def test_every_exercise_says_what_is_to_be_done(task: object) -> None:
    named = task_named(task.name)  # type: ignore[attr-defined]
    assert len(named.hints) >= 2 and named.story.strip()
    for isa in named.isas:
        text = named.statement(isa)
        assert all(name in text and place in text for place, name, _ in named.places(isa))
        assert max(map(len, text.splitlines())) <= 200
        solution = named.solution(isa)
        assert solution not in text and (named.cut or named.solution(isa) != named.start(isa))


def test_known_mistakes_are_wrong() -> None:
    """A remark for something that is right would never be shown; one for something impossible neither."""
    for task in tasks():
        for mistake in task.mistakes:
            others = ((case, replace(case, contract=replace(case.contract, function=mistake.definition)))
                      for case in task.cases("quick"))
            assert any((other.expected[name] != case.expected[name]).any() for case, other in others
                       for name in case.expected), f"{task.name}: {mistake.remark}"


def test_wrong_names() -> None:
    with pytest.raises(BadArgument, match="add-two-vectors"):
        task_named("add-vectors")
    with pytest.raises(BadArgument, match="There are add-two-vectors, "):
        task_named("zzz")
    with pytest.raises(BadArgument, match="posed in aarch64, not in 'aarch32'"):
        task_named("beat-dual-issue").isa("aarch32")
