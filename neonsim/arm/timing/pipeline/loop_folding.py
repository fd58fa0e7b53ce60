"""A path of instructions as loops in loops: what repeats is written once, with how often it does.

    path      0 1 2 [3 4 5] [3 4 5] ... 100 times ... 6 7
    folded    0 1 2, 100 x [3 4 5], 6 7
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Loop", "fold", "numbered"]

MAX_PIECES = 48                # pieces of a turn
Loop = tuple[tuple[int, ...], int]      # (items of a turn, turns)


def numbered(codes: NDArray[np.int64], cuts: list[int]) -> tuple[list[int], list[NDArray[np.int64]]]:
    """(number of each piece, the distinct ones).

    codes   of a path's instructions
    cuts    where pieces begin, and the end of the path
    """
    firsts, ends = cuts[:-1], cuts[1:]
    straight = np.diff(codes) == 2      # codes are even, but for the branches at the ends of pieces
    straight[np.asarray(firsts[1:], np.int64) - 1] = True
    odd = np.asarray(ends, np.int64) - 2
    odd = odd[odd >= np.asarray(firsts, np.int64)]
    straight[odd] |= np.diff(codes)[odd] == 3
    keys: list[object]
    if straight.all():
        # Straight lines: where they begin, how long they are, and whether a branch ends them, says it all.
        keys = [*zip(codes[firsts].tolist(), np.diff(cuts).tolist(), codes[np.asarray(ends) - 1].tolist(),
                     strict=True)]
    else:
        data = codes.tobytes()
        keys = [data[8 * a:8 * b] for a, b in zip(firsts, ends, strict=True)]
    known: dict[object, int] = {}
    items = [known.setdefault(key, len(known)) for key in keys]
    where = dict(zip(reversed(items), reversed(range(len(items))), strict=True))
    return items, [codes[firsts[where[k]]:ends[where[k]]] for k in range(len(known))]


def fold(items: list[int]) -> tuple[list[int], list[Loop]]:
    """Turns that repeat become loops, the inner ones first.

    items   pieces of the path by number
    ->      (the items that are left, loops); item -1 - i is loop i
    """
    loops: list[Loop] = []
    known: dict[Loop, int] = {}
    length = 1
    whole = np.asarray(items, np.int64)
    while length <= min(MAX_PIECES, len(items) // 2):
        # Whether there is such a turn at all is seen soon; most paths have only a few lengths of them.
        same = np.concatenate([[0], np.cumsum(whole[length:] == whole[:-length])])
        if (same[length:] - same[:-length] < length).all():
            length += 1
            continue
        found, i = [], 0
        while i < len(items):
            turn = items[i:i + length]
            count = 1
            while items[i + count * length:i + (count + 1) * length] == turn and len(turn) == length:
                count += 1
            if count == 1:
                found.append(items[i])
                i += 1
                continue
            key = (tuple(turn), count)
            if key not in known:
                loops.append(key)
                known[key] = -len(loops)
            found.append(known[key])
            i += count * length
        length = 1 if len(found) < len(items) else length + 1
        items, whole = found, np.asarray(found, np.int64)
    return items, loops
