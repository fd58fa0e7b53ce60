from __future__ import annotations

import pytest

import neonsim as ns
from neonsim.render import payload, split

pytest.importorskip("anywidget", reason="needs anywidget: pip install anywidget")
traitlets = pytest.importorskip("traitlets")


def test_carries_the_run(dot: ns.Trace) -> None:
    stepper = ns.Stepper(dot, names={"vacc": ("v16",)}, columns={"w": 8}, title="dot", step=3)
    assert stepper.payload == payload(dot, names={"v16": "vacc"}, columns={"w": 8}, title="dot")
    assert (stepper.step, repr(stepper)) == (3, f"<Stepper: step 3 of {dot.steps}>")
    assert "export default { render }" in stepper._esm and ".nsim" in stepper._css


def test_core_adds_modelled_cycles(dot: ns.Trace) -> None:
    header, columns = split(ns.Stepper(dot, core="cortex-a53").payload)
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


@pytest.mark.parametrize("step", [0, 3, 7, 9, 20], ids=["start", "load", "smlal", "subs", "end"])
def test_still_picture_for_code_hosts(dot: ns.Trace, step: int) -> None:
    data, _ = ns.Stepper(dot, step=step)._repr_mimebundle_()
    assert data["image/svg+xml"].startswith("<svg") and "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == f"<Stepper: step {step} of 20>"


@pytest.mark.parametrize(("what", "message"), [
    (None, "trace=False"), (42, "int: no recorded run")], ids=["none", "number"])
def test_refuses_what_is_no_trace(what: object, message: str) -> None:
    with pytest.raises(ns.BadArgument, match=message):
        ns.Stepper(what)


def test_refuses_a_result(dot: ns.Trace) -> None:
    class Result:
        trace = dot

    with pytest.raises(ns.BadArgument, match=r"Result: take its \.trace"):
        ns.Stepper(Result())


def test_refuses_a_step_outside(dot: ns.Trace) -> None:
    with pytest.raises(ns.BadArgument, match=r"step must be 0\.\.20"):
        ns.Stepper(dot, step=21)


def test_refuses_a_core_it_does_not_know(dot: ns.Trace) -> None:
    with pytest.raises(ns.NeonsimError, match="cortex-a5"):
        ns.Stepper(dot, core="cortex-a5")
