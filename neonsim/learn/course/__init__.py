"""Exercises that grade themselves: what is asked, whether an answer is right, what it costs, results of a class.

    tasks, task_named       the exercises
    check_answer            an answer through the calls of its exercise
    score_answer            what it costs, beside the solution
    define, register        an exercise of your own, known by its name; define_choice: one that asks for numbers
    program_named           one that asks for a program: a `Task`
    load, handout, template files of such exercises
    prove                   whether an exercise is sound: right answers pass, wrong and cheating ones fail
    solution                a right answer (for teachers and tests: notebooks do not show them)
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments
from neonsim.learn.course.choice_exercise import ChoiceExercise
from neonsim.learn.course.classroom.authoring import handout, load, template
from neonsim.learn.course.define import define, define_choice
from neonsim.learn.course.exercise import Answers, ExerciseBase, Limits
from neonsim.learn.course.grading.grade import Score, Verdict, check_answer, score_answer
from neonsim.learn.course.grading.self_check import prove
from neonsim.learn.course.program_exercise import Task
from neonsim.learn.course.tasks import program_named, register, task_named, tasks

__all__ = ["Answers", "ChoiceExercise", "ExerciseBase", "Limits", "Score", "Task", "Verdict", "check_answer", "define",
           "define_choice", "handout", "load", "program_named", "prove", "register", "score_answer", "solution",
           "task_named", "tasks", "template"]


def solution(name: str, isa: str | None = None) -> str:
    """Return a right answer to an exercise, as text."""
    return task_named(name).solution(isa)

check_arguments(globals())
