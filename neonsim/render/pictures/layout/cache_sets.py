"""Which sets of a cache the rows of a panel fall into: why some distances between rows are bad."""

from __future__ import annotations

from neonsim.arm.timing.pipeline.memory_hierarchy import footprint, rows_that_fit
from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

__all__ = ["cache_sets", "cache_sets_picture", "cache_sets_text"]

ACROSS, CELL, LEFT, TOP, MAX_SETS = 32, 20, 58, 84, 1024  # sets in a row; px: a set, margin, head; sets that are drawn


def cache_sets(rows: int, length: int, pitch: int, *, size: int, ways: int, line: int = 64) -> list[int]:
    """Lines of a panel in every set; set = (address / line) mod sets, the panel begins at address 0.

    rows, length   of the panel; length in bytes
    pitch          bytes from one row to the next
    size, ways, line   of the cache, in bytes

    Raises BadArgument if a number is not positive, the pitch is smaller than the row, or the cache has no such shape.
    """
    if min(rows, length, size, ways, line) < 1 or pitch < length:
        raise BadArgument(f"rows {rows}, length {length}, pitch {pitch}, size {size}, ways {ways}, line {line}: each "
                          f"must be at least 1, and the pitch at least the length")
    if size % (ways * line):
        raise BadArgument(f"a cache of {size} bytes cannot be divided into {ways} ways of {line}-byte lines")
    sets = size // (ways * line)
    lines = {at // line for row in range(rows) for at in (*range(row * pitch, row * pitch + length, line),
                                                          row * pitch + length - 1)}
    found = [0] * sets
    for number in lines:
        found[number % sets] += 1
    return found


def cache_sets_text(rows: int, length: int, pitch: int, *, size: int, ways: int, line: int = 64) -> str:
    """Return the same in words, with what a second walk over the panel misses."""
    found = cache_sets(rows, length, pitch, size=size, ways=ways, line=line)
    lines, missed = footprint(rows, length, pitch, size=size, ways=ways, line=line)
    over = sum(n > ways for n in found)
    return "\n".join((
        f"{rows} rows of {length} bytes, {pitch} apart; a cache of {size} bytes, {ways} ways, {len(found)} sets",
        f"{lines} lines fall into {sum(n > 0 for n in found)} sets, at most {max(found)} into one; {over} sets hold "
        f"more "
        f"than {ways} ways can",
        f"walked side by side, 8 bytes at a time, a second time: {missed} misses (modelled, least recently used)",
        f"{rows_that_fit(pitch, size=size, ways=ways, line=line)} rows at this distance fit beside each other"))


def cache_sets_picture(rows: int, length: int, pitch: int, *, size: int, ways: int, line: int = 64) -> Picture:
    """Draw every set with the number of the panel's lines in it. Red marks sets with more lines than ways.

    Arguments and errors as `cache_sets`; at most 1024 sets are drawn.
    """
    found = cache_sets(rows, length, pitch, size=size, ways=ways, line=line)
    if len(found) > MAX_SETS:
        raise BadArgument(f"this cache has {len(found)} sets; the limit for drawing is {MAX_SETS}")
    drawing = Drawing()
    over = sum(n > ways for n in found)
    drawing.text(14, 22, f"cache sets: {rows} rows of {length} bytes, {pitch} bytes apart", bold=True, mono=False,
                 size=13)
    drawing.text(14, 40, f"{size // 1024 if size % 1024 == 0 else size / 1024:g} KB, {ways} ways, {len(found)} sets of "
                 f"{line}-byte lines; in a cell: lines of the panel in that set", "soft", size=11, mono=False)
    x: float = 14
    for role, word in (("box", "none"), ("read", f"1..{ways}: they fit"), ("stall", f"more than {ways}: they evict one "
                       "another")):
        drawing.rect(x, 50, 12, 12, role)
        drawing.text(x + 17, 60, word, "soft", size=11.5, mono=False)
        x += 36 + 6.6 * len(word)
    for number, count in enumerate(found):
        left, y = LEFT + number % ACROSS * CELL, TOP + number // ACROSS * CELL
        role = "box" if not count else "read" if count <= ways else "stall"
        drawing.rect(left, y, CELL - 2, CELL - 2, role, radius=2, title=f"set {number}: {count} lines")
        if count:
            drawing.text(left + CELL / 2 - 1, y + 13, str(count) if count < 1000 else "+", "ink", size=9.5,
                         anchor="middle")
        if number % ACROSS == 0:
            drawing.text(LEFT - 8, y + 13, str(number), "soft", size=10.5, anchor="end")
    height = TOP + -(-len(found) // ACROSS) * CELL
    _, missed = footprint(rows, length, pitch, size=size, ways=ways, line=line)
    drawing.text(14, height + 16, f"walked a second time, side by side: {missed} misses (modelled)", "soft", size=11.5,
                 mono=False)
    return drawing.finish(LEFT + min(ACROSS, len(found)) * CELL + 14 if len(found) >= ACROSS else 560, height + 28,
                          f"cache sets: {rows} rows {pitch} bytes apart; {over} of {len(found)} sets hold more lines "
                          f"than "
                          f"the {ways} ways; {missed} misses of a second walk")
