"""Networks on two clusters: the arithmetic of shares against trying them; phones name cores that are here."""

from __future__ import annotations

import json

import numpy as np
import pytest

from neonsim.arm.timing import cores
from neonsim.cli import main
from neonsim.studies.networks.phones import PHONES, Cluster, ClusterSplit, Phone

PHONE = Phone("one", "chip", Cluster("cortex-a73", (2.0, 1.0)), Cluster("cortex-a53", (1.0,) * 2), False)
# Millions of cycles: the second layer suits the LITTLE cores better.
SPLIT = ClusterSplit(PHONE, "net", ((30e6, 60e6), (12e6, 12e6), (6e6, 18e6)))


def test_phones_name_cores_that_are_here() -> None:
    assert {cluster.core for phone in PHONES for cluster in (phone.big, phone.little)} <= set(cores())


def test_one_cluster() -> None:
    assert SPLIT.big == pytest.approx(48 / 3)           # ms: million cycles / GHz of all cores
    assert SPLIT.little == pytest.approx(90 / 2)


def test_even_shares_end_with_the_slowest_core() -> None:
    # A quarter of each layer on every core; of the big ones the slower runs at 1 GHz as the LITTLE ones do.
    assert SPLIT.even == pytest.approx((60 + 12 + 18) / 4)


def test_no_share_is_better_than_the_best() -> None:
    tried = [SPLIT.static(share) for share in np.linspace(0, 1, 2001)]
    assert SPLIT.static(SPLIT.best_share) <= min(tried) + 1e-9
    assert min(tried) - SPLIT.static(SPLIT.best_share) < 0.02
    assert SPLIT.static(1) == pytest.approx(SPLIT.big) and SPLIT.static(0) == pytest.approx(SPLIT.little)


def test_a_share_a_layer_ends_on_both_at_once() -> None:
    best = sum(min(max(share * a / 3, (1 - share) * b / 2) for share in np.linspace(0, 1, 4001))
               for a, b in ((30, 60), (12, 12), (6, 18)))
    assert SPLIT.per_layer_split == pytest.approx(best, rel=1e-3)
    assert SPLIT.per_layer_split <= SPLIT.static(SPLIT.best_share)


def test_core_in_no_phone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "phones", "--core", "n1"]) == 2
    assert "no phone in the data has a neoverse-n1" in capsys.readouterr().err


@pytest.mark.nightly
def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Both clusters together are quicker than either, and the Kirin's big ones than all others."""
    assert main(["study", "phones", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["splits"]
    assert len(rows) == 2 * len(PHONES)
    for row in rows:
        assert row["per_layer_split"] <= row["one_share"] <= min(row["big"], row["little"])
        assert 0 < row["share"] < 1
    quickest = min((row for row in rows if row["network"] == "mobilenet_v1"), key=lambda row: row["big"])
    assert quickest["chip"] == "Kirin 980"
