"""Options of magics: argparse, with mistakes as sentences."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from neonsim.errors import BadArgument

__all__ = ["MagicParser"]


class MagicParser(argparse.ArgumentParser):
    """argparse exits the process on a mistake; a notebook wants a sentence."""

    def error(self, message: str) -> Any:
        """Raise it as BadArgument."""
        raise BadArgument(f"{self.prog}: {message}\n{self.format_usage().strip()}")

    def read(self, line: str) -> argparse.Namespace:
        """The options of a magic's line. Raises BadArgument."""
        try:
            return self.parse_args(shlex.split(line))
        except ValueError as problem:
            if isinstance(problem, BadArgument):
                raise
            raise BadArgument(f"{self.prog}: {str(problem).lower()}: {line.strip()}") from None
