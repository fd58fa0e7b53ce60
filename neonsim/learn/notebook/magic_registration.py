"""`%%neon` and `%%neon_c`: a cell of assembly, or of C, is assembled or compiled, run and shown.

    %%neon                        AArch64, run from the first instruction
    %%neon aarch32 -o result      the other instruction set; the run is kept in the variable `result`: result.text is
                                  the program, result.trace the run; edited and run again in the stepper, the new ones
    %%neon --args a,b,3           arguments x0, x1, ...: integers, or arrays of the notebook (placed in memory, read
                                  back after the run)
    %%neon --args a,c=out:s32*4   and regions as on the command line (`neonsim run --help`): c is memory for 4 results,
                                  printed after the run and an array of the notebook then; u8:[1,2,3] holds elements
    %%neon --core cortex-a53      with modelled cycles; and --caches cold (or warm): with its caches
    %%neon --no-step              registers at the end, no stepper
    %%neon --at 3                 the stepper begins after three steps
    %%neon --steps 1000000        let it run longer than 50 000 steps (a loop that never ends stops there)

Registers that the program reads before it has written them are reported, as everywhere. A cell whose text has no return
gets one at its end, so that three lines are a program.

    %%neon_c --args a,b,16 --no-step       C with <arm_neon.h>, through a cross compiler (GCC, Clang, or ziglang)
    %%neon_c aarch32 -O 3 --entry dot      optimised so; the function, if there are several
    %%neon_c --compiler-option -march=armv8.2-a+dotprod     what the compiler is told besides; can be given again
    %%neon_c --compare-flags -O0           compiled another way, too: both runs side by side; --compare-flags clang,
                                           --compare-flags "clang -O3"

Options are those of %%neon. The C line stands beside its instructions; a mistake is shown as the compiler puts it. C is
compiled by this machine's compiler, as this user; it may include its headers and files in the folders that -I names.

    %neon_check mine.S --contract qu8_gemm_q31 --isa aarch64 --tile 8x8      as `neonsim check`; a call that fails is
                                                                             opened in the stepper
    %neon_time result --core cortex-a53                                      what a run that -o kept would cost

"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .magic_options import short_errors

__all__ = ["load_ipython_extension"]

EXERCISE_HELP = """An exercise in a notebook: answers checked in a cell, hints, the score, results for the teacher.

    ex = ns.Exercise("saturating-add")       shows what is to be done, and the text to start from
    %%neon_exercise saturating-add           a cell whose text is the answer: checked, and scored when it is right
    ex.check(text)                           the same for a text in Python
    ex.hint()                                the next hint
    ex.export("results.json", who="Ada")     for the teacher

A wrong answer shows the smallest case that fails, how the right value comes about, and the stepper at the step that
wrote the wrong one.
"""


def load_ipython_extension(ipython: Any) -> None:
    """Register the magics (IPython calls this on `%load_ext neonsim`). What they run is loaded by the first cell."""

    def cell_magic(magic: str) -> Callable[[str, str], None]:
        def run(line: str, cell: str) -> None:
            from IPython.display import display as show

            from .magics import run_cell

            with short_errors():
                result, face = run_cell(line, cell, ipython.user_ns, magic)
            for warning in result.warnings:
                print(f"warning: {warning}")
            show(face)  # type: ignore[no-untyped-call]
        run.__doc__ = __doc__
        return run

    def line_magic(magic: str) -> Callable[[str], None]:
        def run(line: str) -> None:
            from .magics import run_line

            with short_errors():
                found = run_line(line, ipython.user_ns, magic)
            print(found)
            if getattr(found, "smallest", None) is not None:
                from IPython.display import display as show

                from .stepper import failing_stepper

                stepper = failing_stepper(found.smallest, found.name)
                if stepper is not None:
                    show(stepper)  # type: ignore[no-untyped-call]
        run.__doc__ = __doc__
        return run

    def exercise_magic(line: str, cell: str) -> None:
        from IPython.display import display as show

        from .exercise import run_exercise

        with short_errors():
            answer = run_exercise(line, cell, ipython.user_ns)
        show(answer)  # type: ignore[no-untyped-call]

    exercise_magic.__doc__ = EXERCISE_HELP
    ipython.register_magic_function(exercise_magic, magic_kind="cell", magic_name="neon_exercise")
    for name in ("neon", "neon_c"):
        ipython.register_magic_function(cell_magic(f"%%{name}"), magic_kind="cell", magic_name=name)
    for name in ("neon_check", "neon_time"):
        ipython.register_magic_function(line_magic(f"%{name}"), magic_kind="line", magic_name=name)
