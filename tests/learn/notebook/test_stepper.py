from __future__ import annotations

import sys
from gzip import decompress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.render import Run, payload, split
from tests.needs import needs

needs("anywidget", install="pip install anywidget")
traitlets = pytest.importorskip("traitlets")


def test_carries_the_run(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot, names={"vacc": ("v16",)}, columns={"w": 8}, title="dot", step=3)
    data = payload(dot, names={"v16": "vacc"}, columns={"w": 8}, title="dot")
    assert decompress(stepper.payload) == data and len(stepper.payload) < len(data) / 3, "as a page carries it"
    assert (stepper.step, repr(stepper)) == (3, f"<Stepper: step 3 of {dot.steps}>")


def test_script_and_style_are_one_widget_of_all_steppers(dot: ns.Trace) -> None:
    one, other = ns.Stepper(dot), ns.Stepper(dot)
    state = one.get_state()
    assert one.code is other.code and state["code"] == f"IPY_MODEL_{one.code.model_id}"
    assert len(state["_esm"]) < 2000 and "_css" not in state and state["own_id"] == one.model_id
    assert "class Stepper " in one.code.script and ".nsim" in one.code.style
    one.code.close()
    assert ns.Stepper(dot).code.comm is not None, "widgets closed all at once: the next one has its script"


def test_marimo_shares_the_text_of_widgets_itself(dot: ns.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "marimo", SimpleNamespace(running_in_notebook=lambda: True))
    stepper = ns.Stepper(dot)
    assert stepper.code is None and "class Stepper " in stepper._esm and ".nsim" in stepper._css


class Shell:
    """Of IPython what is used: the cell that runs, and who is told that one does."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.cell = ""
        self.events = SimpleNamespace(register=lambda event, act: self.told.append((event, act)))
        self.kernel = SimpleNamespace(get_parent=lambda: {"metadata": {"cellId": self.cell}})

    def run(self, cell: str) -> None:
        self.cell = cell
        for event, act in self.told:
            assert event == "pre_run_cell"
            act(None)


def test_cells_run_again_close_what_they_showed(dot: ns.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    monkeypatch.setattr("neonsim.learn.notebook.cell.running_shell", lambda: shell)
    monkeypatch.setattr("neonsim.learn.notebook.shared_assets.running_shell", lambda: shell)
    shell.run("a")
    made, kept = ns.Stepper(dot), ns.Stepper(dot)
    layout = made.layout
    shell.run("b")
    kept._repr_mimebundle_()
    assert len(shell.told) == 1
    shell.run("a")
    assert made.comm is None and layout.comm is None and kept.comm is not None, "cell b shows the other still"
    again = ns.Stepper(dot)
    shell.run("b")
    assert kept.comm is None and again.comm is not None
    # The object can be shown again.
    data, _ = kept._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == kept.own_id and kept.comm is not None
    shell.run("")
    anywhere = ns.Stepper(dot)
    shell.run("")
    assert anywhere.comm is not None, "who does not say which cell runs closes nothing"


def test_core_adds_modeled_cycles(dot: ns.Trace) -> None:
    header, columns = split(decompress(ns.Stepper(dot, core="cortex-a53").payload))
    timing = ns.time(dot, core="cortex-a53")
    assert header["timing"]["core"] == "cortex-a53" and header["timing"]["cycles"] == timing.cycles
    assert columns["issue_cycle"].tolist() == timing.run.issue
    assert [header["timing"]["units"][k] for k in columns["unit"]] == timing.run.unit


def test_step_stays_inside(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot)
    stepper.step = dot.steps
    for step in (-1, dot.steps + 1):
        with pytest.raises(traitlets.TraitError, match="step must be 0"):
            stepper.step = step


@pytest.mark.parametrize("step", [0, 3, 20], ids=["start", "load", "end"])
def test_a_picture_stands_in(dot: ns.Trace, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An output of its own: programs show one type of an output, and some take the widget's without having it."""
    stepper = ns.Stepper(dot, step=step)
    outputs: list[dict[str, str]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: outputs.append(data))
    stepper._ipython_display_()
    picture, widget = outputs
    assert picture["text/plain"] == f"<Stepper: step {step} of 20>"
    page = picture["text/html"]
    assert "Save Widget State Automatically" in page and stepper.snapshot().image in page
    assert list(widget) == ["application/vnd.jupyter.widget-view+json"]
    data, _ = stepper._repr_mimebundle_()
    assert data == {**picture, **widget}, "in one output where a host asks for one"


