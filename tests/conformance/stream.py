"""Numbers that are the same for ever: splitmix64.

numpy's own generators may give other streams in other versions, and recorded results hold only what came out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Stream:
    """splitmix64."""

    def __init__(self, seed: int) -> None:
        self._at = np.uint64(seed * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)

    def words(self, count: int) -> NDArray[np.uint64]:
        with np.errstate(over="ignore"):
            z = self._at + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            self._at = z[-1] if count else self._at
            z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
            return z ^ z >> np.uint64(31)

    def below(self, top: int, *shape: int) -> NDArray[np.int64]:
        count = int(np.prod(shape)) if shape else 1
        return (self.words(count) >> np.uint64(11)).astype(np.int64).reshape(shape) % top
