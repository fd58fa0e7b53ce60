"""Planted differences are found at their layer and element, and explained."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.verify.debugger.dump import read_dump
from tests.tiers import every

LAYERS = ["conv", "deep", "sum", "join", "point", "pool", "flat", "dense", "shares"]


def _first(wanted: dict[str, np.ndarray], got: dict[str, np.ndarray]) -> tuple[str, tuple[int, ...]]:
    """First layer and element that differ, by looking."""
    for name in LAYERS:
        unequal = np.argwhere(wanted[name] != got[name])
        if len(unequal):
            return name, tuple(int(i) for i in unequal[0])
    raise AssertionError("nothing differs: nothing is planted")


def _weight(made: dict[str, np.ndarray]) -> None:
    made["deep"][3, 1, 1, 0] += 40 if made["deep"][3, 1, 1, 0] < 80 else -40


def _bias(made: dict[str, np.ndarray]) -> None:
    made["point bias"][7] += 300


def _swap(made: dict[str, np.ndarray]) -> None:
    for name in ("conv", "conv scale", "conv bias"):
        made[name][[2, 5]] = made[name][[5, 2]]


@pytest.mark.parametrize(("change", "layer", "words"), every(3, [
    (_weight, "deep", "of 9 values of w differ, first w[3,1,1,0]"), (_bias, "point", "the bias is"),
    (_swap, "conv", "the sums differ")]), ids=lambda v: getattr(v, "__name__", str(v))[:9])
def test_another_file(planted: Any, network: Model, change: Callable[[dict[str, np.ndarray]], None], layer: str,
                      words: str) -> None:
    x, other = planted.image(), planted.model_of(planted.graph_of(change))
    found = ns.explain_difference(network, x, a="xnnpack", b=other, core="cortex-a53")
    wanted, got = planted.tensors(planted.graph_of(), x), planted.tensors(planted.graph_of(change), x)
    assert not found and found.first is not None
    assert (found.first.place.name, found.first.place.index) == _first(wanted, got)
    assert found.first.place.name == layer and words in found.first.cause
    assert [one.tensor for one in found.differing] == [layer], "from equal inputs only its own layer differs"
    at = found.first.place.index
    assert found.first.values == (wanted[layer][at], got[layer][at])
    free = {one.tensor: one.free.total() for one in found.layers}
    assert free == {name: int((wanted[name] != got[name]).sum()) for name in LAYERS}
    step = found.first.step
    assert step is not None and found.first.writer.agrees and step.value == int(wanted[layer][at]) & 0xFF
    assert found.first.writer.core == "cortex-a53" and found.first.writer.cycles > 100
    assert step.sum_step is not None and step.right_sum == found.first.sides[0].account.total


def test_against_a_dump_with_a_swapped_channel(planted: Any, network: Model) -> None:
    x = planted.image()
    wanted = planted.tensors(planted.graph_of(), x)
    dump = dict(wanted)
    dump["deep"] = dump["deep"][..., [0, 1, 4, 3, 2, 5, 6, 7]]
    found = ns.explain_difference(network, x, a="xnnpack", b={name: dump[name] for name in ("conv", "deep")})
    assert found.first is not None and found.first.place.index == _first(wanted, dump)[1]
    assert "in another order: channel 2 holds what is channel 4 here" in found.first.cause
    assert [str(cause) for cause in found.causes] == [found.first.cause.partition(": -7")[0]] and not found.verdict
    assert set(found.missing) == set(LAYERS) - {"conv", "deep"}


def _no_bias(*names: str) -> Callable[[dict[str, np.ndarray]], None]:
    def change(made: dict[str, np.ndarray]) -> None:
        for name in names:
            made[f"{name} bias"][:] = 0
    return change


@pytest.mark.slow
@pytest.mark.parametrize(("names", "words"), [
    (("conv",), "in the layer 'conv' before it: the bias is forgotten"),
    pytest.param(("conv", "deep", "point", "dense"), "in each of 4 layers, as in the first: the bias is forgotten",
                 marks=pytest.mark.nightly)])
def test_a_cause_before_what_a_dump_holds(planted: Any, network: Model, names: tuple[str, ...], words: str) -> None:
    """Of the network's result alone; a weight of a layer between that is another has no name."""
    x = planted.image()
    dump = planted.tensors(planted.graph_of(_no_bias(*names)), x)
    found = ns.explain_difference(network, x, a="xnnpack", b={"shares": dump["shares"]})
    assert [str(cause) for cause in found.causes] == [words] and found.first is not None and words in found.first.cause
    other = planted.tensors(planted.graph_of(_weight), x)
    found = ns.explain_difference(network, x, a="xnnpack", b={"pool": other["pool"]})
    assert not found.causes and "None of the causes known here" in str(found)


