"""`neonsim prove`: right for all data."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from neonsim.common.fileio import read_text, write_file
from neonsim.common.limits import LONGEST_FILE
from neonsim.errors import BadArgument
from neonsim.ukernel import contract_named, kernel
from neonsim.verify.checking import subject
from neonsim.verify.proving import QUICK_SHAPES, Proof, equal, magic_number, no_overflow, requantization, safe, same
from neonsim.verify.proving.result_cache import ResultCache
from neonsim.verify.proving.table import KernelPair, ProofRow, page, pairs, prove_pair
from neonsim.verify.reporting.ci_report import items_of_proofs

from .options import add_format, add_output, answer, check_format, path_of, reported, top_command, wrote
from .progress import Bar, waiting

__all__ = ["add_commands"]

KERNELS = {"same": 2, "requant": 1, "overflow": 1, "safe": 1, "equal": 2}  # how many programs a claim is about
TABLE_SECONDS = 5.0   # that a solver has for a pair of the table

NOTES = """
same A B     two kernels, by name or as .S files with a `//!` header, of one contract: a matrix product.
             --shapes quick: the whole tile at depths around the loops' ends (1 2 7 8 9 16 17);
             --shapes 4x8x9,2x3x1: rows x columns x depth
requant A    a kernel's requantisation is that of its definition, for every sum of 32 bits, zero point and limit;
             without --multiplier and --shift for all of these too. One in single precision (fp32) is run on all 2**32
             sums instead (one to two minutes on two processors, and a C compiler), for one --scale, --zero-point and
             pair of --limits; with --native the C library's kernel for the same call (some 10 s)
overflow A   no sum of a kernel's products leaves the lane that it is added up in, at the same shapes
safe A       a kernel touches nothing outside its buffers, for every depth or length, and comes to its end: by induction
             over the iterations of its loops, with the invariant of --invariant or one that is found
equal A B    two files of assembly leave the same in registers, whatever registers hold before

magic        adding 12582912.0 rounds every float32 to a whole number, from -4194304 to 4194304
--table      every kernel of the catalogue beside the plain one of its contract, as a page in Markdown (minutes;
             --contract NAME: of one contract). --into FOLDER keeps each row as soon as it is there: the same command
             goes on after any end, and does again only pairs whose kernels or instructions' bodies have changed

proved   for all data; of `same` the guards around every buffer make it a proof of memory safety as well
refuted  there is data on which it was run, and differs: it is shown
unknown  neither: no proof was found, and no data that tells them apart

What terms leave open is asked of a solver: pip install 'neonsim[prove]'.

