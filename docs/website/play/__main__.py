"""`python -m docs.website.play [FOLDER] [--port N] [--build]`: what `make playground` does."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from docs.website.play.build import ROOT, write
from docs.website.play.server import serve
from neonsim.errors import NeonsimError


def main() -> int:
    """Build the playground, then serve it on this machine until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Build the playground and serve it on this machine.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "playground")
    parser.add_argument("--port", type=int, default=8765, help="of the address 127.0.0.1; 0: one that is free")
    parser.add_argument("--build", action="store_true", help="build it, and do not serve it")
    parser.add_argument("--few", action="store_true", help="without an example of every kernel")
    options = parser.parse_args()
    try:
        print(write(options.folder, "", kernels=not options.few), flush=True)
    except NeonsimError as problem:
        print(problem, file=sys.stderr)
        return 1
    if not options.build:
        serve(options.folder, options.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
