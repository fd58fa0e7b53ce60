"""Arguments of wrong kinds end in a sentence of the project's own, for every public function and constructor."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.common.argument_types import is_protocol, judged
from neonsim.errors import BadArgument, NeonsimError
from neonsim.nn.graph import Graph, gather, plan
from neonsim.nn.ops import Clamp
from neonsim.quant import Quantized, Scheme

PACKAGES = ("arm.asm", "arm.isa", "arm.machine", "arm.timing", "bench.board", "learn.course", "learn.notebook",
            "nn.formats", "nn.graph", "nn.ops", "quant", "quant.winograd", "render", "studies.sweeps", "ukernel",
            "ukernel.kernelgen", "ukernel.packing", "verify.checking", "verify.debugger", "verify.proving")
OTHERS = {"nn.backends": "a protocol and records", "cli": "words of a command line",
          "arm.semantics": "the vocabulary of meanings, called for every instruction"}
# Constructors that are not the project's, and what a host calls.
EXCUSED = {"DynamicResult": "an array of numpy's", "Catalog": "a tuple", "load_ipython_extension": "IPython calls it",
           "block_of": "one function for each class",
           "join_modules": "files of the package", "static_text": "files of the package"}
# What takes long, or asks other programs, when its other arguments are right.
LONG = {"prove", "sweep", "layer_shapes", "layer_lines", "load_c", "measure", "mobilenet_v1", "mobilenet_v2",
        "resnet18", "shufflenet_v1", "squeezenet", "model", "check", "measurement_program", "compile_program"}
WRONG: dict[str, Any] = {"3": 3, "-1": -1, "[]": [], "x": "x", "inf": float("inf"), "nan": float("nan"), "None": None,
                         "dict": {"a": 1}, "object": object(), "array": np.zeros((2, 2)), "bytes": b"x"}


PROGRAM = "f: add x0, x0, #1\n ret"


def _public() -> Iterator[tuple[str, Any]]:
    """Functions and constructors by room and name, each once."""
    seen = set[int]()
    for room in PACKAGES:
        module = importlib.import_module(f"neonsim.{room}")
        for name in module.__all__:
            found = getattr(module, name)
            if id(found) in seen or not (inspect.isclass(found) or inspect.isfunction(found)) or name in EXCUSED:
                continue
            seen.add(id(found))
            made = not inspect.isclass(found) or (inspect.isfunction(found.__init__) and not issubclass(
                found, BaseException) and not is_protocol(found) and not inspect.isabstract(found))
            if made:
                yield f"{room}.{name}", found


def test_every_package_is_judged() -> None:
    folder = Path(ns.__file__).parent
    inner = {name.partition(".")[0] for name in (*PACKAGES, *OTHERS) if "." in name}
    found = {place.parent.name for place in folder.glob("*/__init__.py")} - {"common", *inner}
    assert found == {name for name in (*PACKAGES, *OTHERS) if "." not in name} - inner, (
        "a package is judged (check_arguments), or OTHERS of this test says why not")
    lost = [name for name, found in _public()
            if not hasattr(found.__init__ if inspect.isclass(found) else found, "__judged__")]
    assert not lost, f"not judged: {', '.join(lost)}"


def graph() -> Graph:
    made, scheme = Graph("small", (1, 4, 4, 8), Scheme(0.5, 3)), Scheme(0.5, 3)
    return made.finish(made.add_node("y", Clamp(scheme, output_min=3, output_max=9), "input"))


@pytest.mark.parametrize(("act", "words"), [
    (lambda: graph().plan(backend=3), "plan: backend is a str or a sequence, each of it a str or None; got 3"),  # type: ignore[arg-type]
    (lambda: plan(graph(), backend=3), "plan: backend is a str or"),  # type: ignore[arg-type]
    (lambda: plan(3), "plan: graph is a Graph; got 3"),  # type: ignore[arg-type]
    (lambda: graph().plan("native", family=[]), r"family must be the name of a family of kernels, or None; got \[\]"),
    (lambda: gather.pad_indices("int8", (4,), ((1, 1),), fill="x"), "the fill of a padding of int8 must be an integer"),  # type: ignore[arg-type]
    (lambda: gather.pad_indices("int8", (4,), ((1, 1),), fill=200), r"in -128\.\.127; got 200"),
    (lambda: gather.pad_indices("float32", (4,), ((1, 1),), fill=float("nan")),
     "the fill of a padding of float32 must be a num"),
    (lambda: Clamp(Scheme(0.5, 3), output_min=3, output_max=9)(), r"clamp takes 1 inputs \(x\); got 0"),
    (lambda: ns.assemble(PROGRAM, isa="aarch64").address(3), "instruction 3 does not exist; the last is 1"),
    (lambda: ns.kernels([]), r"kernels: contract is a str or None; got \[\]"),  # type: ignore[arg-type]
    (lambda: ns.load_model(3), "load_model: path is a str or a Path; got 3"),  # type: ignore[arg-type]
    (lambda: ns.quantize(object(), "tflite", calibration=[]), "quantize: graph is a Graph; got an object"),  # type: ignore[arg-type]
    (lambda: ns.ops.resize_bilinear(Quantized(np.zeros((1, 2, 2, 1), np.uint8), 1.0), size=3),  # type: ignore[arg-type]
     "ResizeBilinear: size is a sequence, each of it an integer; got 3"),
])
def test_the_kinds_are_named(act: Callable[[], object], words: str) -> None:
    with pytest.raises(NeonsimError, match=words) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_what_is_not_about_kinds_is_passed_on() -> None:
    @judged
    def half(number: int, *more: float, scheme: Scheme | None = None, **names: str) -> float:
        """With a fault: it fails for zeros, and for names."""
        return float(number / (1 / number) + sum(more) + (0 if scheme is None else scheme.scale) + len(names["a"]))

    assert half(2, 0.5, a="xy") == 6.5 and half.__name__ == "half"
    with pytest.raises(ZeroDivisionError):
        half(0, a="x")
    with pytest.raises(KeyError):
        half(1)
    with pytest.raises(TypeError, match=r"unexpected|missing"):
        half()      # type: ignore[call-arg]
    for act, words in (
            (lambda: half("2", a="x"), "half: number is an integer; got '2'"),  # type: ignore[arg-type]
            (lambda: half(True, None, a="x"), "half: number is an integer; got True"),
            (lambda: half(2, None, a="x"), "half: more is a number; got None"),
            (lambda: half(2, float("inf"), a=3), "half: more is a finite number; got inf"),  # type: ignore[arg-type]
            (lambda: half(2, scheme={}, a="x"), "half: scheme is a Scheme or None; got {}"),  # type: ignore[arg-type]
            (lambda: half(2, a=3), "half: names is a str; got 3")):  # type: ignore[arg-type]
        with pytest.raises(BadArgument, match=words) as caught:
            act()
        assert isinstance(caught.value.__cause__, Exception)


def _samples() -> dict[str, Any]:
    """Something right by the text of an annotation, as far as most functions go."""
    program, kernel = ns.assemble(PROGRAM, isa="aarch64"), ns.kernel("qu8_sumrows_4x__aarch64_neon")
    return {"str": "x", "int": 1, "float": 1.0, "bool": False, "Scheme": Scheme(0.5, 3), "Graph": graph(),
            "Quantized": Quantized(np.zeros((1, 4, 4, 8), np.uint8), 0.5, 3), "ArrayLike": np.zeros(4), "Pair": 1,
            "Program": program, "Kernel": kernel, "Contract": kernel.contract, "Machine": ns.Machine(),
            "Trace": ns.Machine().call(program, 3).trace, "Shape": (1, 4, 4, 8), "Size": (1, 1), "Path": "x"}


def _sample(parameter: inspect.Parameter, samples: dict[str, Any]) -> Any:
    said = str(parameter.annotation).split("|")[0].strip()
    if "NDArray" in said:
        return np.zeros((2, 2), np.float32)
    return samples.get(said, samples.get(said.rpartition(".")[2], samples["Quantized"]))


def _raw(where: str, function: Callable[..., Any], samples: dict[str, Any]) -> list[str]:
    """Every parameter gets each wrong kind, the others something right: what is raised and is not the project's own."""
    parameters = [one for one in inspect.signature(function).parameters.values()
                  if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    needed, found = [one for one in parameters if one.default is one.empty], list[str]()
    for wrong in parameters:
        for kind, value in WRONG.items():
            args = [value if one is wrong else _sample(one, samples) for one in needed if one.kind != one.KEYWORD_ONLY]
            given = {one.name: value if one is wrong else _sample(one, samples) for one in needed
                     if one.kind == one.KEYWORD_ONLY} | ({} if wrong in needed else {wrong.name: value})
            try:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    function(*args, **given)
            except NeonsimError:
                pass
            except Exception as problem:
                found.append(f"{where}({wrong.name}={kind}): {type(problem).__name__}: {problem}"[:200])
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("room", PACKAGES)
def test_every_wrong_kind_of_every_argument(room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    samples = _samples()
    raw = [one for where, function in _public() if where.startswith(f"{room}.") and where.rpartition(".")[2] not in LONG
           for one in _raw(where, function, samples)]
    assert not raw, "\n".join(raw)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_methods_of_those_that_people_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    samples, raw, looked = _samples(), list[str](), 0
    operator = Clamp(Scheme(0.5, 3), output_min=3, output_max=9)
    samples |= {"Operator": operator, "Plan": operator.plan((1, 4, 4, 8), backend="reference")}
    for name in ("Graph", "Scheme", "Quantized", "Machine", "Program", "Kernel", "Trace", "Operator", "Plan"):
        held = samples[name]
        for method, _ in inspect.getmembers(type(held), lambda one: hasattr(one, "__judged__")):
            if method != "__init__":
                looked += 1
                raw += _raw(f"{name}.{method}", getattr(held, method), samples)
    assert looked > 50 and not raw, f"{looked}\n" + "\n".join(raw)


def test_functions_go_to_other_processes() -> None:
    for room, one in ((ns, ns.check), (ns, ns.assemble), (ns.ops, ns.ops.conv2d)):
        assert pickle.loads(pickle.dumps(one)) is getattr(room, one.__name__)


def test_what_a_room_loads_later_is_there_and_judged() -> None:
    from neonsim import render

    assert all(hasattr(render, name) for name in render.__all__)
    assert hasattr(render.nc4hw4_picture, "__judged__") and render.nc4hw4_picture.__module__ == "neonsim.render"
    with pytest.raises(AttributeError, match=r"neonsim\.render has no 'nosuch'"):
        _ = render.nosuch
    from neonsim.arm import asm

    asm.assemble("f: ret", isa="aarch64")
    assert hasattr(asm.Program.address, "__judged__")       # with the first name that loads it
