"""What to type for a package that is missing: words that are true for the Python that runs.

No package index has neonsim: it is installed from a checkout (`make`) or from a wheel's file. Where it is installed,
pip takes `neonsim[models]` as the neonsim that is there, and fetches what the extra names, nothing else.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["install"]

_ROOT = Path(__file__).parents[2]


def install(*packages: str) -> str:
    """`pip install 'neonsim[models]'`, or of other packages: a command of this environment's pip, for a shell.

    packages   names of packages; "neonsim[EXTRA]" is the checkout's folder with the extra where none is installed
    """
    return " ".join([_pip(), "install", *(_quoted(_here(package)) for package in packages)])


def _here(package: str) -> str:
    name, bracket, extra = package.partition("[")
    if name != "neonsim" or not (_ROOT / "pyproject.toml").is_file():
        return package
    from importlib import metadata  # takes longer than the rest, and few ask

    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return f"{_ROOT}{bracket}{extra}"
    return package


def _pip() -> str:
    """`pip` where the shell finds that of this Python, else this Python by its path."""
    found = shutil.which("pip")
    same = found is not None and Path(found).parent == Path(sys.executable).parent
    return "pip" if same else f"{_quoted(sys.executable)} -m pip"


def _quoted(word: str) -> str:
    """A word as a shell reads it: the usual ones, or Windows', which knows double quotes only."""
    return subprocess.list2cmdline([word]) if sys.platform == "win32" else shlex.quote(word)
