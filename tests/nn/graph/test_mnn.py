"""The study of MNN's article: its figures as derived here, and what is measured is a measure of something."""

from __future__ import annotations

import pytest

from neonsim.common.study_report import PLACES
from neonsim.nn.backends.native import library
from neonsim.nn.graph import model
from neonsim.quant.winograd import choose
from neonsim.studies.kernels import Report
from neonsim.studies.kernels.nc4hw4_loads import count_loads
from neonsim.studies.networks.mnn import LAYERS, allocation, cost_curve, mnn_study, odd_windows

MISSING = library.available()


# What the paper's formula and the code's rules take, derived apart from the study: (n, gain) and n.
TILES = {"56x56 64-64": (8, 3.75, 6), "28x28 128-128": (7, 4.40, 6), "14x14 256-256": (7, 4.87, 2),
         "7x7 512-512": (7, 5.14, 2), "112x112 3-32": (4, 1.11, None)}


@pytest.fixture(scope="module")
def study() -> Report:
    return mnn_study(measure=False)


def test_only_what_others_state_is_reproduced_or_corrected(study: Report) -> None:
    """n = 8, 3.75x, errors, 32: nobody's but ours. Nothing of that is called stated, published or reproduced."""
    stated = {claim.subject: claim.stated for claim in study.data if claim.stands != "ours"}
    assert stated == {"fewer multiplications of F(2, 3)": "2.25x", "fewer multiplications of F(4, 3)": "4x",
                      "fewer multiplications of F(6, 3)": "5.06x",
                      "... multiplications of a level, and of two": "seven for eight",
                      "speed beside other engines, on phones": "20 to 40 % faster"}
    for claim in study.data:
        assert claim.stands in PLACES and (claim.stated == "-") == (claim.stands == "ours"), claim
        if claim.stands == "ours":
            assert not {"reproduced", "corrected"} & set(claim.verdict.replace(":", "").split()), claim
    assert study.table[0][1:3] == ["stated", "stands in"] and "published" not in str(study)


def test_tiles_are_those_of_formula_and_rules(study: Report) -> None:
    claims = study.data
    places = {claim.subject: at for at, claim in enumerate(claims)}
    for name, (n, gain, of_code) in TILES.items():
        at = places[f"tile of {name} 3x3"]
        assert claims[at].result == f"n = {n}, {gain:.2f}x" and claims[at].stands == "ours"
        assert claims[at + 1].subject.startswith("... by the code") == (of_code is not None)
        assert of_code is None or claims[at + 1].result.startswith(f"n = {of_code}, ")
    assert claims[places["Strassen: squares from which a level pays"]].result == "32"


def test_half_steps_are_not_better_everywhere(study: Report) -> None:
    verdicts = {claim.subject[9:16]: claim.verdict.rpartition(" is ")[2] for claim in study.data
                if claim.subject.startswith("error of")}
    assert verdicts == {"F(2, 3)": "worse", "F(4, 3)": "no different",
                        **dict.fromkeys(("F(6, 3)", "F(4, 5)", "F(2, 7)"), "better")}


def test_the_curve_has_its_least_where_the_choice_is() -> None:
    figure = cost_curve(LAYERS)
    for layer, series in zip(LAYERS, figure.series, strict=True):
        least = min(series.points[:8], key=lambda point: point[1])
        assert least[0] == choose(layer).n and least[0] in {x for _, x, _ in figure.marks}
        assert dict(series.points)[1.0] == 1.0
    assert [mark[1:] for mark in figure.marks] == [(8, "n = 8"), (7, "n = 7"), (4, "n = 4")]


def test_four_channels_are_one_load() -> None:
    """On both instruction sets, for the same numbers; on planes each lane is a load of its own."""
    found = {(one.isa, one.layout): one.loads for one in count_loads(20)}
    assert found == {("aarch64", "NC4HW4"): 20, ("aarch64", "planes"): 80, ("aarch32", "NC4HW4"): 20,
                     ("aarch32", "planes"): 80}


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_what_is_measured() -> None:
    """Times are times, whatever they are here; memory that is fresh is fetched page by page."""
    one = allocation(model("mobilenet_v1", quantization="qs8", size=64), 0.05)
    assert one.reused > 0 and one.run > 0
    # Every page, of 2 MiB where the system gives such ones; nan: not counted.
    assert one.faults[1] >= one.bytes / (1 << 21) or one.faults[1] != one.faults[1]
    for dtype in ("int8", "float32"):
        rates = odd_windows(17, 64, 0.3, dtype)
        assert {"1x7", "7x1", "3x3"} <= set(rates) and min(rates.values()) > 0, rates
