"""Networks with variables: each run goes on where the last one ended, as in the runtime whose bytes they have."""

from __future__ import annotations

import json
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model
from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor

NATIVE = "native" if library.available() is None else "reference"
NAMES = ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu")

SCALE, ZERO = np.array([0.5], np.float32), np.array([0], np.int64)


def summing(**changes: Any) -> ModelIR:
    """y[t] = x[t] + y[t - 1], of numbers whose steps are all the same; the first y[-1] is 3."""
    def tensor(name: str) -> StoredTensor:
        return StoredTensor(name, (1, 4), "int8", SCALE, ZERO)
    tensors = (tensor("x"), StoredTensor("handle", (), "resource"), tensor("before"), tensor("y"))
    nodes = (IRNode("variable", "VAR_HANDLE", 0, (), (1,), {"variable": "sum"}),
             IRNode("read_variable", "READ_VARIABLE", 1, (1,), (2,)),
             IRNode("add", "ADD", 2, (0, 2), (3,), {"activation": "none"}),
             IRNode("assign_variable", "ASSIGN_VARIABLE", 3, (1, 3), ()))
    fields = {"initial": {"sum": np.full((1, 4), 3, np.int8)}, "nodes": nodes, **changes}
    return ModelIR("sum.tflite", "tflite", tensors, inputs=(0,), outputs=(3,), **fields)


ONE = np.array([[1, 2, 3, 4]], np.int8)


@pytest.mark.parametrize("backend", ["reference", "emulated", NATIVE])
def test_it_goes_on(backend: str) -> None:
    model = Model(summing())
    for count in range(1, 4):
        assert model.run(ONE, backend)[0].tolist() == (3 + count * ONE).tolist()
    assert model.state()["sum"].tolist() == (3 + 3 * ONE).tolist()
    model.reset()
    assert model.run(ONE, backend)[0].tolist() == (3 + ONE).tolist()


@pytest.mark.skipif(NATIVE != "native", reason="needs the C library: make native")
def test_bound_it_goes_on_by_itself() -> None:
    """From where the model was; the variable is the bound plan's own from then on, and its result is another array."""
    model, x = Model(summing()), ONE.copy()
    model.run(ONE)
    bound, other = model.bind(x), model.bind([ONE], np.zeros((1, 4), np.int8))
    for count in range(2, 5):
        y = bound.run()
        assert y.tolist() == (3 + count * ONE).tolist() and len(bound.outputs) == 1
        y[...] = 99             # no matter: what it remembers lies elsewhere
    assert other.run().tolist() == (3 + 2 * ONE).tolist() and model.state()["sum"].tolist() == (3 + ONE).tolist()
    x[...] = 0
    assert bound.run().tolist() == (3 + 4 * ONE).tolist()
    with pytest.raises(ns.BadArgument, match="takes 1 inputs; got 2"):
        model.bind([x, x])
    with pytest.raises(ns.BadArgument, match=r"1 results, y: .* got 2"):
        model.bind(x, [x, x])


def test_looking_is_no_step() -> None:
    model = Model(summing())
    for _ in range(2):
        assert model.run(ONE, until="y")[0].tolist() == (3 + ONE).tolist()
    assert model.state()["sum"].tolist() == [[3] * 4] and not model.report().missing


def test_back_to_where_it_was() -> None:
    model = Model(summing())
    model.run(ONE)
    saved, other = model.state(), pickle.loads(pickle.dumps(model))
    first = model.run(ONE)[0]
    model.reset(saved)
    assert np.array_equal(model.run(ONE)[0], first) and np.array_equal(other.run(ONE)[0], first)
    saved["sum"][:] = 0         # a copy
    assert np.array_equal(model.state()["sum"], first)
    for wrong in ({}, {"sum": ONE, "more": ONE}, {"sum": ONE.astype(np.uint8)}, {"sum": ONE[0]}, {"sum": None}):
        with pytest.raises(ns.BadArgument, match="variable"):
            model.reset(wrong)


