"""`python -m tests.render.play_digests [--without-numpy | --price]`: what the playground makes of texts, as digests; or
what their records cost.

With an option the stand-in of the playground's worker is all the numpy there is.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any, NoReturn

KERNELS = Path(__file__).parents[2] / "kernels"


class NoNumpy(MetaPathFinder):
    """Refuses to find it, or any part of it."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname.partition(".")[0] == "numpy":
            refused(fullname)


def refused(name: str) -> NoReturn:
    raise ImportError(f"{name} is asked for where there is none")


def digests(texts: dict[str, tuple[str, str]]) -> dict[str, str]:
    """name -> of header, bytes and script of a text and its instruction set."""
    from neonsim.render.play import answer

    found = {}
    for name, (text, isa) in texts.items():
        said = answer(json.dumps({"ask": "open", "text": text, "isa": isa,
                                  "words": ["a=s32*8", "c=out:s16*2x4", "+d=u8:1", "3"]}), [KERNELS])
        assert "header" in json.loads(said), said
        found[name] = hashlib.sha256(said.encode()).hexdigest()
    return found


def prices(asked: list[dict[str, Any]]) -> list[list[int | None]]:
    """Cycles of each record on each of its cores; None where the core cannot run it."""
    from neonsim.render.play import answer

    found = []
    for one in asked:
        answer(json.dumps({"ask": "open", "text": one["text"], "isa": one["isa"], "words": one["words"]}), [KERNELS])
        said = [json.loads(answer(json.dumps({"ask": "price", "core": core, **one["record"]})))
                for core in one["cores"]]
        found.append([each["timing"]["cycles"] if "timing" in each else None for each in said])
    return found


if __name__ == "__main__":
    from docs.website.play import absent_numpy

    if sys.argv[1:]:
        absent_numpy.install()
        sys.meta_path.insert(0, NoNumpy())
        importlib.import_module("neonsim.render.play")
        absent_numpy.seal()
    print(json.dumps((prices if sys.argv[1:] == ["--price"] else digests)(json.load(sys.stdin))))