@pytest.mark.parametrize(("what", "message"), [
    (None, "trace=False"), (42, "int: no recorded run")], ids=["none", "number"])
def test_refuses_what_is_no_trace(what: Any, message: str) -> None:
    with pytest.raises(ns.BadArgument, match=message):
        ns.Stepper(what)


def test_refuses_a_result(dot: ns.Trace) -> None:
    class Result:
        trace = dot

    with pytest.raises(ns.BadArgument, match=r"Result: take its \.trace"):
        ns.Stepper(Result())  # type: ignore[arg-type]


def test_refuses_a_step_outside(dot: ns.Trace) -> None:
    with pytest.raises(ns.BadArgument, match=r"step must be in 0\.\.20; got 21"):
        ns.Stepper(dot, step=21)


def test_refuses_a_core_it_does_not_know(dot: ns.Trace) -> None:
    with pytest.raises(ns.NeonsimError, match="cortex-a5"):
        ns.Stepper(dot, core="cortex-a5")


DOT = (Path(__file__).parents[2] / "render" / "dot.S").read_text(encoding="utf-8")


def ask(stepper: ns.Stepper, text: str, number: int = 1) -> dict[str, Any]:
    """What the page does when its reader presses run."""
    stepper.request = {"number": number, "text": text}
    assert stepper.answer["number"] == number
    return stepper.answer


def test_changed_text_runs_on_the_same_arguments(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot, core="cortex-a53", columns={"w": 8}, step=12)
    assert stepper.runs
    assert ask(stepper, DOT)["problem"] == ""
    assert stepper.trace.state(20) == dot.state(20) and stepper.payload == \
        ns.Stepper(dot, core="cortex-a53", columns={"w": 8}).payload
    answer = ask(stepper, DOT.replace("v0.h[5]", "v0.h[2]"), 2)
    assert answer == {"number": 2, "problem": "", "errors": [], "said": "Run again: 20 steps (counted)."}
    assert stepper.step == 12 and stepper.trace.state(20)["v16"] != dot.state(20)["v16"]


@pytest.mark.parametrize(("old", "new", "said", "line"), [
    ("v0.h[5]", "v0.h[9]", "^", 14), ("b.ne    loop", "b.ne    .Lop", "no label `.Lop`", 16),
    ("dot:", "other:", "dot", None),
    (".global", ".glob<img>", "<img>", 4)], ids=["lane", "label", "entry", "directive"])
def test_wrong_text_is_answered_with_its_place(dot: ns.Trace, old: str, new: str, said: str, line: int | None) -> None:
    stepper = ns.Stepper(dot, step=3)
    before = stepper.payload
    answer = ask(stepper, DOT.replace(old, new))
    assert said in answer["problem"] and (line is None or answer["errors"][0]["line"] == line)
    assert (stepper.payload, stepper.step) == (before, 3), "what was shown stays"
    assert ask(stepper, DOT, 2)["problem"] == "", "and the next text runs"


@pytest.mark.parametrize(("old", "new", "said"), [
    ("b.ne    loop", "b       loop", "past its end"), ("subs    x2, x2, #1", "b .", "never ends"),
    ("usubl   v1.8h, v1.8b, v2.8b", "usubl   v1.8h, v1.8b, v9.8b", "v9")], ids=["fault", "endless", "uninitialized"])
def test_a_run_that_fails_is_shown_up_to_there(dot: ns.Trace, old: str, new: str, said: str) -> None:
    stepper = ns.Stepper(dot)
    answer = ask(stepper, DOT.replace(old, new))
    assert said in answer["problem"] and f"Shown are the {stepper.trace.steps} steps up to there" in answer["problem"]
    assert stepper.step == stepper.trace.steps > 0


