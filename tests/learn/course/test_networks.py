"""The capstone's layer is the network's: its definition and its solution give the bytes of the runtimes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.learn.course import program_named
from neonsim.learn.course.tasks.networks import LAYER, layer_data
from neonsim.nn.graph.models import digits

COUNT = 4       # digits; 49 pixels each


def _run(x: np.ndarray) -> np.ndarray:
    """Pixels through the solution, all at a time."""
    machine, given = ns.Machine("aarch64"), layer_data()
    task = program_named("layer-of-digits")
    arrays = {"x": x, **given, "y": np.full((len(x), 32), 0x55, np.int8)}
    places = [machine.memory.place(array, name=name) for name, array in arrays.items()]
    machine.call(ns.assemble(task.solution("aarch64"), isa="aarch64"), len(x), *places, sanitize=False, trace=False)
    return machine.memory.fetch("y", "int8", (len(x), 32))


@pytest.mark.nightly
def test_the_layer_is_the_networks() -> None:
    images, _ = digits.sample()
    graph = digits.digits("qc8w", COUNT)
    plan = graph.plan("reference")
    plan.run(digits.input_of(graph, images[:COUNT]))
    before = graph.node(LAYER).inputs[0]
    x, wanted = plan.tensor(before).values.reshape(-1, 24), plan.tensor(LAYER).values.reshape(-1, 32)
    assert (wanted == -128).any() and len(np.unique(wanted)) > 50
    y = np.zeros_like(wanted)
    program_named("layer-of-digits").contract.function(n=len(x), x=x, y=y, **layer_data())
    assert np.array_equal(y, wanted)
    assert np.array_equal(_run(x), wanted)


@pytest.mark.nightly
def test_the_layer_in_litert(tmp_path: Path) -> None:
    interpreter = pytest.importorskip("ai_edge_litert.interpreter",
                                      reason="the outside check needs LiteRT: pip install 'neonsim[outside]'")
    from neonsim.nn.formats import write_tflite

    images, _ = digits.sample()
    graph = digits.digits("qc8w")
    head, layer = graph.part(graph.node(LAYER).inputs[0]), graph.part(LAYER)
    for image in images[:20]:
        found = []
        for number, part in enumerate((head, layer)):
            theirs = interpreter.Interpreter(model_path=str(write_tflite(part, tmp_path / f"{number}.tflite")))
            theirs.allocate_tensors()
            theirs.set_tensor(theirs.get_input_details()[0]["index"], digits.input_of(graph, image[None]).values)
            theirs.invoke()
            found.append(theirs.get_tensor(theirs.get_output_details()[0]["index"]))
        assert np.array_equal(_run(found[0].reshape(-1, 24)), found[1].reshape(-1, 32))