Exit status: 0 all proved, 1 something is refuted or unknown, 2 wrong usage or a file that cannot be read.
"""


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "prove", "neonsim prove same qu8_gemm_q31_4x8__aarch32_neon_mlal_lane "
                         "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --shapes quick", NOTES)
    parser.add_argument("claim", choices=[*KERNELS, "magic"], nargs="?", help="what is claimed: see below")
    parser.add_argument("first", metavar="A", nargs="?")
    parser.add_argument("second", metavar="B", nargs="?")
    parser.add_argument("--table", action="store_true", help="all kernels of the catalogue, instead of a claim")
    parser.add_argument("--contract", metavar="NAME", help="of --table: one contract (all)")
    add_output(parser, "--into", help="of --table: keep its rows here, and go on with those that are kept", folder=True)
    add_output(parser, "--page", help="of --table: write the page here, instead of printing it")
    parser.add_argument("--shapes", default="quick", metavar="SHAPES", help="quick, or MRxNRxKC,... (quick)")
    parser.add_argument("--taps", type=int, default=2, metavar="N", help="of indirect products (2)")
    parser.add_argument("--weights", default="-127..127", metavar="LOW..HIGH",
                        help="bounds of signed weights (-127..127)")
    parser.add_argument("--multiplier", type=int, metavar="N", help="of requant: one Q31 mantissa (all)")
    parser.add_argument("--shift", type=int, metavar="N", help="of requant: one shift to the right (all)")
    parser.add_argument("--scale", type=float, metavar="X", help="of requant, fp32 (sums spread over 8 bits)")
    parser.add_argument("--native", action="store_true", help="of requant, fp32: the C library's kernel for that call")
    parser.add_argument("--zero-point", type=int, metavar="N", help="of requant, fp32 (the middle)")
    parser.add_argument("--limits", metavar="LOW..HIGH", help="of requant, fp32 (all 8 bits)")
    parser.add_argument("--isa", choices=["aarch64", "aarch32"], default="aarch64", help="of equal (aarch64)")
    parser.add_argument("--registers", metavar="NAMES", help="of equal: v0,x2 (all that one of the two changes)")
    parser.add_argument("--invariant", metavar="TEXT", help='of safe: "x2 == kc - 8*i; x2 >= 0" (one that is found)')
    parser.add_argument("--size", metavar="NAME", help="of safe: which size is unknown (kc, or the only one)")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="that a solver may take (60)")
    parser.add_argument("--solver", metavar="NAME", help="z3 or cvc5 (what is installed)")
    add_format(parser)
    parser.set_defaults(run=_prove)


def _prove(options: argparse.Namespace) -> int:
    check_format(options)
    if options.table and options.format:
        raise BadArgument("--format is of claims: prove --table writes a page, or JSON")
    if options.table:
        return _prove_table(options)
    if options.into or options.page:
        raise BadArgument("--into and --page are of prove --table: a claim is printed, or written by --json > FILE")
    given = [one for one in (options.first, options.second) if one is not None]
    if options.claim is None or len(given) != KERNELS.get(options.claim, 0):
        raise BadArgument("prove requant, overflow and safe take one kernel, prove same and equal two things to "
                          "compare, prove magic and prove --table none")
    if options.claim in ("same", "overflow"):
        return _prove_shapes(options)
    if options.claim == "requant":      # which shows how many sums are done
        proof = _requantized(options)
    else:
        with waiting("proving", options):
            proof = _claimed(options)
    if not reported(lambda: items_of_proofs([proof], path_of(options.first or "")), options):
        answer(lambda: str(proof), lambda: {"proofs": [proof.to_dict()]}, options)
    return 0 if proof else 1


def _claimed(options: argparse.Namespace) -> Proof:
    asked: dict[str, Any] = {"seconds": options.seconds, "solver": options.solver}
    if options.claim == "magic":
        return magic_number(**asked)
    if options.claim == "safe":
        return safe(_source(options.first), options.invariant, size=options.size, **asked)
    first, second = (read_text(name, 4 * LONGEST_FILE) for name in (options.first, options.second))
    registers = options.registers.split(",") if options.registers else None
    return equal(first, second, isa=options.isa, registers=registers, **asked)


def _requantized(options: argparse.Namespace) -> Proof:
    limits = None if options.limits is None else _ends(options.limits, "--limits", "0..255")
    bar = Bar("sums", options, "running all 2**32 sums")
    try:
        return requantization(_source(options.first), options.multiplier, options.shift, scale=options.scale,
                              zero_point=options.zero_point, limits=limits, native=options.native,
                              seconds=options.seconds, solver=options.solver, progress=bar)
    finally:
        bar.close()


def _ends(text: str, option: str, example: str) -> tuple[int, int]:
    found = re.fullmatch(r"(-?\d{1,3})\.\.(-?\d{1,3})", text)
    if not found:
        raise BadArgument(f"{option} is two numbers as {example}, not {text}")
    return int(found[1]), int(found[2])


def _prove_table(options: argparse.Namespace) -> int:
    if options.claim is not None:
        raise BadArgument("prove --table takes no claim: it compares the kernels of the catalogue")
    todo = list(pairs(options.contract))
    rows = _rows(todo, options)
    if options.page:
        write_file(options.page, page(rows))
        wrote(options.page, options)
    answer(lambda: _counted(rows) if options.page else page(rows).rstrip("\n"), lambda: {"rows": [
        {"first": row.pair.first.name, "second": row.pair.second.name, "verdict": row.verdict, "reason": row.reason,
         "calls": [word for word, _ in row.pair.calls], "seconds": [round(one.seconds, 3) for one in row.proofs]}
        for row in rows]}, options)
    return 0 if all(row.verdict == "proved" for row in rows) else 1


def _rows(todo: list[KernelPair], options: argparse.Namespace) -> list[ProofRow]:
    """Of all pairs, those that are kept looked up."""
    kept = ResultCache(options.into) if options.into else None
    rows: list[ProofRow] = []
    seconds = min(options.seconds, TABLE_SECONDS)
    bar = Bar("pairs", options, "proving")
    bar.all(len(todo))
    try:
        for pair in todo:
            bar(0, pair.second.name)
            row = kept(pair, seconds, options.solver) if kept else None
            if row is None:
                row = prove_pair(pair, seconds, options.solver)
                if kept:
                    _keep(kept, row, f"{len(rows)} of {len(todo)} pairs", options)
            rows.append(row)
            bar(1)
    except KeyboardInterrupt:
        bar.close()
        if kept:
            print(f"{len(rows)} of {len(todo)} pairs are kept in {options.into}; the same command goes on.",
                  file=sys.stderr)
        raise
    finally:
        bar.close()
    return rows


def _keep(kept: ResultCache, row: ProofRow, there: str, options: argparse.Namespace) -> None:
    try:
        kept.add(row, min(options.seconds, TABLE_SECONDS), options.solver)
    except BadArgument as why:
        raise BadArgument(f"{str(why).rstrip('.')}: {there} are kept in {options.into}, and the same command goes on "
                          "from there.") from why


def _counted(rows: list[ProofRow]) -> str:
    return f"{sum(row.verdict == 'proved' for row in rows)} of {len(rows)} pairs are proved the same"


def _prove_shapes(options: argparse.Namespace) -> int:
    sources = [_source(name) for name in (options.first, options.second) if name is not None]
    weights = _ends(options.weights, "--weights", "-127..127")
    proofs: list[Proof] = []
    for mr, nr, kc in _shapes(options.shapes, sources):
        sizes: dict[str, Any] = {"mr": mr, "nr": nr, "kc": kc, "ks": options.taps, "weights": weights}
        claim: Any = same if options.claim == "same" else no_overflow
        with waiting(f"proving {mr}x{nr}x{kc}", options):
            proofs.append(claim(*sources, seconds=options.seconds, solver=options.solver, **sizes))
    if not reported(lambda: items_of_proofs(proofs, path_of(options.first)), options):
        answer(lambda: _text(proofs), lambda: {"proofs": [proof.to_dict() for proof in proofs]}, options)
    return 0 if all(proofs) else 1


def _source(name: str) -> Any:
    return subject(Path(name) if Path(name).is_file() or "/" in name or Path(name).suffix else kernel(name))


def _shapes(text: str, sources: list[Any]) -> list[tuple[int, int, int]]:
    if text == "quick":
        if any(a.name == "kc" for a in contract_named(sources[0].contract).arguments):
            mr, nr = (min(getattr(one.tile, side) or 1 for one in sources) for side in ("mr", "nr"))
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