@pytest.mark.parametrize("rule", every(3, ["q31", "rndnu", "precise"]))
def test_another_rounding_in_one_layer(planted: Any, network: Model, rule: str) -> None:
    """Of a dump: the layer is found, and the rule by its name; the sum equals a formula of numpy."""
    x = planted.image()
    wanted, dump = (planted.tensors(planted.graph_of(rules={"point": one}), x) for one in ("fp32", rule))
    found = ns.explain_difference(network, None, a="xnnpack", b=dump)
    assert found.first is not None and found.first.place.name == "point"
    at = found.first.place.index
    assert at == _first(wanted, dump)[1] and [one.tensor for one in found.differing] == ["point"]
    assert rule in found.differing[0].explains and rule in found.verdict and rule in found.first.cause
    assert found.differing[0].equal == dict(zip(*map(np.ndarray.tolist, np.unique(
        (dump["point"].astype(int) - wanted["point"])[dump["point"] != wanted["point"]], return_counts=True)),
        strict=True))
    made = planted.graph_of().node("point").operator
    row = wanted["join"][at[0], at[1], at[2]].astype(np.int64) - 1
    total = int(row @ made.w.values[at[3], 0, 0].astype(np.int64) + made.bias[at[3]])
    assert found.first.sides[0].account is not None and found.first.sides[0].account.total == total
    assert found.picture is not None and rule in found.picture.description


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> str:
    """A second arithmetic: as the first, but for the rounding of products."""
    from dataclasses import replace

    monkeypatch.setitem(ARITHMETICS, "twice", replace(
        ARITHMETICS["xnnpack"], name="twice", products="q31", depthwise={"int8": "q31"}, connected="q31"))
    return "twice"


@pytest.mark.nightly
def test_two_arithmetics_on_any_backend(planted: Any, network: Model, second: str) -> None:
    """The first that differs is where two runs by definition first differ, on every backend."""
    x, rules = planted.image(), dict.fromkeys(("conv", "deep", "point", "dense"), "q31")
    wanted, got = planted.tensors(planted.graph_of(), x), planted.tensors(planted.graph_of(rules=rules), x)
    for backend in (None, "reference"):
        found = ns.explain_difference(network, x, a="xnnpack", b=second, backend=backend)
        assert found.first is not None and (found.first.place.name, found.first.place.index) == _first(wanted, got)
        assert "one sum, " in found.first.cause and found.first.writer.step is not None
        assert len(found.first.sides) == 2 and "the same terms, the same sum" in str(found)
        told = found.to_dict()
        assert told["first"]["ways"][1]["rule"] == "q31" and not told["equal"]
    dump = {name: got[name] for name in LAYERS}
    against = ns.explain_difference(network, x, a="xnnpack", b=dump)
    assert against.verdict.startswith("from equal inputs every layer of the dump has the bytes of ")
    assert "twice" in against.verdict and "xnnpack" not in against.verdict
    assert ns.explain_difference(network, x, a=second, b=dump).equal


def test_many_inputs(planted: Any, network: Model, second: str) -> None:
    inputs = [planted.image(seed) for seed in range(4)]
    found = ns.count_differences(network, inputs, a="xnnpack", b=second, backend="reference")
    rules = dict.fromkeys(("conv", "deep", "point", "dense"), "q31")
    free = dict.fromkeys(LAYERS, 0)
    for x in inputs:
        wanted, got = planted.tensors(planted.graph_of(), x), planted.tensors(planted.graph_of(rules=rules), x)
        for name in LAYERS:
            free[name] += int((wanted[name] != got[name]).sum())
    assert sum(free.values()) > 0 and {one.tensor: one.free.total() for one in found.layers} == free
    assert all("q31" in one.explains for one in found.differing)
    assert found.inputs == 4 and all(one.compared == 4 * np.prod(one.shape) for one in found.layers)
    assert "4 inputs" in str(found) and "rules that give all of twice" in str(found)
    assert ns.count_differences(network, inputs[:2], a=second, b=second).equal
    with pytest.raises(BadArgument, match="no inputs"):
        ns.count_differences(network, [], a="xnnpack", b="xnnpack")
    dumps = [planted.tensors(planted.graph_of(), x) for x in inputs[:2]]
    assert ns.count_differences(network, inputs[:2], a="xnnpack", b=dumps)
    with pytest.raises(BadArgument, match="must have the same length"):
        ns.count_differences(network, inputs[:3], a="xnnpack", b=dumps)


def test_equal_is_true_and_says_so(planted: Any, network: Model) -> None:
    found = ns.explain_difference(network, planted.image(), a="xnnpack", b="xnnpack")
    assert found and found.first is None and "the same bytes in all 9 tensors" in str(found)
    with pytest.raises(BadArgument, match="do not differ"):
        ns.Stepper(found)


