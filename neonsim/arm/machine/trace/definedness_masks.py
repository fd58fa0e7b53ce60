"""Masks that go through many steps at once: which bits or bytes are uninitialized.

What a loop makes of unknown bits is mostly the same in every round: what was unknown stays unknown, what was known
known. So a row of items, which are alike in all but their values, is gone through from change to change: items of one
kind are done in lock-step on the masks that hold when the first of them comes, and count as long as these do. Where
masks differ from round to round, each round is done for itself, as a single step is.

    items    uadalp v1     uadalp v1     uadalp v1     movi v1     uadalp v1
    v1       unknown       unknown       unknown       known       known
    done     with those behind it: no change           a change    reads nothing unknown
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Rounds"]

Array = npt.NDArray[Any]
LOOK = 64        # items that are looked at together, at first
MAX_ROUNDS = 4096      # rounds that are done in lock-step


class Rounds(ABC):
    """A row of items and the masks that they meet.

    codes     [items] of which kind each is: 0, 1, ...       touched   of each kind the places that it reads or writes
    masks     place -> bytes, of the places alone that have something unknown
    """

    def __init__(self, codes: Array, touched: Sequence[frozenset[Any]], masks: Mapping[Any, bytes]) -> None:
        self.codes, self.touched = codes, touched
        self.masks: dict[Any, bytes] = {}
        self._users: dict[Any, list[int]] = {}
        for code, places in enumerate(touched):
            for place in places:
                self._users.setdefault(place, []).append(code)
        self._met = np.zeros(len(touched), np.int64)    # of each kind: how many of its places have something unknown
        self._places = {int(code): np.flatnonzero(codes == code) for code in np.unique(codes)}
        # Of a kind, on masks: (its items that are done, first and behind the last in `_places`; what each of them
        # makes; whether that changes a mask).
        self._done: dict[Hashable, tuple[int, int, dict[Any, Array], Array]] = {}
        for place, mask in masks.items():
            self.put(place, mask)

    @abstractmethod
    def make(self, code: int, items: Array) -> dict[Any, Array]:
        """Do items of one kind on the present masks; -> the masks of the places that they write, [items, bytes]."""

    def change(self, item: int, place: Any, mask: bytes) -> None:
        """An item makes another mask."""
        self.put(place, mask)

    def put(self, place: Any, mask: bytes) -> None:
        """Another mask from here on."""
        unknown = any(mask)
        if unknown != (place in self.masks):
            self._met[self._users.get(place, [])] += 1 if unknown else -1
        if unknown:
            self.masks[place] = mask
        else:
            self.masks.pop(place, None)

    def run(self, first: int = 0, end: int | None = None) -> None:
        """Go through the items."""
        end = len(self.codes) if end is None else end
        at = self._next(first, end)
        while at < end:
            self.do(at)
            at = self._next(at + 1, end)

    def _key(self, code: int) -> Hashable:
        masks = self.masks
        return code, *((place, masks[place]) for place in self.touched[code] if place in masks)

    def _next(self, at: int, end: int) -> int:
        """The first item from here on that may change a mask."""
        look = LOOK
        while at < end:
            part = self.codes[at:min(at + look, end)]
            busy = self._met[part] > 0
            for code in np.unique(part[busy]).tolist():
                first, last, _, changes = self._done.get(self._key(code), (0, 0, {}, np.zeros(0, bool)))
                places = self._places[code][first:last]
                low, high = np.searchsorted(places, (at, at + len(part)))
                busy[places[low:high] - at] = changes[low:high]
            found = np.flatnonzero(busy)
            if found.size:
                return at + int(found[0])
            at += len(part)
            look *= 2
        return end

    def do(self, item: int) -> None:
        """One item, and with it as many of its kind as it may be worth."""
        code = int(self.codes[item])
        key, places = self._key(code), self._places[code]
        at = int(np.searchsorted(places, item))
        first, last, made, _ = self._done.get(key, (0, 0, {}, None))
        if not first <= at < last:
            size = min(2 * (last - first), MAX_ROUNDS) or 1
            first, last = at, min(at + size, len(places))
            made = self.make(code, places[first:last])
            changes = np.zeros(last - first, bool)
            for place, rows in made.items():
                old = self.masks.get(place)
                changes |= rows.any(axis=1) if old is None else (rows != np.frombuffer(old, np.uint8)).any(axis=1)
            self._done[key] = first, last, made, changes
        for place, rows in made.items():
            before, after = self.masks.get(place), rows[at - first].tobytes()
            if after != before if before is not None else any(after):
                self.change(item, place, after)
