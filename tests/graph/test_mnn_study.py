"""The study of MNN's article: its figures as derived here, and what is measured is a measure of something."""

from __future__ import annotations

import pytest

from neonsim.backends import native_library
from neonsim.graph import model
from neonsim.graph.fours_study import count_loads
from neonsim.graph.mnn_study import LAYERS, allocation, cost_curve, mnn_study, odd_windows
from neonsim.winograd import choose

MISSING = native_library.available()


@pytest.fixture(scope="module")
def rows() -> dict[str, tuple[str, str, str, str]]:
    return {claim.what: claim[1:] for claim in mnn_study(measure=False).claims}


@pytest.mark.nightly
def test_choices_are_reproduced(rows: dict[str, tuple[str, str, str, str]]) -> None:
    tiles = [row for what, row in rows.items() if what.startswith(("tile of", "fewer"))]
    assert len(tiles) == 8 and all(row[0] == row[1] and row[3] == "reproduced" for row in tiles)
    assert rows["Strassen: squares from which a level pays"][:2] == ("32", "32")


@pytest.mark.nightly
def test_half_steps_are_corrected(rows: dict[str, tuple[str, str, str, str]]) -> None:
    verdicts = {what[9:16]: row[3] for what, row in rows.items() if what.startswith("error of")}
    assert verdicts == {"F(2, 3)": "corrected: 1/2 is worse", "F(4, 3)": "corrected: no difference",
                        **dict.fromkeys(("F(6, 3)", "F(4, 5)", "F(2, 7)"), "reproduced: 1/2 is better")}


def test_the_curve_has_its_least_where_the_choice_is() -> None:
    figure = cost_curve([layer for layer, *_ in LAYERS])
    for (layer, *_), series in zip(LAYERS, figure.series, strict=True):
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
    assert one.kept > 0 and one.run > 0
    # Every page, of 2 MiB where the system gives such ones; nan: not counted.
    assert one.faults[1] >= one.bytes / (1 << 21) or one.faults[1] != one.faults[1]
    for dtype in ("int8", "float32"):
        rates = odd_windows(17, 64, 0.3, dtype)
        assert {"1x7", "7x1", "3x3"} <= set(rates) and min(rates.values()) > 0, rates
