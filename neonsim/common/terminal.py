"""Text from strangers on a terminal: what would steer it, or turn the order of letters, is written out."""

from __future__ import annotations

import re
import reprlib
from typing import Any, TextIO

__all__ = ["EscapedStream", "bare", "escape_text", "short_repr"]

_OTHER = re.compile(r"[^ -~]")
_SHOWN = 60     # characters of a value that is quoted


def escape_text(text: str, keep: str = "\n\t") -> str:
    """Return the text with every character that is not printed written out, as `\\x1b`, but for those to keep.

    >>> escape_text("Pi\\x1b[2J")
    'Pi\\\\x1b[2J'
    """
    return _OTHER.sub(lambda found: found[0] if found[0].isprintable() or found[0] in keep else
                      found[0].encode("unicode_escape").decode("ascii"), text)


def short_repr(value: Any) -> str:
    """Return the value, in few characters; also where its own repr would be long or fail."""
    if isinstance(value, int) and value.bit_length() > 4 * _SHOWN:
        return f"{'-' * (value < 0)}2**{value.bit_length() - 1} and more"
    brief = reprlib.Repr()
    brief.maxstring = brief.maxother = brief.maxlong = _SHOWN
    return brief.repr(value)


class EscapedStream:
    """A stream, standard output say, that writes everything `plain`; all else is as of the stream below it."""

    def __init__(self, below: TextIO) -> None:
        self.below = below

    def write(self, text: str) -> int:
        """Write it; returns how many characters it had."""
        self.below.write(escape_text(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


def bare(stream: Any) -> Any:
    """Return the stream itself, for what steers the terminal by intent: progress."""
    return stream.below if isinstance(stream, EscapedStream) else stream
