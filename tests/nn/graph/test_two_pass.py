"""The articles' comparison: what is counted in it, and that its numbers belong together."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.graph import mobilenet_v1, shufflenet_v1
from neonsim.studies.kernels import Bars
from neonsim.studies.networks.two_pass import KINDS, compare_two_pass

MISSING = library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))


def test_what_is_counted_and_what_follows() -> None:
    report = compare_two_pass([mobilenet_v1(0.25, 64), shufflenet_v1(64)], "qu8", runs=2)
    study = report.data
    layers = {(x.network, x.layer): x for x in study.layers}
    stem, dw, pw = (layers["mobilenet_v1", name] for name in ("stem", "dw1", "pw1"))
    assert (stem.kind, stem.matrix_bytes, stem.sum_bytes) == (KINDS[1], 32 * 32 * 27, 4 * 32 * 32 * 8)
    assert (dw.kind, dw.matrix_bytes, dw.sum_bytes) == (KINDS[2], 0, 4 * 32 * 32 * 8)
    assert (pw.kind, pw.matrix_bytes, pw.sum_bytes) == (KINDS[0], 0, 4 * 32 * 32 * 16)
    assert layers["shufflenet_v1", "stage2_2_a"].sum_bytes == 4 * 8 * 8 * 60      # of a layer behind a concatenation
    mine = [x.speedup for x in study.layers if x.network == "mobilenet_v1"]
    mean = study.mean("mobilenet_v1")
    assert len(mine) == 28 and mean is not None and math.isclose(mean, math.prod(mine) ** (1 / 28))
    assert study.mean("mobilenet_v1", KINDS[3]) == layers["mobilenet_v1", "classifier"].speedup
    assert study.arenas["mobilenet_v1"][1] >= study.arenas["mobilenet_v1"][0] + 4 * 32 * 32 * 16
    assert f"mobilenet_v1 {mean:.2f}x, the article 1.8x" in report.notes and "the article 2x" not in report.notes
    assert isinstance(report.figure, Bars) and [rule for rule, _ in report.figure.rules] == [1.8, 2.0]
    assert len(report.table[1]) == 2


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["bench", "two-pass", "--quick", "--only", "squeeze", "--json", "--html", str(page)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 26 and found["means"][0]["article"] is None and "processor" in found["machine"]
    one = found["rows"][0]
    assert math.isclose(one["ratio"], one["value"] / one["peer_value"])
    assert "<svg" in page.read_text(encoding="utf-8")
    with pytest.raises(BadArgument, match="no network to compare"):
        compare_two_pass([], "qu8")
    for words in (["--only", "alexnet"], ["--threads", "1,2", "--svg", "x.svg"], ["--threads", "0"]):
        assert main(["bench", "two-pass", "--quick", *words]) == 2
