"""Exercises that grade themselves: what is asked, whether an answer is right, what it costs, results of a class.

    tasks, task_named       the exercises
    check_answer            an answer through the calls of its exercise
    score_answer            what it costs, beside the solution
    define, register        an exercise of one's own, known by its name; define_choice: one that asks for numbers
    program_named           one that asks for a program: a `Task`
    load, handout, template files of such exercises
    prove                   whether an exercise is sound: right answers pass, wrong and cheating ones fail
    solution                a right answer (for teachers and tests: notebooks do not show them)
"""

from __future__ import annotations

from neonsim.course.answer import Score, Verdict, check_answer, score_answer
from neonsim.course.choice import Choice
from neonsim.course.define import define, define_choice
from neonsim.course.own import handout, load, template
from neonsim.course.posed import Answers, Limits, Posed
from neonsim.course.prove import prove
from neonsim.course.task import Task
from neonsim.course.tasks import program_named, register, task_named, tasks
from neonsim.kinds import judge_all

__all__ = ["Answers", "Choice", "Limits", "Posed", "Score", "Task", "Verdict", "check_answer", "define",
           "define_choice", "handout", "load", "program_named", "prove", "register", "score_answer", "solution",
           "task_named", "tasks", "template"]


def solution(name: str, isa: str | None = None) -> str:
    """A right answer to an exercise, as text."""
    return task_named(name).solution(isa)

judge_all(globals())
