"""Exercises that grade themselves: what is asked, whether an answer is right, what it costs, results of a class.

    tasks, task_named       the exercises
    check_answer            an answer through the sweep of its exercise
    score_answer            what it costs, beside the solution
    solution                a right answer (for teachers and tests: notebooks do not show them)
"""

from __future__ import annotations

from neonsim.course.answer import Score, Verdict, check_answer, score_answer
from neonsim.course.task import Task
from neonsim.course.tasks import task_named, tasks

__all__ = ["Score", "Task", "Verdict", "check_answer", "score_answer", "solution", "task_named", "tasks"]


def solution(name: str, isa: str | None = None) -> str:
    """A right answer to an exercise, as text."""
    return task_named(name).solution(isa)