def test_the_element_asked_for_both_ways(planted: Any, network: Model, second: str) -> None:
    found = ns.explain_difference(network, planted.image(), a="xnnpack", b=second, at="point:1,2,3")
    assert found.first is not None and found.first.place.index == (0, 1, 2, 3) and len(found.first.sides) == 2
    if len(set(found.first.values)) == 1:
        assert "both sides have the same value" in found.first.cause
    page = found._repr_html_()
    outside = re.sub(r"src='[^']*'", "", page)
    assert "<img" in page and "<svg" not in outside and "<script" not in page  # SVG is taken out of untrusted notebooks


def test_dumps_as_files(planted: Any, network: Model, tmp_path: Path) -> None:
    x = planted.image()
    dump = planted.tensors(planted.graph_of(rules={"conv": "q31"}), x)
    folder = tmp_path / "dump"
    folder.mkdir()
    for name, array in dump.items():
        np.save(folder / f"{name}.npy", array)
    np.save(folder / "somebody else's.npy", np.zeros(4))
    np.savez(tmp_path / "dump.npz", **dump)
    found = [ns.explain_difference(network, a="xnnpack", b=one)
             for one in (dump, folder, str(folder), tmp_path / "dump.npz")]
    assert len({tuple(tuple(sorted(layer.equal.items())) for layer in one.layers) for one in found}) == 1
    assert found[1].unmatched == ("somebody else's",) and not found[0].unmatched
    for name in dump:       # a number, and another input
        (folder / f"{name}.npy").unlink()
    np.save(folder / f"{network.record.outputs[0]}.npy", dump["shares"])
    assert [one.tensor for one in ns.explain_difference(network, x, a="xnnpack", b=folder).layers] == ["shares"]
    other = ns.explain_difference(network, planted.image(2), a="xnnpack", b=dump)
    assert "the input itself differs: 'input' at [0, 0, 0, 0]" in str(other)


def _cut(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:-20])
    return path


@pytest.mark.parametrize(("b", "words"), [
    ({}, "has no tensor"), ({"cnv": np.zeros(3)}, "'cnv' may be 'conv'"),
    ("nobody", "unknown arithmetic 'nobody'"),
    ({"conv": np.zeros((2, 8, 8, 8), np.float32)}, "give the integers"), (3, "unknown arithmetic 3"),
    ({"conv": np.zeros((2, 8, 8), np.int8)}, r"has \[2, 8, 8, 8\]"), ("./nowhere", "there is no dump"),
    ({"conv": np.zeros((2, 8, 8, 8), np.int8)}, "x is missing")], ids=str)
def test_wrong_dumps_are_refused(planted: Any, network: Model, b: Any, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        ns.explain_difference(network, None if "missing" in words else planted.image(), a="xnnpack", b=b)


def test_damaged_dumps_are_refused(planted: Any, network: Model, tmp_path: Path) -> None:
    np.savez(tmp_path / "cut.npz", conv=np.zeros((2, 8, 8, 8), np.int8))
    np.savez(tmp_path / "objects.npz", conv=np.array([{}], object))
    np.savez(tmp_path / "large.npz", conv=np.zeros((2, 8, 8, 9), np.int8))
    for name, words in (("cut.npz", "not a complete .npz"), ("objects.npz", "is object, 'conv' is int8"),
                        ("large.npz", "has shape")):
        path = tmp_path / name
        with pytest.raises(BadArgument, match=words):
            ns.explain_difference(network, planted.image(), a="xnnpack", b=_cut(path) if name == "cut.npz" else path)
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(BadArgument, match=r"no \.npy file"):
        ns.explain_difference(network, planted.image(), a="xnnpack", b=folder)
    (folder / "conv.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00{'descr': '|i1', 'fortran_order': False, 'shape': "
                                      b"(99999999999999,), }\n")
    with pytest.raises(BadArgument, match=r"not a complete \.npy"):
        ns.explain_difference(network, planted.image(), a="xnnpack", b=folder)
    np.save(folder / "conv.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(BadArgument, match=r"not a complete \.npy"):
        ns.explain_difference(network, planted.image(), a="xnnpack", b=folder)


def test_damage_by_chance(planted: Any, network: Model, tmp_path: Path) -> None:
    """Bytes of archives and of headers changed: read, or refused with a sentence."""
    dump = planted.tensors(planted.graph_of(), planted.image())
    np.savez(tmp_path / "whole.npz", **dump)
    folder = tmp_path / "folder"
    folder.mkdir()
    np.save(folder / "conv.npy", dump["conv"])
    sources = [(tmp_path / "whole.npz", tmp_path / "some.npz"), (folder / "conv.npy", folder)]
    rng, refused = np.random.default_rng(0), 0
    for source, read in sources:
        whole = source.read_bytes()
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(4):
                place = int(rng.integers(len(data) - 900, len(data))) if read.suffix else int(rng.integers(120))
                data[place] = int(rng.integers(32, 127))
            (read if read.suffix else read / "conv.npy").write_bytes(data)
            try:
                read_dump(read, network)
            except BadArgument as problem:
                refused += 1
                assert "\n" not in str(problem)
    assert refused > 50