def test_threads_take_turns() -> None:
    model, ones = Model(summing()), np.ones((1, 4), np.int8)
    def some() -> None:
        for _ in range(10):
            model.run(ones)
    threads = [threading.Thread(target=some) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.state()["sum"].tolist() == [[43] * 4]


def test_what_is_wrong_with_variables() -> None:
    nodes, wrong = summing().nodes, np.zeros((1, 5), np.int8)
    for record, words in (
            (summing(initial={}), "node 1, READ_VARIABLE: nothing has written the variable 'sum'"),
            (summing(initial={"sum": wrong}), r"it begins as int8 \[1, 5\]"),
            (summing(nodes=(nodes[0], IRNode("read_variable", "READ_VARIABLE", 1, (0,), (2,)), *nodes[2:])),
             "its first input is not a variable"),
            (summing(nodes=(*nodes[:3], IRNode("assign_variable", "ASSIGN_VARIABLE", 3, (0, 3), ()))),
             "node 3, ASSIGN_VARIABLE: its first input is not a variable")):
        model = Model(record)
        assert model.report().missing
        with pytest.raises(ns.ModelError, match=words):
            model.run(ONE)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(pytest.param(name, marks=pytest.mark.nightly) for name in NAMES[:3]), NAMES[3]])
def test_frames_of_real_models(name: str, words: list[Path]) -> None:
    """Reference, native, and emulated at first: the same bytes."""
    path = next(path for path in words if path.stem == name)
    models = {backend: ns.load_model(path) for backend in ("reference", NATIVE, "emulated")}
    x = models["reference"].inputs[0]
    frames = np.random.default_rng(1).integers(-128, -60, (6, *x.shape)).astype(np.int8)
    for number, frame in enumerate(frames):
        found = [model.run(frame, backend)[0] for backend, model in models.items()
                 if number < 1 or backend != "emulated"]
        assert all(np.array_equal(one, found[0]) for one in found), number


def test_frames_of_a_file_of_numbers(words: list[Path], tmp_path: Path, capsys: Any) -> None:
    """neonsim run FILE --npy FRAMES: one axis more in front, or a longer first one."""
    model, name = ns.load_model(words[0]), str(tmp_path / "frames.npy")
    frames = np.random.default_rng(2).integers(-128, -60, (5, *model.inputs[0].shape)).astype(np.int8)
    wanted = [model.run(frame)[0].tolist() for frame in frames]
    for given in (frames, frames[:, 0]):
        np.save(name, given)
        assert main(["run", str(words[0]), "--npy", name, "--json"]) == 0
        assert list(json.loads(capsys.readouterr().out)["outputs"].values()) == [wanted]
    assert main(["run", str(words[0]), "--npy", name]) == 0
    assert "of 5, the highest" in capsys.readouterr().out
    for wrong, said in ((frames[:0], "has no frames"), (frames[:, :, 1:], "be int8 [1, 3, 40]; got int8")):
        np.save(name, wrong)
        assert main(["run", str(words[0]), "--npy", name]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_every_tensor_of_frames_against_litert(name: str, words: list[Path], litert: Any) -> None:
    """50 frames, one after the other; the first two emulated."""
    path = next(path for path in words if path.stem == name)
    data, numbers = litert.all_seen(path.read_bytes())
    theirs, seen = litert.interpreter(data), set()
    models = {backend: ns.load_model(path) for backend in ("reference", NATIVE, "emulated")}
    record = models["reference"].record
    rng = np.random.default_rng(1)
    for frame in range(50):
        # Quiet, as most sounds are, with louder ones between; the whole range now and then.
        high = 128 if frame % 10 == 9 else -128 + int(rng.integers(1, 250))
        x = rng.integers(-128, high, record.tensors[record.inputs[0]].shape).astype(np.int8)
        litert.run(theirs, [x])
        for backend, model in models.items():
            if backend == "emulated" and frame > 1:
                continue
            model.run(x, backend, keep=backend == NATIVE)
            for number in numbers:
                tensor = record.tensors[number].name
                assert np.array_equal(model.tensor(tensor), theirs.get_tensor(number)), (frame, backend, tensor)
        seen.add(bytes(theirs.get_tensor(numbers[-3])))      # before the logistic function
    assert len(seen) > 1
