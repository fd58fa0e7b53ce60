"""`neonsim bench two-pass`: fused and indirect against copied windows and two passes, layer by layer of networks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.errors import BadArgument
from neonsim.nn.graph import model
from neonsim.nn.graph.models import PUBLISHED
from neonsim.studies.kernels import Report
from neonsim.studies.networks.two_pass import ARTICLE, TwoPassStudy, compare_two_pass

from .native import chosen_families

__all__ = ["article_rows", "bench_two_pass"]

RUNS, QUICK = 60, 8         # of each way, in turns


def bench_two_pass(*, quick: bool, threads: Sequence[int], family: str | None, quantization: str, patterns: str | None,
             svg: str | None = None, html: str | None = None) -> list[Report]:
    """Return a study for each family and number of threads; figure and page are written if asked for.

    patterns  str or None   words, separated by commas, of which a network's name has one

    Raises BadArgument for names of no network, and for a figure of several numbers of threads.
    """
    words = [""] if patterns is None else patterns.split(",")
    names = [name for name in PUBLISHED if any(word in name for word in words)]
    if not names:
        raise BadArgument(f"no network has {patterns!r} in its name; there are {', '.join(PUBLISHED)}.")
    families, missing = chosen_families(family)
    if (len(threads) > 1 or len(families) > 1) and (svg or html):
        raise BadArgument("--svg and --html need one number of threads and one family.")
    for line in missing:
        print(line, file=sys.stderr)
    graphs = [model(name, quantization=quantization) for name in names]
    found = [compare_two_pass(tqdm(graphs, unit="network", disable=None, leave=False), quantization, family=one,
                          threads=count, runs=QUICK if quick else RUNS) for one in families for count in threads]
    for study in found:
        if svg:
            study.picture().save(svg)
        if html:
            study.to_html(html)
    return found


def article_rows(reports: Sequence[Report]) -> dict[str, Any]:
    """For JSON: rows as of every benchmark, a layer each, and the means beside the articles'."""
    studies: list[TwoPassStudy] = [report.data for report in reports]
    article = dict(ARTICLE)
    rows = [{"name": f"{x.network} {x.layer}", "kind": x.kind, "value": x.fused * 1e3, "unit": "ms",
             "peer": "two passes", "peer_value": x.two_passes * 1e3, "ratio": x.fused / x.two_passes,
             "matrix_bytes": x.matrix_bytes, "sum_bytes": x.sum_bytes, "threads": study.threads,
             "family": study.family} for study in studies for x in study.layers]
    means = [{"network": name, "threads": study.threads, "family": study.family, "quantization": study.quantization,
              "geometric_mean": study.mean(name), "whole_network": two / fused,
              "article": article.get(name)}
             for study in studies for name, (fused, two) in study.network_seconds.items()]
    return {"rows": rows, "means": means}