def test_interrupted(dot: ns.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    stepper = ns.Stepper(dot)
    monkeypatch.setattr("neonsim.learn.notebook.stepper.rerun", stop)
    assert "interrupted" in ask(stepper, DOT)["problem"]
    monkeypatch.undo()
    assert ask(stepper, DOT, 2)["problem"] == ""


def test_what_cannot_be_run_again_says_so() -> None:
    program = ns.assemble("mov x1, #50\n0: subs x1, x1, #1\n b.ne 0b\n ret", isa="aarch64")
    stepper = ns.Stepper(ns.Machine(isa="aarch64").call(program, trace="last 10").trace)
    assert not stepper.runs
    assert "first 92 steps and the memory before them were not kept" in ask(stepper, "ret")["problem"]


def test_data_of_the_text_moves_with_it() -> None:
    text = "f: adr x1, table\n ldr q0, [x1]\n ld1 {v1.16b}, [x0]\n add v0.16b, v0.16b, v1.16b\n ret\n" \
        " .data\n .align 4\ntable: .fill 16, 1, 3\n"
    machine = ns.Machine(isa="aarch64")
    where = machine.memory.place(np.arange(16, dtype=np.uint8), name="a")
    stepper = ns.Stepper(machine.call(ns.assemble(text, isa="aarch64"), where, trace=True).trace)
    assert ask(stepper, text.replace("1, 3", "1, 5"))["problem"] == ""
    assert stepper.trace.state(stepper.trace.steps)["v0"] == bytes(range(5, 21))


def test_two_runs(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot, core="cortex-a53", columns={"w": 8}, title="one", compare_with=Run(dot, title="two"))
    header, _ = split(decompress(stepper.beside))
    assert header["title"] == "two" and header["timing"]["core"] == "cortex-a53"
    same = ns.Stepper(dot, columns={"w": 8}, compare_with=dot)
    assert split(decompress(same.beside))[0]["buffers"][1]["columns"] == 8
    with pytest.raises(ns.BadArgument, match="compare_with=second"):
        ns.Stepper(dot, dot)  # type: ignore[arg-type]
    with pytest.raises(ns.BadArgument, match="compare_with= must be another Trace"):
        ns.Stepper(dot, compare_with="cortex-a53")  # type: ignore[arg-type]


def test_changed_text_is_compared_anew_with_the_run_beside_it(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot, compare_with=dot)
    assert split(decompress(stepper.beside))[0]["differs"]["said"].startswith("No difference of data")
    ask(stepper, DOT.replace("smlal2", "smlsl2"))
    found = split(decompress(stepper.beside))[0]["differs"]
    assert found["every"][0][:3] == [8, 8, 1] and found["said"].startswith("First difference of data: v16.s[0]")


def test_caches(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot, core="cortex-a53", caches="cold")
    assert split(decompress(stepper.payload))[0]["timing"]["caches"]["state"] == "cold"
    with pytest.raises(ns.BadArgument, match="caches= needs a core"):
        ns.Stepper(dot, caches="cold")
    with pytest.raises(ns.BadArgument, match="got 'hot'"):
        ns.Stepper(dot, core="cortex-a53", caches="hot")


def test_changes_by_hand(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot, core="cortex-a53", columns={"w": 8}, step=7)
    before = stepper.payload

    def change(number: int, **asked: Any) -> dict[str, Any]:
        stepper.request = {"number": number, "change": asked}
        assert stepper.answer["number"] == number
        return stepper.answer

    for asked, said in (({"step": 7, "name": "v16.s32[0]", "value": "2147483648"}, "-2147483648..2147483647"),
                        ({"step": 20, "name": "x2", "value": "1"}, "must be in 0..19"), ({"step": 7}, "a change needs"),
                        ({"step": 7, "name": "<b>", "value": "1"}, "unknown register '<b>'"),
                        ({"step": "x", "name": "x2", "value": "1"}, "a change needs")):
        answer = change(1, **asked)
        assert said in answer["problem"] and "\n" not in answer["problem"]
        assert (stepper.payload, stepper.step, stepper.trace) == (before, 7, dot), "what was shown stays"
    assert change(2, step=7, name="v16.s32[0]", value="-5")["said"].startswith("changed by hand at step 7: v16.s32[0]")
    assert change(3, step=9, name="w[1,2]", value="3")["problem"] == "" and stepper.undoable == 2
    header, _ = split(decompress(stepper.payload))
    assert [(one["step"], one["name"], one["now"]) for one in header["changes"]] == [
        (7, "v16.s32[0]", "-5"), (9, "w[1,2]", "3")]
    # A text run afterwards begins with the memory of the call, not with that of a changed run.
    assert ask(stepper, DOT, 4)["problem"] == "" and stepper.payload == before and stepper.undoable == 0
    stepper.request = {"number": 5, "undo": True}
    assert "no change to undo" in stepper.answer["problem"]


def test_a_change_that_fails_shows_the_run_up_to_there(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot)
    stepper.request = {"number": 1, "change": {"step": 3, "name": "x0", "value": "64"}}
    assert "Shown are the" in stepper.answer["problem"] and stepper.trace.steps < dot.steps and stepper.step == 3
    stepper.request = {"number": 2, "undo": True}
    assert stepper.trace is dot and stepper.answer["said"].startswith("Undone: x0 is")
