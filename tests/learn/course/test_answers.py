"""Every exercise has right answers that pass, wrong and cheating ones that fail with the message intended."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from neonsim.errors import BadArgument, TimingError
from neonsim.learn.course import check_answer, program_named, score_answer, task_named, tasks
from neonsim.learn.course.exercise import ExerciseBase
from neonsim.learn.course.grading.adversarial import cheats
from neonsim.learn.course.grading.cost import program_of
from neonsim.learn.course.grading.grade import REMARKS_AFTER
from neonsim.learn.course.grading.test_calls import published, unseen
from neonsim.learn.course.program_exercise import Task
from neonsim.ukernel.case_runner import setup
from tests.tiers import every

SEED = 1
PROGRAMS = [task for task in tasks() if isinstance(task, Task)]
POSED = [(task.name, isa) for task in tasks() for isa in task.isas]
# Of these the cheats that are derived are made in the quick tests; of the others they are made in the long ones.
QUICK = ("add-two-vectors",)
CATALOG = {task.name for task in tasks() if not getattr(task, "lessons", False)}


def _marked(name: str, isa: str, number: int = 0) -> tuple[pytest.MarkDecorator, ...]:
    """Exercises whose solutions are kernels of the catalogue have long sweeps: most belong to the long tests."""
    long = (name in CATALOG and (name, isa, number) != ("clamp", "aarch64", 0)) or name == "layer-of-digits"
    # So do most answers in the second instruction set.
    second = isa == "aarch32" and name not in ("add-two-vectors", "dot-product", "grey")
    return (pytest.mark.nightly,) if long or second or number > 0 else ()


def _rows(kind: str) -> list[object]:
    """A parameter for every answer that must fail."""
    found: list[object] = []
    for task in tasks():
        for isa, rows in getattr(task.answers, kind).items():
            found += [pytest.param(task.name, isa, i, id=f"{task.name}-{isa}-{i}", marks=_marked(task.name, isa, i))
                      for i in range(len(rows))]
    return found


@pytest.mark.parametrize(("name", "isa"), [
    *every(5, (pair for pair in POSED if not _marked(*pair))),
    *(pytest.param(*pair, marks=pytest.mark.nightly) for pair in POSED if _marked(*pair))])
def test_right_answers_pass(name: str, isa: str) -> None:
    task = task_named(name)
    for text in (task.solution(isa), *task.alternatives(isa)):
        verdict = check_answer(task, text, isa)
        assert verdict, verdict
        assert verdict.score is not None and verdict.score.reached
    score = score_answer(task, task.solution(isa), isa)
    assert score.reached and score.cost == score.solution
    assert score.cost.instructions > 0 and (score.cost.cycles or 0) > 0


@pytest.mark.parametrize(("name", "isa"), [pytest.param(*pair, marks=_marked(*pair, 0 if i == 0 else 3))
                                           for i, pair in enumerate(POSED)])
def test_the_starting_text_assembles_and_does_not_pass(name: str, isa: str) -> None:
    task = task_named(name)
    verdict = check_answer(task, task.start(isa), isa)
    assert not verdict
    assert verdict.result is not None or verdict.score is not None, verdict.message  # it could be read
    if not isinstance(task, Task) or (task.limits.times and "\n" in task.start_from[isa]):
        assert "not fast enough" in verdict.message
    else:
        assert verdict.trouble is not None


@pytest.mark.parametrize(("name", "isa", "number"), _rows("wrong"))
def test_wrong_answers_fail_with_the_message_intended(name: str, isa: str, number: int) -> None:
    _fails(task_named(name), isa, *task_named(name).texts(isa, task_named(name).answers.wrong[isa])[number])


@pytest.mark.parametrize(("name", "isa", "number"), every(4, _rows("cheats")))
def test_cheating_answers_fail_with_the_message_intended(name: str, isa: str, number: int) -> None:
    _fails(task_named(name), isa, *task_named(name).texts(isa, task_named(name).answers.cheats[isa])[number])


def _fails(task: ExerciseBase, isa: str, text: str, words: str) -> None:
    verdict = check_answer(task, text, isa, seed=SEED)
    assert not verdict
    assert words in verdict.student_message(REMARKS_AFTER), verdict.student_message(REMARKS_AFTER)


@pytest.mark.parametrize(("name", "isa"), [pytest.param(*pair, marks=() if pair[0] in QUICK else pytest.mark.nightly)
                                           for pair in POSED if pair[0] in {task.name for task in PROGRAMS}])
def test_cheats_that_are_derived_fail(name: str, isa: str) -> None:
    task = program_named(name)
    for cheat in cheats(task, isa):
        verdict = check_answer(task, cheat.text, isa, seed=SEED)
        # One element fewer may be a mistake that has a remark of its own.
        words = "|".join([cheat.words, *(re.escape(mistake.remark) for mistake in task.mistakes)])
        assert not verdict and re.search(words, verdict.student_message(REMARKS_AFTER)), f"{cheat.name}\n{verdict}"


def test_a_result_for_the_timed_size_alone_does_not_pass() -> None:
    """What stores 0 where cycles are counted is right in all calls that everybody knows."""
    task = program_named("break-the-chain")
    cheat = next(one for one in cheats(task, "aarch64") if one.name == "gives up")
    verdict = check_answer(task, cheat.text, seed=SEED)
    assert not verdict and "Every published call is right" in verdict.remark and f"seed {SEED}" in verdict.message
    trouble = verdict.trouble
    assert trouble is not None and trouble.sizes["n"] >= 896


def test_every_exercise_has_five_wrong_answers_and_two_that_cheat() -> None:
    few = [task.name for task in tasks() if all(len(rows) < 5 for rows in task.answers.wrong.values())]
    assert not few, f"fewer than five wrong answers (`wrong` of its Answers): {few}"
    assert all(len({cheat.name for cheat in cheats(task, isa)}) >= 2 for task in PROGRAMS for isa in task.isas)
    assert all({*task.answers.wrong, *task.answers.cheats, *task.answers.alternatives} <= set(task.isas)
               for task in tasks())
    assert len(tasks()) >= 18


def test_a_seed_gives_the_same_calls_and_another_one_others() -> None:
    for name in ("break-the-chain", "transpose-4x4", "row-sums"):
        calls = program_named(name).calls
        again = list(calls.draw(SEED))
        first, other = unseen(calls, SEED), unseen(calls, SEED + 1)
        same = [(a.memory[r].data == b.memory[r].data).all() for a, b in zip(first, again, strict=True)
                for r in a.memory]
        assert all(same) and [case.name for case in first] == [case.name for case in again]
        assert any(not np.array_equal(a.memory[r].data, b.memory[r].data) for a, b in zip(first, other, strict=False)
                   for r in a.memory)
    sizes = {program_named("break-the-chain").calls.clock(seed).sizes for seed in range(12)}
    assert len(sizes) > 4 and all(896 <= n <= 1152 for n, in sizes)
    drawn = {check_answer(task_named("add-two-vectors"), "f: ret").seed for _ in range(3)}
    assert len(drawn) == 3, "without a seed nobody knows the calls before"


@pytest.mark.parametrize("name", [pytest.param(task.name, marks=pytest.mark.nightly if task.name in CATALOG else ())
                                  for task in PROGRAMS])
def test_results_are_not_in_the_machine(name: str) -> None:
    """Nothing that an answer could find: no eight bytes of the result lie in memory before the call."""
    task = program_named(name)
    case = task.calls.clock(SEED)
    machine, _ = setup(program_of(task.start(), task.isas[0]), case, task.reads_before(task.isas[0]))
    memory = machine.memory.arena.tobytes()
    for region, expected in case.expected.items():
        if case.memory[region].role != "out":
            continue
        parts = {expected[at:at + 8].tobytes() for at in range(0, expected.size - 7, 8)}
        given = {data for other in case.memory.values() for data in _everywhere(other.data)}
        assert not {part for part in parts - given if part in memory}, f"{region} of {name}"
        assert (case.memory[region].data == 0xA5).all()


def _everywhere(data: np.ndarray) -> set[bytes]:
    return {data[at:at + 8].tobytes() for at in range(max(data.size - 7, 0))}


@pytest.mark.parametrize("task", [pytest.param(task, marks=pytest.mark.nightly) if task.name == "beat-the-default"
                                  else task for task in tasks()], ids=lambda task: task.name)
def test_every_exercise_says_what_is_to_be_done(task: object) -> None:
    named = task_named(task.name)  # type: ignore[attr-defined]
    assert len(named.hints) >= 2 and named.story.strip()
    for isa in named.isas:
        text = named.statement(isa)
        assert all(row[0] in text and row[1] in text for row in named.argument_table(isa)[1])
        assert max(map(len, text.splitlines())) <= 200
        assert all(what in text for what,
                   _ in named.requirements(isa)) and named.requirements(isa), "more than right bytes is asked"
        solution = named.solution(isa)
        given_in_part = isinstance(named, Task) and named.removed_lines
        assert solution not in text and (given_in_part or solution != named.start(isa))


def test_known_mistakes_are_wrong() -> None:
    """A remark for something that is right would never be shown; one for something impossible neither."""
    for task in PROGRAMS:
        for mistake in task.mistakes:
            others = ((case, replace(case, contract=replace(case.contract, function=mistake.definition)))
                      for case in published(task.calls, "quick"))
            assert any((other.expected[name] != case.expected[name]).any() for case, other in others
                       for name in case.expected), f"{task.name}: {mistake.remark}"


def test_wrong_names() -> None:
    with pytest.raises(BadArgument, match="add-two-vectors"):
        task_named("add-vectors")
    with pytest.raises(BadArgument, match="Use add-two-vectors, "):
        task_named("zzz")
    with pytest.raises(BadArgument, match="available for aarch64, not for 'aarch32'"):
        task_named("beat-dual-issue").isa("aarch32")
    for seed in (-1, 1.5, "1"):
        with pytest.raises(BadArgument, match="seed"):
            check_answer(task_named("grey"), "f: ret", seed=seed)  # type: ignore[arg-type]


def test_answers_include_neither_kernels_nor_solutions() -> None:
    task = task_named("grey")
    for text in ('#include "lessons/grey.aarch64.S"\n', '.include "lessons/grey.aarch64.S"\n',
                 '.macro take name\n .include "lessons/\\name"\n.endm\n take grey.aarch64.S\n'):
        verdict = check_answer(task, text)
        assert not verdict and "Write these instructions yourself" in verdict.message, verdict
    assert not check_answer(task, "grey: svc #0\n ret") and not check_answer(task, "grey: brk #0\n ret")


def test_an_instruction_that_the_core_has_not_is_no_fault() -> None:
    """UDOT by ones adds up bytes; the Cortex-A53, on which scores are modelled, does not know it."""
    text = """
horizontal_sum:
        movi    v0.4s, #0
        movi    v2.16b, #1
0:
        ldr     q1, [x1], #16
        udot    v0.4s, v1.16b, v2.16b
        subs    x0, x0, #16
        b.ne    0b
        addv    s0, v0.4s
        str     s0, [x2]
        ret
"""
    verdict = check_answer(task_named("horizontal-sum"), text)
    assert verdict and verdict.score is not None and verdict.score.cost.cycles is None and " -  " in str(verdict.score)
    with pytest.raises(TimingError):
        score_answer(task_named("horizontal-sum"), text, core="cortex-a53")
