"""While steps are recorded the collector of garbage is off; afterwards it is as it was."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator

import pytest

import neonsim as ns
from neonsim.arm.machine.engines.gc_pause import without_collector

LOOP = ns.assemble("f: mov x2, #0\n1: add x2, x2, x0\n cmp x2, x1\n b.ne 1b\n mov x0, x2\n ret\n", isa="aarch64")
ENDLESS = ns.assemble("f: add x0, x0, #1\n b f\n", isa="aarch64")


@pytest.fixture(autouse=True)
def collector_on() -> Iterator[None]:
    was = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was else gc.disable)()


@pytest.mark.parametrize("way", ["run", "step", "call"])
def test_nothing_is_collected_while_steps_are_recorded(way: str) -> None:
    """2 000 steps keep some ten thousand objects, which the collector would look at more than ten times."""
    machine, seen = ns.Machine("aarch64"), list[str]()
    gc.callbacks.append(callback := lambda phase, _: seen.append(phase))
    try:
        if way == "call":
            machine.call(LOOP, 1, 700, engine="interpreter")
        else:
            machine.start(LOOP, 1, 700)
            seen.clear()
            machine.run() if way == "run" else machine.step(3000)
    finally:
        gc.callbacks.remove(callback)
    assert machine.steps == 1 + 3 * 700 + 2
    assert len(seen) <= 2 * 3, f"{len(seen) // 2} collections"      # before it and behind it
    assert gc.isenabled()


def test_steps_leave_no_cycles() -> None:
    machine = ns.Machine("aarch64")
    machine.start(LOOP, 1, 10)
    machine.run()
    gc.collect()
    machine.start(LOOP, 1, 700)
    with without_collector():
        machine.run()
        assert gc.collect() < 100     # of 2 103 steps


@pytest.mark.parametrize("on", [True, False])
def test_it_is_as_it_was_after_errors_and_in_one_another(on: bool) -> None:
    (gc.enable if on else gc.disable)()
    machine = ns.Machine("aarch64")
    machine.start(ENDLESS, 1)
    with pytest.raises(ns.StepLimit):
        machine.run(max_steps=50)
    assert gc.isenabled() == on
    with without_collector():
        machine.start(LOOP, 1, 5)
        machine.run()
        assert not gc.isenabled()
    assert gc.isenabled() == on


def test_the_last_of_several_threads_turns_it_on_again() -> None:
    inside, leave = threading.Event(), threading.Event()

    def record() -> None:
        with without_collector():
            inside.set()
            leave.wait(60)

    other = threading.Thread(target=record)
    other.start()
    assert inside.wait(60)
    with without_collector():
        pass
    assert not gc.isenabled()
    leave.set()
    other.join()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_does_not_wait_for_threads_of_its_parent() -> None:
    with without_collector():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_a_condition_of_the_callers_own_leaves_it_on() -> None:
    machine, seen = ns.Machine("aarch64"), list[bool]()

    def fourth(m: ns.Machine) -> bool:
        seen.append(gc.isenabled())
        return m.steps == 4

    machine.start(LOOP, 1, 5)
    machine.run(fourth)
    assert seen == [True] * 4
