"""What the caches did, as columns of a recording: against a cache written here, and against the model's own counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.render import payload, split

NONE = 0xFFFFFFFF
WALK = """
walk:   ldr     x4, [x0]
        ldr     x5, [x0, x1]
        add     x7, x0, x1, lsl #1
        ldr     x6, [x7]
        prfm    pldl1keep, [x3, #256]
        str     x4, [x3]
        add     x0, x0, #64
        add     x3, x3, #64
        subs    x2, x2, #1
        b.ne    walk
        ret
"""


@pytest.fixture(scope="module")
def walk() -> ns.Trace:
    """Three columns a way of the cache apart (more than an A72 has ways), one stored to, one line asked for ahead."""
    machine = ns.Machine(isa="aarch64")
    a = machine.memory.place(np.arange(80_000, dtype=np.uint8), name="a")
    c = machine.memory.alloc(8192, name="c")
    trace = machine.call(ns.assemble(WALK, isa="aarch64"), a, 16384, 20, c, trace=True).trace
    assert trace is not None
    return trace


def caches_of(trace: ns.Trace, core: str, state: str) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    timing = ns.time(trace, core=core, caches=state)
    header, columns = split(payload(trace, timing=timing))
    return timing, header["timing"]["caches"], columns


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
@pytest.mark.parametrize("state", ["cold", "warm"])
def test_ways_and_victims_are_those_of_a_cache_that_forgets_the_longest_unused(walk: ns.Trace, core: str, state: str
                                                                               ) -> None:
    _, caches, columns = caches_of(walk, core, state)
    used: dict[int, int] = {}                    # line -> when it was used last
    place = {}                                   # (set, way) -> line
    for now, (line, way) in enumerate(zip(columns["first_line"], columns["first_way"], strict=True)):
        used[int(line)], place[int(line) % caches["sets"], int(way)] = now - 10**6, int(line)
    assert bool(place) == (state == "warm")
    missed = 0
    rows = [columns[f"touch_{name}"].tolist() for name in ("line", "what", "way", "out")]
    for now, (line, what, way, out) in enumerate(zip(*rows, strict=True)):
        here = line % caches["sets"], way
        if what & 3 < 2:
            assert place[here] == line and out == NONE
        else:
            missed += 1
            mates = [other for (which, _), other in place.items() if which == here[0]]
            assert line not in mates
            if len(mates) == caches["ways"]:
                assert out == min(mates, key=used.__getitem__) == place[here]
            else:
                assert out == NONE and here not in place
            place[here] = line
        used[line] = now
    assert bool(missed) == (core == "cortex-a72" or state == "cold")
    assert any(out != NONE for out in rows[3]) == (core == "cortex-a72")


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_each_access_says_where_it_was_found(walk: ns.Trace, core: str) -> None:
    timing, caches, columns = caches_of(walk, core, "cold")
    what = Counter(columns["touch_what"].tolist())
    traffic = timing.traffic.values()
    assert what[2] + what[3] == sum(moved.l1_misses for moved in traffic)
    assert sum(n for bits, n in what.items() if bits > 3) == sum(moved.prefetched for moved in traffic) > 0
    assert sum(n for bits, n in what.items() if bits & 3 == 3) == sum(moved.l2_misses for moved in traffic)
    assert what[8 + 3], "a prefetch instruction"
    steps = np.repeat(np.arange(walk.steps), np.diff(walk.access_start))
    found = columns["access_found"].tolist()
    assert len(found) == len(steps) and set(found) <= {0, 1, 2, 3}
    for k, step in enumerate(steps.tolist()):
        own = columns["touch_what"][columns["touch_step"] == step].tolist()
        assert found[k] == max(bits for bits in own if bits < 4)
    # The first column: every line is new, and nobody fetched the first one.
    assert found[0] == 3 and caches == {"state": "cold", "prefetch": True, "line": 64, "sets": caches["sets"],
                                        "ways": timing.core.memory.l1_ways, "sets2": caches["sets2"],
                                        "ways2": timing.core.memory.l2_ways}


def test_a_line_used_again_is_there() -> None:
    program = ns.assemble("ldr x1, [x0]\n ldr x2, [x0, #60]\n nop\n ldr x3, [x0, #8]\n ret", isa="aarch64")
    machine = ns.Machine(isa="aarch64")
    a = machine.memory.place(np.arange(256, dtype=np.uint8), name="a")
    timing = ns.time(trace := machine.call(program, a, trace=True).trace, core="cortex-a53", caches="cold")
    _, columns = split(payload(trace, timing=timing))
    # The second crosses into a line that is new; the third finds the first line on its way.
    assert columns["access_found"].tolist() == [3, 3, 1]
    assert columns["touch_what"].tolist()[:3] == [3, 1, 3]


def test_without_caches_there_are_no_such_columns(dot: ns.Trace) -> None:
    header, columns = split(payload(dot, timing=ns.time(dot, core="cortex-a53")))
    assert header["timing"]["caches"] is None
    assert not [name for name in columns if name.startswith(("touch", "first_", "access_found"))]
