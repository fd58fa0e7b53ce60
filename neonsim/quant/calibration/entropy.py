"""Where to cut a histogram of sizes so that 128 levels lose least: by Kullback-Leibler divergence.

Both look at every number of bins from 128 on, let the levels share those bins evenly, and compare the two
distributions; they differ in what lies beyond the cut, in bins that are empty, and in bins that two levels share.

Source: (F17): ncnn `tools/quantize/ncnn2table.cpp`; S. Migacz, 8-bit Inference with TensorRT, GTC 2017.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINS", "LEVELS", "ncnn_cut", "tensorrt_cut"]

BINS = 2048
LEVELS = 128

Counts = NDArray[np.int64]
Shares = NDArray[np.float64]


def _up_to(shares: Shares, where: Shares) -> Shares:
    """What lies below each place of a histogram, bins taken as even: the running sum, straight between bins."""
    return np.interp(where, np.arange(shares.size + 1), np.concatenate(([0.0], np.cumsum(shares))))


def ncnn_cut(counts: Counts) -> int:
    """Bins that are kept, as ncnn finds them.

    counts   int64 [2048]   sizes that are not 0, by bin
    ->       128 to 2047

    What lies beyond the cut counts in the last bin. A level is the mean of its bins, a bin that two levels share
    going to both by its parts; 0.0001 is added to every bin of both sides, so that none is empty.
    """
    shares = counts / counts.sum()
    best, least = LEVELS, np.inf
    for cut in range(LEVELS, BINS):
        wanted = shares[:cut] + 1e-4
        wanted[-1] += shares[cut:].sum()
        edges: Shares = np.arange(LEVELS + 1, dtype=np.float64) * (cut / LEVELS)
        levels = np.diff(_up_to(shares[:cut], edges)) / (cut / LEVELS)
        below = np.interp(np.arange(cut + 1), edges, np.concatenate(([0.0], np.cumsum(levels)))) * (cut / LEVELS)
        found = np.diff(below) + 1e-4
        divergence = float(np.sum(wanted * np.log(wanted / found)))
        if divergence < least:
            best, least = cut, divergence
    return best


def tensorrt_cut(counts: Counts) -> int:
    """Bins that are kept, as TensorRT's authors describe it.

    counts   int64 [2048]
    ->       128 to 2048

    Values beyond the cut count in the last bin of the wanted distribution, not in the levels. A level holds whole bins
    and its sum is shared among those that are not empty. A cut that leaves a wanted bin without a level's share is
    none.
    """
    best, least = BINS, np.inf
    for cut in range(LEVELS, BINS + 1):
        wanted = counts[:cut].astype(np.float64)
        wanted[-1] += counts[cut:].sum()
        starts = np.arange(LEVELS) * cut // LEVELS
        level = np.repeat(np.arange(LEVELS), np.diff(np.append(starts, cut)))
        held = counts[:cut] != 0
        sums = np.bincount(level, counts[:cut], LEVELS)
        used = np.bincount(level, held, LEVELS)
        found = np.where(held, sums[level] / np.maximum(used[level], 1), 0.0)
        there = wanted > 0
        if not (found[there] > 0).all():
            continue
        p, q = wanted[there] / wanted.sum(), found[there] / found.sum()
        divergence = float(np.sum(p * np.log(p / q)))
        if divergence < least:
            best, least = cut, divergence
    return best
