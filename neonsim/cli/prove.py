"""`neonsim prove`: right for all data."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from neonsim.common.fileio import read_text, write_file
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import BadArgument
from neonsim.ukernel import contract_named, kernel
from neonsim.verify.checking import subject
from neonsim.verify.proving import QUICK_SHAPES, Proof, equal, magic_number, no_overflow, requantization, safe, same
from neonsim.verify.proving.result_cache import ResultCache
from neonsim.verify.proving.table import KernelPair, ProofRow, page, pairs, prove_pair
from neonsim.verify.reporting.ci_report import items_of_proofs

from .options import ISAS, add_format, add_output, answer, command, command_group, path_of, reported, wrote
from .progress import Bar, waiting

__all__ = ["add_commands"]

TABLE_SECONDS = 5.0   # that a solver has for a pair of the catalogue

VERDICTS = """\
proved   for all data; of `kernels` the guards around every buffer make it a proof of memory safety as well
refuted  there is data on which it was run, and differs: it is shown
unknown  neither: no proof was found, and no data that tells them apart

What terms leave open is asked of a solver: pip install 'neonsim[prove]'.

Exit status: 0 all proved, 1 something is refuted or unknown, 2 wrong usage or a file that cannot be read.
"""
SHAPES = """\
A kernel is a name, or a .S file with a `//!` header.
--shapes quick: the whole tile at depths around the loops' ends (1 2 7 8 9 16 17)
--shapes 4x8x9,2x3x1: rows x columns x depth
"""
REQUANT = """\
Without --multiplier and --shift the claim is about all of them. A kernel in single precision (fp32) is run on all 2**32
sums instead (one to two minutes on two processors, and a C compiler), for one --scale, --zero-point and pair of
--limits; with --native the C library's kernel for the same call (some 10 s).
"""
CATALOGUE = """\
The page is Markdown and takes minutes. --output-dir keeps each row as soon as it is there: the same command goes on
after any end, and does again only pairs whose kernels or instructions' bodies have changed.
"""


def add_commands(commands: Any) -> None:
    group = command_group(commands, "prove", "neonsim prove kernels qu8_gemm_q31_4x8__aarch32_neon_mlal_lane "
                          "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --shapes quick", VERDICTS)

    def claim(name: str, text: str, example: str, run: Any, notes: str = "") -> argparse.ArgumentParser:
        made = command(group, name, text, f"neonsim prove {name}{example}", notes + ("\n" if notes else "") + VERDICTS)
        made.add_argument("--timeout", type=float, default=60.0, metavar="S",
                          help="Give the solver this many seconds (60).")
        made.add_argument("--solver", metavar="NAME", help="Ask this solver, z3 or cvc5 (what is installed).")
        made.set_defaults(run=run)
        return made

    kernels = claim("kernels", "Prove that two kernels of one contract give the same bytes.",
                    " qu8_gemm_q31_4x8__aarch32_neon_mlal_lane qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",
                    _prove_kernels, SHAPES)
    kernels.add_argument("first", metavar="A", help="A kernel.")
    kernels.add_argument("second", metavar="B", help="Another kernel of the same contract.")

    code = claim("code", "Prove that two pieces of code leave the same values in registers.",
                 " a.S b.S --registers v0", _prove_code)
    code.add_argument("first", metavar="A", help="A file of assembly.")
    code.add_argument("second", metavar="B", help="Another file of assembly.")
    code.add_argument("--isa", choices=ISAS, default="aarch64", help="Instruction set (aarch64).")
    code.add_argument("--registers", metavar="NAMES", help="Compare these registers, as v0,x2 (all that one of the two "
                      "changes).")

    requant = claim("requant", "Prove that a kernel requantizes as its definition says, for every 32-bit sum.",
                    " qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --shift 6", _prove_requant, REQUANT)
    requant.add_argument("--multiplier", type=int, metavar="N", help="Take this Q31 mantissa only (all).")
    requant.add_argument("--shift", type=int, metavar="N", help="Take this shift to the right only (all).")
    requant.add_argument("--scale", type=float, metavar="X",
                         help="Take this scale in single precision (one that spreads the sums over 8 bits).")
    requant.add_argument("--zero-point", type=int, metavar="N",
                         help="Take this zero point in single precision (the middle).")
    requant.add_argument("--limits", metavar="LOW..HIGH", help="Take these limits in single precision (all 8 bits).")
    requant.add_argument("--native", action="store_true", help="Run the C library's kernel for the same call.")

    overflow = claim("overflow", "Prove that no sum of products leaves its lane.",
                     " qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", _prove_overflow, SHAPES)

    memory = claim("safe", "Prove that a kernel touches nothing outside its buffers, and ends, for every size.",
                   " qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",
                   _prove_safe, "The proof is by induction over the iterations of the kernel's loops.\n")
    memory.add_argument("--invariant", metavar="TEXT", help='Use this invariant of the loop, as "x2 == kc - 8*i; x2 >= '
                        '0". Left out, the prover finds one.')
    memory.add_argument("--size", metavar="NAME", help="Leave this size unknown (kc, or the only one).")

    for made in (requant, overflow, memory):
        made.add_argument("first", metavar="KERNEL", help="A kernel: a name, or a .S file with a `//!` header.")
    magic = claim("magic", "Prove that adding 12582912.0 rounds every float32 from -4194304 to 4194304 to an integer.",
                  "", _prove_magic)
    for made in (kernels, code, requant, overflow, memory, magic):
        add_format(made)
    for made in (kernels, overflow):
        made.add_argument("--shapes", default="quick", metavar="SHAPES", help="Sizes to prove: quick, or MRxNRxKC,... "
                          "(quick).")
        made.add_argument("--taps", type=int, default=2, metavar="N", help="Taps of indirect products (2).")
        made.add_argument("--weights", default="-127..127", metavar="LOW..HIGH",
                          help="Bounds of signed weights (-127..127).")

    table = claim("catalogue", "Prove every kernel of the catalogue against the baseline kernel of its contract.",
                  " --output-dir rows --page proofs.md", _prove_catalogue, CATALOGUE)
    table.add_argument("--contract", metavar="NAME", help="Take kernels of this contract only (all).")
    add_output(table, "--output-dir", help="Keep the rows here, and go on with those that are kept.", folder=True)
    add_output(table, "--page", help="Write the page here, instead of printing it.")


def _said(proof: Proof, options: argparse.Namespace) -> int:
    name = path_of(getattr(options, "first", ""))
    if not reported(lambda: items_of_proofs([proof], name), options):
        answer(lambda: str(proof), lambda: {"proofs": [proof.to_dict()]}, options)
    return 0 if proof else 1


def _prove_magic(options: argparse.Namespace) -> int:
    with waiting("proving", options):
        proof = magic_number(seconds=options.timeout, solver=options.solver)
    return _said(proof, options)


def _prove_safe(options: argparse.Namespace) -> int:
    with waiting("proving", options):
        proof = safe(_source(options.first), options.invariant, size=options.size, seconds=options.timeout,
                     solver=options.solver)
    return _said(proof, options)


def _prove_code(options: argparse.Namespace) -> int:
    first, second = (read_text(name, 4 * MAX_FILE_LENGTH) for name in (options.first, options.second))
    registers = options.registers.split(",") if options.registers else None
    with waiting("proving", options):
        proof = equal(first, second, isa=options.isa, registers=registers, seconds=options.timeout,
                      solver=options.solver)
    return _said(proof, options)


def _prove_requant(options: argparse.Namespace) -> int:
    limits = None if options.limits is None else _ends(options.limits, "--limits", "0..255")
    bar = Bar("sums", options, "running all 2**32 sums")
    try:
        proof = requantization(_source(options.first), options.multiplier, options.shift, scale=options.scale,
                               zero_point=options.zero_point, limits=limits, native=options.native,
                               seconds=options.timeout, solver=options.solver, progress=bar)
    finally:
        bar.close()
    return _said(proof, options)


def _ends(text: str, option: str, example: str) -> tuple[int, int]:
    found = re.fullmatch(r"(-?\d{1,3})\.\.(-?\d{1,3})", text)
    if not found:
        raise BadArgument(f"{option} must be two numbers, as {example}; got {text}")
    return int(found[1]), int(found[2])


def _prove_catalogue(options: argparse.Namespace) -> int:
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
    kept = ResultCache(options.output_dir) if options.output_dir else None
    rows: list[ProofRow] = []
    seconds = min(options.timeout, TABLE_SECONDS)
    bar = Bar("pairs", options, "proving")
    bar.set_total(len(todo))
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
            print(f"{len(rows)} of {len(todo)} pairs are kept in {options.output_dir}; the same command goes on.",
                  file=sys.stderr)
        raise
    finally:
        bar.close()
    return rows


def _keep(kept: ResultCache, row: ProofRow, there: str, options: argparse.Namespace) -> None:
    try:
        kept.add(row, min(options.timeout, TABLE_SECONDS), options.solver)
    except BadArgument as why:
        raise BadArgument(f"{str(why).rstrip('.')}: {there} are in {options.output_dir}. Run the same command to "
                          f"continue.") from why


def _counted(rows: list[ProofRow]) -> str:
    return f"{sum(row.verdict == 'proved' for row in rows)} of {len(rows)} pairs are proved the same"


def _prove_kernels(options: argparse.Namespace) -> int:
    return _prove_shapes(same, [_source(options.first), _source(options.second)], options)


def _prove_overflow(options: argparse.Namespace) -> int:
    return _prove_shapes(no_overflow, [_source(options.first)], options)


def _prove_shapes(claim: Any, sources: list[Any], options: argparse.Namespace) -> int:
    weights = _ends(options.weights, "--weights", "-127..127")
    proofs: list[Proof] = []
    for mr, nr, kc in _shapes(options.shapes, sources):
        sizes: dict[str, Any] = {"mr": mr, "nr": nr, "kc": kc, "ks": options.taps, "weights": weights}
        with waiting(f"proving {mr}x{nr}x{kc}", options):
            proofs.append(claim(*sources, seconds=options.timeout, solver=options.solver, **sizes))
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
        raise BadArgument(f"--shapes must be quick, or rows x columns x depth as 4x8x9,2x3x1; got {text}")
    return [(int(one[1]), int(one[2]), int(one[3])) for one in found if one]


def _text(proofs: list[Proof]) -> str:
    rows = [str(proof).partition("\n  for this shape")[0] for proof in proofs]
    shared = [line for line in proofs[0].assumptions if not line.startswith("for this shape")]
    count = sum(map(bool, proofs))
    took = sum(proof.seconds for proof in proofs)
    return "\n".join([*rows, "", f"{count} of {len(proofs)} proved, in {took:.1f} s; each for its shape, and the "
                      "strides of one call", *shared])
