"""What magics share: options with mistakes as sentences, errors without a traceback."""

from __future__ import annotations

import argparse
import keyword
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neonsim.errors import BadArgument, NeonsimError

__all__ = ["MagicParser", "short_errors", "variable_name"]


class MagicParser(argparse.ArgumentParser):
    """argparse exits the process on a mistake; a notebook wants a sentence."""

    def error(self, message: str) -> Any:
        """Raise it as BadArgument, with an example where there is one (`epilog`)."""
        raise BadArgument(f"{self.prog}: {message}\n{self.format_usage().strip()}"
                          + (f"\n{self.epilog}" if self.epilog else ""))

    def read(self, line: str) -> argparse.Namespace:
        """Return the options of a magic's line. Raises BadArgument."""
        from neonsim.arm.asm.c.options import joined_words  # and the assembler, which registration does not need

        try:
            words = joined_words(shlex.split(line))
            for i in range(len(words) - 2, -1, -1):
                if words[i] == "--args":  # argparse would take -1 for an option
                    end = i + 2
                    # Blanks beside a comma end no argument: --args a, b, y
                    while end < len(words) and (words[end - 1].endswith(",") or words[end].startswith(",")):
                        end += 1
                    words[i:end] = [f"--args={''.join(words[i + 1:end])}"]
            return self.parse_args(words)
        except ValueError as problem:
            if isinstance(problem, BadArgument):
                raise
            raise BadArgument(f"{self.prog}: {str(problem).lower()}: {line.strip()}") from None


def variable_name(name: str | None, magic: str) -> None:
    """Raises BadArgument for an -o that is no name of a variable."""
    if name is not None and (not name.isidentifier() or keyword.iskeyword(name)):
        raise BadArgument(f"{magic} -o needs a variable name; got {name!r}")


@contextmanager
def short_errors() -> Iterator[None]:
    """What neonsim refuses in here is shown as its message alone: it points into the cell, and the Python traceback of
    a magic would only hide that. The cell fails all the same, so that "run all" stops at it."""
    try:
        yield
    except NeonsimError as error:
        _show_as(error, f"{type(error).__name__}: {error}")
        raise
    except KeyboardInterrupt as stop:
        _show_as(stop, "KeyboardInterrupt: the run was stopped. The notebook's arrays and variables are as they were.")
        raise


def _show_as(error: BaseException, text: str) -> None:
    # IPython asks an exception how it wants to be shown.
    error._render_traceback_ = lambda: text.splitlines()  # type: ignore[attr-defined]
