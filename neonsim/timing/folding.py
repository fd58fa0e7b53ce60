"""A path of instructions as loops in loops: what repeats is written once, with how often it does.

    path      0 1 2 [3 4 5] [3 4 5] ... 100 times ... 6 7
    folded    0 1 2, 100 x [3 4 5], 6 7
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Loop", "fold", "numbered"]

LONGEST = 48                # pieces of a turn
Loop = tuple[tuple[int, ...], int]      # (items of a turn, turns)


def numbered(pieces: Iterable[bytes]) -> tuple[list[int], list[bytes]]:
    """(number of each piece, the distinct ones)."""
    known: dict[bytes, int] = {}
    items = [known.setdefault(piece, len(known)) for piece in pieces]
    return items, list(known)


def fold(items: list[int]) -> tuple[list[int], list[Loop]]:
    """Turns that repeat become loops, the inner ones first.

    items   pieces of the path by number
    ->      (the items that are left, loops); item -1 - i is loop i
    """
    loops: list[Loop] = []
    known: dict[Loop, int] = {}
    length = 1
    while length <= min(LONGEST, len(items) // 2):
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
        items = found
    return items, loops
