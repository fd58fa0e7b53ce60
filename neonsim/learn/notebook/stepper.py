"""The stepper in a notebook: records once, replays in the browser; a click asks the kernel nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import parse_qsl, urlencode
from uuid import uuid4

import anywidget
import traitlets
from ipywidgets import Widget, widget_serialization

from neonsim.arm.asm import assemble
from neonsim.arm.machine import rerun, rerun_with_edits
from neonsim.arm.machine.arch.register_names import Names
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, NeonsimError
from neonsim.render import Picture, Run, join_modules, payload, stepper_styles, still_picture, write_page
from neonsim.render.stepper.payload import packed

from .cell import Cell, running_cell
from .placeholder import stand_in
from .shared_assets import register_stepper, stepper_code

if TYPE_CHECKING:
    from neonsim.arm.asm import Program
    from neonsim.arm.machine.trace.trace import Trace
    from neonsim.arm.timing import Timing
    from neonsim.verify.checking import FailingCase

__all__ = ["HasRun", "Stepper", "failing_stepper"]

WIDGET = "application/vnd.jupyter.widget-view+json"
MAX_RERUN = 50_000  # steps of a run of changed text: an endless loop answers in two or three seconds


@runtime_checkable
class HasRun(Protocol):
    """What was found in a run, and knows which run that is: an `Explanation`, say, or `Differences`."""

    def stepper_run(self, core: str | None = None) -> tuple[Trace, dict[str, Any]]:
        """Return the run, and what a stepper takes with it: names, title, step."""
        ...


class Stepper(anywidget.AnyWidget):
    """Step through a recorded run: code, registers, lanes and memory on one page.

    trace      Trace   of a call with trace=True (one tile); or what `ns.explain_difference` or `ns.explain_byte` gave:
               the run that wrote the element, at that step
    core       name of a core ("cortex-a53"): modelled cycles are shown beside the steps; None: no cycles
    caches     with a core: "cold" or "warm", as of `time`: its caches are shown, step by step; None: every access hits
    names      register -> name, or a kernel header's name -> registers (`header.register_names()`)
    columns    buffer -> elements per row of its picture, for buffers that are no matrix ({"w": 8})
    title      a heading
    step       where to start: the number of instructions already executed
    view       how the page is set up: types, lane order, breakpoints, bookmarks, watches, tab, as a link to a page
               written by `trace.to_html` carries it; what this run does not have is left out
    compare_with   another Trace (or a `neonsim.render.Run` of it, with names and a title of its own): both are stepped
               together, by step, by iteration of the loop or by modelled cycle; d goes to where their data differ
    max_steps  of a run of changed text, or with changed values
    cell       where the run comes from; the magics say it

    `stepper.step` follows the page and moves it, and so does `stepper.view`. `ns.Stepper(trace, view=stepper.view)`
    copies its settings, and `stepper.to_html(path)` writes a page with them. `stepper.trace` is the run it shows,
    `stepper.text` its program. In the page: arrow keys or n and p step, Home and End go to the ends, space runs and
    pauses, a click on a line of the program runs to it, ? lists the keys. Bars between the panes are dragged, or moved
    with the arrow keys; link, view and browser remember them; "whole width" gives the program all of it. "edit" opens
    the text: changed and run again, with the arguments and the memory of the recorded call, it takes the place of the
    run; every mistake is shown beside its line; the text goes to a cell of the notebook. "change" puts another value
    into a register or a cell of memory at the step shown, and the run goes on with it; undo shows the run before.

    Keys go to the stepper when it is clicked, reached by Tab, or when its cell is run in place (Ctrl Enter): it never
    takes them from an editor, or from another cell that is selected. Escape gives them back to the cell.

    Raises BadArgument if this is not a trace, the step is outside it, or a name does not belong to it.
    """

    _esm = join_modules("loader.js")

    own_id = traitlets.Unicode("").tag(sync=True)
    code = traitlets.Instance(Widget, allow_none=True).tag(sync=True, **widget_serialization)
    payload = traitlets.Bytes(b"").tag(sync=True)    # compressed, as a page has it; and that of the run beside
    beside = traitlets.Bytes(b"").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    view = traitlets.Unicode("").tag(sync=True)
    runs = traitlets.Bool(False).tag(sync=True)  # whether changed text can be run here
    request = traitlets.Dict().tag(sync=True)    # from the page: number; text, or change (step, name, value), or undo
    answer = traitlets.Dict().tag(sync=True)     # to the page: number, problem, errors, said
    cell = traitlets.Dict().tag(sync=True)       # line, id, own: see Cell
    undoable = traitlets.Int(0).tag(sync=True)   # changes by hand that can be undone

    def __init__(self, trace: Trace | HasRun, core: str | None = None, *, names: Names | None = None,
                 columns: Mapping[str, int] | None = None, title: str = "", step: int = 0,
                 compare_with: Trace | Run | None = None, max_steps: int = MAX_RERUN,
                 caches: str | None = None, cell: Cell | None = None, view: str = "") -> None:
        run, found = trace.stepper_run(core) if isinstance(trace, HasRun) else (trace, {})
        names, title, step = names or found.get("names"), title or found.get("title", ""), step or found.get("step", 0)
        if not hasattr(run, "write_start"):
            raise BadArgument("Stepper needs a Trace, as result.trace of machine.call(..., trace=True); got "
                              f"{_what(run)}")
        if hasattr(core, "write_start"):
            raise BadArgument("pass a second run by name: Stepper(first, compare_with=second)")
        step = as_int(step, "step", 0, run.steps)
        if not isinstance(view, str):
            raise BadArgument(f"view must be the view of another Stepper, a str; got {type(view).__name__}")
        if caches is not None and core is None:
            raise BadArgument("caches= needs a core: add core=, as in Stepper(trace, core=\"cortex-a53\", "
                              "caches=\"cold\")")
        self._core, self._caches, self._names, self._columns, self._title = core, caches, names, columns, title
        self._max_steps = max_steps
        data = self._packed(run)
        second = b""
        self._beside: Run | None = None
        if compare_with is not None:
            other = Run.from_trace(compare_with, columns)
            self._beside = replace(other, timing=other.timing or self._timing(other.trace))
            second = packed(self._beside.pack(run))
        self._trace = run
        self._before: list[Trace] = []  # the runs that values were changed in
        self._text: str | None = None
        self._cell = cell or Cell(_line_of(run), running_cell())
        code, own_id = stepper_code(), uuid4().hex
        if code is None:
            self._esm, self._css = join_modules("widget.js"), stepper_styles()
        super().__init__(payload=data, beside=second, step=step, view=view, runs=_can_run_again(run), code=code,
                         cell={"line": self._cell.line, "id": self._cell.id, "own": self._cell.is_program},
                         model_id=own_id, own_id=own_id)
        register_stepper(self)

    @property
    def trace(self) -> Trace:
        """The run that is shown: the one given, or that of the text as it was changed last."""
        return self._trace

    def to_html(self, path: str | Path, *, live: bool = False) -> Path:
        """Write the run as a page of its own, set up and standing where this stepper does; returns its path.

        live   the page computes: in it values can be changed as here, without a kernel (see
               `neonsim.render.stepper.page`)

        Raises BadArgument where nothing can be written there, or for a run that such a page cannot do.
        """
        view = urlencode({**dict(parse_qsl(self.view)), "step": self.step})
        return write_page(self._trace, path, names=self._names, timing=self._timing(self._trace), title=self._title,
                          columns=self._columns, compare_with=self._beside, view=view, live=live)

    @property
    def text(self) -> str:
        """The program of that run as text: as it was edited last, or as it was assembled from."""
        program = self._trace.program
        return self._text if self._text is not None else "\n".join(program.lines) if program.lines else str(program)

    def _timing(self, trace: Trace) -> Timing | None:
        if self._core is None or not trace.steps:
            return None
        from neonsim.arm.timing import time

        return time(trace, core=self._core, caches=self._caches)

    def _packed(self, trace: Trace) -> bytes:
        return packed(payload(trace, names=self._names, timing=self._timing(trace), title=self._title,
                              columns=self._columns))

    @traitlets.observe("request")
    def _run_again(self, change: Any) -> None:
        """The page asks for another run. Whatever happens, it gets an answer."""
        asked = change["new"]
        number = asked.get("number", 0)
        try:
            if "undo" in asked:
                self._undo(number)
            elif "change" in asked:
                self._change(number, asked["change"])
            else:
                self._edit(number, asked.get("text", ""))
        except NeonsimError as error:
            self._say(number, error)
        except KeyboardInterrupt:
            self._say(number, "interrupted: the run shown is the last one that was finished")
        except Exception as error:  # a message lost in a log would be silence: the page says it, the traceback follows
            self._say(number, f"{type(error).__name__}: {error}")
            raise

    def _edit(self, number: int, text: str) -> None:
        unchanged = self._before[0] if self._before else self._trace
        trace, problem = rerun(unchanged, self._assembled(text), max_steps=self._max_steps)
        self._text = text
        self._before.clear()
        self._show(number, trace, problem, trace.steps if problem else min(self.step, trace.steps),
                   f"Run again: {trace.steps} steps (counted).")

    def _change(self, number: int, asked: Any) -> None:
        """A value changed by hand at a step."""
        try:
            step, name, value = int(asked["step"]), str(asked["name"]), str(asked["value"])
        except (TypeError, KeyError, ValueError):
            raise BadArgument("a change needs a step, the name of a place, and a value") from None
        # A run that was recorded may be done again, and twice as long.
        trace, problem = rerun_with_edits(self._trace, step, {name: value}, columns=self._columns,
                                          max_steps=max(self._max_steps, 2 * self._trace.steps))
        self._before.append(self._trace)
        self._show(number, trace, problem, step, f"{trace.changes[-1]}. From here on {trace.steps - step} steps "
                                                 "(counted).")

    def _undo(self, number: int) -> None:
        if not self._before:
            raise BadArgument("there is no change to undo")
        taken = self._trace.changes[-1]
        self._show(number, self._before.pop(), None, taken.step, f"Undone: {taken.name} is {taken.was} again at step "
                                                                 f"{taken.step}.")

    def _show(self, number: int, trace: Trace, problem: NeonsimError | None, step: int, said: str) -> None:
        """Another run takes the place of the one shown."""
        data = self._packed(trace)
        second = packed(self._beside.pack(trace)) if self._beside is not None else b""
        with self.hold_sync():
            self._trace = trace
            self.step = step
            self.payload, self.beside, self.undoable = data, second, len(self._before)
            self._say(number, problem or "", said, trace.steps if problem else None)
        self._cell.on_rerun(self.text, trace, problem)

    def _assembled(self, text: str) -> Program:
        path = Path(self._trace.program.path)
        return assemble(self._cell.complete(text), isa=self._trace.isa, include=[path.parent] if path.is_file() else [])

    def _say(self, number: int, problem: object, said: str = "", steps: int | None = None) -> None:
        errors = [{"path": one.path, "line": one.line, "column": one.column, "width": one.width, "text": one.text,
                   "message": one.message} for one in getattr(problem, "errors", ())]
        if steps is not None:
            problem = f"{problem}\nShown are the {steps} steps up to there."
        self.answer = {"number": number, "problem": str(problem), "errors": errors, "said": said}

    def __repr__(self) -> str:
        return f"<Stepper: step {self.step} of {self._trace.steps}>"

    def close(self) -> None:
        """Close the widget and its messages. The object opens again when it is displayed."""
        super().close()
        self.layout.close()
        self.__dict__.pop("_repr_mimebundle_", None)  # where a closed widget says that it cannot be shown

    def _ipython_display_(self) -> None:
        """Two outputs: a picture, for programs and pages that cannot show the stepper, and the stepper."""
        from IPython.display import display

        shows = self._repr_mimebundle_()
        display(stand_in(self.snapshot(), repr(self)), raw=True)  # type: ignore[no-untyped-call]
        display({WIDGET: shows[0][WIDGET]}, raw=True)  # type: ignore[no-untyped-call]

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The stepper as one output; beside it the picture."""
        if self.comm is None:
            self.code = stepper_code()
            self.layout.open()
            self.open()
        register_stepper(self)
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), **stand_in(self.snapshot(), repr(self))}, metadata

    def snapshot(self) -> Picture:
        """Return a still picture of the current step: the program at its line, and the registers that it uses."""
        return still_picture(self._trace, int(self.step), names=self._names, title=self._title)

    @traitlets.validate("step")
    def _inside(self, proposal: Any) -> int:
        value = int(proposal["value"])
        if not 0 <= value <= self._trace.steps:
            raise traitlets.TraitError(f"step must be 0..{self._trace.steps}, got {value}")
        return value


def failing_stepper(trouble: FailingCase | None, name: str, core: str | None = None, cell: Cell | None = None
                    ) -> Stepper | None:
    """Return a call that failed, at the step that has the wrong element as a lane (or at the one that was stopped).

    name   of the exercise or the kernel

    None if no call failed, or none by itself.
    """
    if trouble is None or trouble.trace is None:
        return None
    return Stepper(trouble.trace, core, step=trouble.opening_step, view=trouble.view, title=trouble.heading(name),
                   cell=cell)


def _line_of(trace: Trace) -> str:
    """The first line of a cell that runs such a program; its arguments have no names."""
    entry = trace.call[1] if trace.call else None
    return f"%%neon {trace.isa}" + (f" --entry {entry}" if entry else "")


def _can_run_again(trace: Trace) -> bool:
    return trace.call is not None and trace.grid is None and not trace.first


def _what(value: object) -> str:
    if value is None:
        return "None: was the call made with trace=False?"
    return f"{type(value).__name__}: " + ("take its .trace" if hasattr(value, "trace") else "no recorded run")
