"""numpy's usual generator of random numbers in plain integers: for where there is no numpy, and the same to the bit.

PCG64 is a linear congruential generator of 128 bits whose output is its halves, xored and rotated; a seed becomes its
state by hashing (`SeedSequence`).

Source: M. E. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
Generation (2014); numpy/random/bit_generator.pyx.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Pcg64"]

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_WIDE, _WORD = (1 << 128) - 1, (1 << 32) - 1
_POOL = 4  # words of entropy that a seed is hashed into


class Pcg64:
    """`numpy.random.default_rng(seed)`, of which a few draws are here.

    seed   a number from 0 on, or several
    """

    def __init__(self, seed: int | Sequence[int] = 0) -> None:
        words = _hashed((seed,) if isinstance(seed, int) else seed)
        first, second = (sum(word << 32 * at for at, word in enumerate(words[k:k + 4])) for k in (0, 4))
        # Each number of 128 bits has its upper half first.
        state, stream = ((value & (1 << 64) - 1) << 64 | value >> 64 for value in (first, second))
        self._increment = stream << 1 & _WIDE | 1
        self._state = ((self._increment + state) * _MULTIPLIER + self._increment) & _WIDE
        self._half: int | None = None

    def next64(self) -> int:
        """64 bits."""
        self._state = (self._state * _MULTIPLIER + self._increment) & _WIDE
        mixed, turn = (self._state >> 64 ^ self._state) & (1 << 64) - 1, self._state >> 122
        return (mixed >> turn | mixed << (-turn & 63)) & (1 << 64) - 1

    def next32(self) -> int:
        """32 bits: the lower half of 64, then the upper one."""
        if self._half is not None:
            value, self._half = self._half, None
            return value
        drawn = self.next64()
        self._half = drawn >> 32
        return drawn & _WORD

    def full_range(self, nbytes: int, count: int) -> bytes:
        """Numbers of 1, 2, 4 or 8 bytes from 0 to the largest: `integers(0, 1 << 8 * nbytes, count)`, little-endian."""
        if nbytes == 8:
            return b"".join(self.next64().to_bytes(8, "little") for _ in range(count))
        size = nbytes * count
        return b"".join(self.next32().to_bytes(4, "little") for _ in range(-(-size // 4)))[:size]

    def uniform(self, low: float, high: float, count: int) -> list[float]:
        """Real numbers: `uniform(low, high, count)`."""
        return [low + (high - low) * ((self.next64() >> 11) * 2.0**-53) for _ in range(count)]

    def skip(self, words: int) -> None:
        """Skip a number of 32-bit draws in few steps."""
        if words and self._half is not None:
            self._half, words = None, words - 1
        count, times, plus, by, step = words // 2, 1, 0, _MULTIPLIER, self._increment
        while count:
            if count & 1:
                times, plus = times * by & _WIDE, (plus * by + step) & _WIDE
            step, by = (by + 1) * step & _WIDE, by * by & _WIDE
            count >>= 1
        self._state = (times * self._state + plus) & _WIDE
        if words % 2:
            self.next32()


def _hashed(seeds: Sequence[int]) -> list[int]:
    """Eight words that depend on every bit of the seeds: `SeedSequence(seeds).generate_state(8)`."""
    entropy = [seed >> 32 * at & _WORD for seed in seeds for at in range(max(1, -(-seed.bit_length() // 32)))]
    constant = 0x43B0D7E5

    def scrambled(value: int) -> int:
        nonlocal constant
        value ^= constant
        constant = constant * 0x931E8875 & _WORD
        value = value * constant & _WORD
        return value ^ value >> 16

    def mixed(x: int, y: int) -> int:
        value = (x * 0xCA01F9DD - y * 0x4973F715) & _WORD
        return value ^ value >> 16

    pool = [scrambled(entropy[at] if at < len(entropy) else 0) for at in range(_POOL)]
    for source in range(_POOL):
        for to in range(_POOL):
            if source != to:
                pool[to] = mixed(pool[to], scrambled(pool[source]))
    for word in entropy[_POOL:]:
        pool = [mixed(one, scrambled(word)) for one in pool]
    made, constant = [], 0x8B51F9DD
    for at in range(8):
        value = pool[at % _POOL] ^ constant
        constant = constant * 0x58F38DED & _WORD
        value = value * constant & _WORD
        made.append(value ^ value >> 16)
    return made
