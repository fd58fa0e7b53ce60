"""The stepper in a notebook: records once, replays in the browser; a click asks the kernel nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from neonsim.errors import BadArgument
from neonsim.render import Picture, join_modules, payload, registers_picture, static_text, step_picture
from neonsim.render.names import Names, locate

if TYPE_CHECKING:
    from neonsim.machine.trace import Trace
    from neonsim.timing import Timing

__all__ = ["Stepper"]


class Stepper(anywidget.AnyWidget):
    """Step through a recorded run: code, registers, lanes and memory on one page.

    trace     Trace   of a call with trace=True (one tile)
    core      name of a core ("cortex-a53"): modelled cycles are shown beside the steps; None: no cycles
    names     register -> name, or a kernel header's name -> registers (`header.register_names()`)
    columns   buffer -> elements per row of its picture, for buffers that are no matrix ({"w": 8})
    title     a heading
    step      where to start: the number of instructions already executed

    `stepper.step` follows the page and moves it. In the page: arrow keys or n and p step, Home and End go to the ends,
    space runs and pauses, a click on a line of the program runs to it.

    Raises BadArgument if this is not a trace, the step is outside it, or a name does not belong to it.
    """

    _esm = join_modules("widget.js")
    _css = static_text("stepper.css")

    payload = traitlets.Bytes(b"").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, trace: Trace, core: str | None = None, *, names: Names | None = None,
                 columns: Mapping[str, int] | None = None, title: str = "", step: int = 0) -> None:
        if not hasattr(trace, "write_start"):
            raise BadArgument("Stepper takes a Trace, as result.trace of machine.call(..., trace=True); "
                              f"got {_what(trace)}")
        if not 0 <= step <= trace.steps:
            raise BadArgument(f"step must be 0..{trace.steps}, got {step}")
        timing: Timing | None = None
        if core is not None:
            from neonsim.timing import time

            timing = time(trace, core=core)
        data = payload(trace, names=names, timing=timing, title=title, columns=columns)
        self._trace, self._names = trace, names
        super().__init__(payload=data, step=step)

    def __repr__(self) -> str:
        return f"<Stepper: step {self.step} of {self._trace.steps}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for viewers without widgets (code hosts) a picture of the step it stands at."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), "text/plain": repr(self), "image/svg+xml": str(self.snapshot())}, metadata

    def snapshot(self) -> Picture:
        """The step the page stands at as a still picture: its lanes, or its registers when it moves no lanes."""
        done = int(self.step)
        if done:
            try:
                return step_picture(self._trace, done - 1, names=self._names)
            except BadArgument:
                pass  # no lanes: a branch, a pointer; the registers are drawn instead
        state = self._trace.state(done)
        shown = [name for name in self._trace.locations if name in self._used()]
        return registers_picture(state, shown, isa=self._trace.isa, names=self._names, title=f"after {done} steps",
                                 before=self._trace.state(done - 1) if done else None)

    def _used(self) -> set[str]:
        trace = self._trace
        uses = {use.register for one in trace.program.instructions for use in (*one.reads, *one.writes)}
        return {locate(register, trace.isa)[0] for register in uses}

    @traitlets.validate("step")
    def _inside(self, proposal: Any) -> int:
        value = int(proposal["value"])
        if not 0 <= value <= self._trace.steps:
            raise traitlets.TraitError(f"step must be 0..{self._trace.steps}, got {value}")
        return value


def _what(value: object) -> str:
    if value is None:
        return "None: was the call made with trace=False?"
    return f"{type(value).__name__}: " + ("take its .trace" if hasattr(value, "trace") else "no recorded run")
