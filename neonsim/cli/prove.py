"""`neonsim prove`: right for all data."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from neonsim.checking import subject
from neonsim.errors import BadArgument
from neonsim.proving import QUICK_SHAPES, Proof, same
from neonsim.ukernel import contract_named, kernel

from .options import answer, command

__all__ = ["add_commands"]

NOTES = """
A and B are names of kernels, or .S files with a `//!` header, of one contract: a matrix product.
--shapes quick        the whole tile at depths around the loops' ends (1 2 7 8 9 16 17)
--shapes 4x8x9,2x3x1  rows x columns x depth

proved   the same results for all inputs, weights, biases and parameters, at these sizes; the guards around every
         buffer make it a proof of memory safety as well
refuted  there is data on which both were run, and differ: it is shown
unknown  neither: the terms differ, and no data was found that tells them apart

Exit status: 0 all proved, 1 something is refuted or unknown, 2 wrong usage or a file that cannot be read.
"""


def add_commands(commands: Any) -> None:
    parser = command(commands, "prove", "the same results for all data, proved",
                     "neonsim prove same qu8_gemm_q31_4x8__aarch32_neon_mlal_lane "
                     "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --shapes quick", NOTES)
    parser.add_argument("claim", choices=["same"], help="same: two kernels of a contract")
    parser.add_argument("first", metavar="A")
    parser.add_argument("second", metavar="B")
    parser.add_argument("--shapes", default="quick", metavar="SHAPES", help="quick, or MRxNRxKC,... (quick)")
    parser.add_argument("--taps", type=int, default=2, metavar="N", help="of indirect products (2)")
    parser.add_argument("--weights", default="-127..127", metavar="LOW..HIGH",
                        help="bounds of signed weights (-127..127)")
    parser.set_defaults(run=_prove)


def _prove(options: argparse.Namespace) -> int:
    first, second = (_source(name) for name in (options.first, options.second))
    found = re.fullmatch(r"(-?\d{1,3})\.\.(-?\d{1,3})", options.weights)
    if not found:
        raise BadArgument(f"--weights is two numbers as -127..127, not {options.weights}")
    proofs: list[Proof] = [same(first, second, mr=mr, nr=nr, kc=kc, ks=options.taps,
                                weights=(int(found[1]), int(found[2])))
                           for mr, nr, kc in _shapes(options.shapes, first, second)]
    answer(lambda: _text(proofs), lambda: {"proofs": [proof.to_dict() for proof in proofs]}, options)
    return 0 if all(proofs) else 1


def _source(name: str) -> Any:
    return subject(Path(name) if Path(name).is_file() or "/" in name or Path(name).suffix else kernel(name))


def _shapes(text: str, first: Any, second: Any) -> list[tuple[int, int, int]]:
    if text == "quick":
        if any(a.name == "kc" for a in contract_named(first.contract).arguments):
            mr, nr = (min(getattr(one.tile, side) or 1 for one in (first, second)) for side in ("mr", "nr"))
            return [(mr, nr, kc) for kc in QUICK_SHAPES]
        return [(1, 1, 1)]  # which says what contract is none of a product
    found = [re.fullmatch(r"(\d{1,3})x(\d{1,3})x(\d{1,4})", one.strip()) for one in text.split(",")]
    if not all(found):
        raise BadArgument(f"--shapes is quick, or rows x columns x depth as 4x8x9,2x3x1, not {text}")
    return [(int(one[1]), int(one[2]), int(one[3])) for one in found if one]


def _text(proofs: list[Proof]) -> str:
    rows = [str(proof).partition("\n  for this shape")[0] for proof in proofs]
    shared = [line for line in proofs[0].assumptions if not line.startswith("for this shape")]
    count = sum(map(bool, proofs))
    took = sum(proof.seconds for proof in proofs)
    return "\n".join([*rows, "", f"{count} of {len(proofs)} proved, in {took:.1f} s; each for its shape, and the "
                      "strides of one call", *shared])
