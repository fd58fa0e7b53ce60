"""`neonsim sweep`: kernels x cores x shapes x caches x data, here or on many machines."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from itertools import islice
from typing import Any

from neonsim.common.fileio import make_folder
from neonsim.common.study_report import Report, text_table
from neonsim.errors import BadArgument
from neonsim.studies.sweeps.job import Row
from neonsim.studies.sweeps.layer_shapes import Shape, layer_lines, layer_shapes
from neonsim.studies.sweeps.plan import CACHES, DATA, MEASURES, SweepPlan, is_depthwise, make_plan, named_kernels
from neonsim.studies.sweeps.rows import Rows, fill
from neonsim.studies.sweeps.user_kernels import read_user_kernels
from neonsim.ukernel import Tile
from neonsim.ukernel.naming import split_name

from .network_options import check_networks
from .options import add_output, add_subject_options, answer, definitions, top_command, wrote
from .progress import Bar

__all__ = ["add_commands"]

Weights = dict[bool, dict[Shape, int]]      # of depthwise kernels and of others: shape -> how often layers have it
SHOWN, LISTED = 8, 30   # rows in which something is wrong; rows that are not kept

NOTES = f"""\
KERNELS are names, contracts, patterns ('qs8_gemm*') or all, with commas. Without them the sweep in --output-dir goes
on. Your own files may be among them, .S or .s: `neonsim sweep mine.S,qu8_gemm_q31 --contract qu8_gemm_q31 --tile 4x8`.
Their header lines (//! contract: qu8_gemm_q31) may say the same. The text travels to other machines and is part of the
definition: a file that has changed is another kernel. Bugs are planted into kernels of the catalogue only.

--measure  of {', '.join(MEASURES)}; each kernel is taken with each
           cycles    shapes x caches x cores: modelled        counts   shapes
           calls     shapes x data x seeds: every byte right  contract seeds: as `neonsim check`
           bugs      planted bugs: noticed?                   proofs   shapes: as `neonsim prove kernels`
--shape    rows x columns x depth of a product, 8x8x64; ranges 1..8x8x16..64/16; a fourth number are taps;
           of a depthwise kernel pixels x channels x 1 x taps, 56x128x1x9: a row of an image
--data     of {', '.join(DATA)}

Every combination is a row of one Parquet data set in --output-dir (FOLDER/parts). Whatever ends a sweep, Ctrl-C too:
the same command goes on where it stopped, and so does `neonsim sweep --output-dir FOLDER`. A row that cannot be done
says why.

Exit status: 0 nothing is wrong, 1 rows are wrong, refuted, unknown, missed or broken, 2 wrong usage, a folder that
cannot be written, 130 interrupted.
"""


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "sweep",
                         "neonsim sweep qs8_gemm_rndnu --core a53,a76 --shape 8x8x16..64/16 --output-dir rows", NOTES)
    parser.add_argument("kernels", nargs="?", metavar="KERNELS", help="Kernels to sweep; see below.")
    add_subject_options(parser.add_argument_group("your own files"))
    parser.add_argument("--measure", default="cycles", metavar="MEASURES", help="What each row says (cycles).")
    parser.add_argument("--core", default="all", metavar="CORES", help="Cores, with commas (all).")
    parser.add_argument("--shape", default="", metavar="SHAPES", help="Shapes, with commas; see below.")
    parser.add_argument("--caches", default="l1", metavar="STATES",
                        help=f"State of the caches before each call, of {', '.join(CACHES)} (l1: every access hits).")
    parser.add_argument("--data", default="uniform", metavar="KINDS", help="Data of calls; see below (uniform).")
    parser.add_argument("--seeds", default="0", metavar="RANGE", help="Seeds of calls and contract, as 0..9 (0).")
    parser.add_argument("--bugs", type=int, default=8, metavar="N", help="Bugs to plant into each kernel (8).")
    parser.add_argument("--full", action="store_true", help="Take all cases of a contract, not each edge once.")
    add_output(parser, "--output-dir", help="Fill this folder, or go on with it.", folder=True)
    parser.add_argument("--workers", type=int, metavar="N", help="Number of processes here (one for each processor).")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help="Seconds that one row may take (60).")
    parser.add_argument("--chunk", type=int, metavar="N", help="Rows given out at a time (half a minute's).")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="Let the workers of this Dask scheduler do it "
                        "(processes here).")
    add_output(parser, "--plot", help="Write pages and pictures here: the best kernel by shape and core, and where one "
               "overtakes another.", folder=True)
    parser.add_argument("--preset", choices=["network-layers"],
                        help="Sweep the cycles of all layer shapes of the networks (by default of kernels of "
                             "qs8_gemm_rndnu and qs8_dwconv_rndnu).")
    parser.add_argument("--network", metavar="NETWORKS", help="Networks of --preset, with commas (all published ones).")
    parser.add_argument("--dry-run", action="store_true", help="Say how many rows there will be, and stop.")
    parser.set_defaults(run=_sweep)


def _sweep(options: argparse.Namespace) -> int:
    plan, weights = _plan(options)
    if options.dry_run:
        answer(plan, lambda: {"rows": len(plan), "chunks": plan.chunks, "measures": plan.sizes,
                              "definition": plan.to_dict()}, options)
        return 0
    bar = Bar("rows", options, f"of {len(plan):,}")
    try:
        rows = fill(plan, options.output_dir, workers=options.workers, timeout=options.timeout,
                    scheduler=options.scheduler, progress=bar)
    except KeyboardInterrupt:
        bar.close()
        if options.output_dir is not None:
            there = Rows.open(options.output_dir)
            print(f"{len(there):,} of {len(plan):,} rows are kept in {options.output_dir}; the same command goes on.",
                  file=sys.stderr)
        raise
    finally:
        bar.close()
    kept = options.output_dir is not None
    studies = _best(rows, weights) if options.preset or options.plot else {}
    if options.plot:
        _draw(rows, studies, options)
    if options.preset:
        answer(lambda: "\n\n".join(map(str, [rows, *studies.values()])),
               lambda: {**rows.to_dict(), "studies": [study.to_dict() for study in studies.values()]}, options)
    else:
        answer(lambda: _text(rows, kept), lambda: {**rows.to_dict(), **({} if kept else {"data": list(rows)})},
               options)
    return 1 if rows.failures or (options.plot and not studies) else 0


def _contracts(plan: SweepPlan) -> list[str]:
    return sorted({split_name(name)[0] for name in plan.kernels})


def _best(rows: Rows, weights: Weights) -> dict[str, Report]:
    """Contract -> its best kernels. A row without any cycles says why."""
    found = {}
    for contract in _contracts(rows.plan):
        try:
            found[contract] = rows.best(contract, weights=weights.get(is_depthwise(contract)))
        except BadArgument as why:
            print(f"nothing to compare: {why}", file=sys.stderr)
    return found


def _draw(rows: Rows, best: dict[str, Report], options: argparse.Namespace) -> None:
    """A page and a picture of each contract's best kernels, and of each core on which one overtakes another."""
    folder = make_folder(options.plot)
    for contract, winners in best.items():
        studies: dict[str, Report] = {f"best-{contract}": winners}
        for core in rows.plan.cores:
            with suppress(BadArgument):     # no size grows, or no kernel of it runs there
                studies[f"crossover-{contract}-{core}"] = rows.crossover(core, contract)
        for name, study in studies.items():
            wrote(study.picture().save(folder / f"{name}.svg"), options)
            wrote(study.to_html(folder / f"{name}.html"), options)


def _plan(options: argparse.Namespace) -> tuple[SweepPlan, Weights]:
    """What there is to do; of a study how often each shape is there. Raises BadArgument as `make_plan`."""
    if options.network and not options.preset:
        raise BadArgument("--network needs --preset network-layers. It selects the networks of the layers.")
    if options.preset:
        return _layers(options)
    return _said(options), {}


def _layers(options: argparse.Namespace) -> tuple[SweepPlan, Weights]:
    if options.shape:
        raise BadArgument("--preset network-layers sets the shapes. Omit --shape.")
    named = named_kernels(_kernels(options, "qs8_gemm_rndnu,qs8_dwconv_rndnu"))
    networks = check_networks(options.network) if options.network else None
    products = [name for name in named if not is_depthwise(name)]
    shapes = layer_shapes(networks, indirect=all("igemm" in name for name in products)) if products else {}
    lines = layer_lines(networks) if len(products) < len(named) else {}
    windows = {taps for *_, taps in lines}
    # A depthwise kernel does windows of one size: no layer has those of 5x5 in these networks, say.
    chosen = [one for name, one in named.items() if not is_depthwise(name) or _taps(name) in windows]
    if not chosen:
        there = f"windows of {', '.join(map(str, sorted(windows)))} taps" if windows else "none"
        raise BadArgument(f"these networks have no depthwise layer for {next(iter(named))}. They have layers for "
                          f"{there}.")
    return (make_plan(chosen, cores=options.core, shapes=list(shapes), lines=list(lines), caches=options.caches,
                      chunk=options.chunk), {False: shapes, True: lines})


def _taps(depthwise: str) -> int | None:
    tile = Tile.parse(split_name(depthwise)[1])
    return None if tile is None else tile.nr


def _kernels(options: argparse.Namespace, default: str = "") -> list[Any]:
    return read_user_kernels(options.kernels or default, contract=options.contract, tile=options.tile, isa=options.isa,
                     entry=options.entry, reads_before=options.reads_before, reads_after=options.reads_after,
                     define=definitions(options))


def _said(options: argparse.Namespace) -> SweepPlan:
    if options.kernels is None:
        if options.output_dir is None:
            raise BadArgument("name kernels to sweep, as neonsim sweep qs8_gemm_rndnu --shape 8x8x64, or the folder of "
                              "a sweep to continue with --output-dir.")
        return Rows.open(options.output_dir).plan
    return make_plan(_kernels(options), measures=options.measure, cores=options.core, shapes=options.shape,
                     caches=options.caches, data=options.data, seeds=options.seeds, bugs=options.bugs,
                     size="full" if options.full else "quick", chunk=options.chunk)


def _text(rows: Rows, kept: bool) -> str:
    lines = [str(rows)] if kept else [str(rows).partition(" in ")[0], *str(rows).splitlines()[1:]]
    if not kept:
        lines += ["", _some(rows), "", *_cannot(rows), "These rows are not kept: --output-dir FOLDER keeps them."]
    told = rows.troubles(SHOWN)
    if told:
        lines += ["", *(f"{row['kernel']}{_where(row)}: {row['status']}{': ' if row['what'] else ''}"
                        f"{row['what'] or ''}" for row in told)]
        if rows.failures > len(told):
            lines.append(f"and {rows.failures - len(told):,} more")
    return "\n".join(lines)


def _cannot(rows: Rows) -> list[str]:
    """Why of the rows that are listed some cannot be done, each reason once."""
    said = dict.fromkeys(str(row["what"]) for row in islice(rows, LISTED) if row["status"] == "cannot" and row["what"])
    return [f"cannot: {reason}" for reason in said]


def _where(row: Row) -> str:
    shape = "x".join(str(row[size]) for size in ("m", "n", "k") if row[size])
    return "".join(f", {word}" for word in (row["core"], shape, row["bug"]) if word)


def _some(rows: Rows) -> str:
    """The first rows as a table, without columns in which nothing stands."""
    first = list(islice(rows, LISTED))
    head = [name for name in first[0] if any(row[name] is not None for row in first) and name not in ("job", "what")]
    cells = [[_cell(row[name]) for name in head] for row in first]
    more = len(rows) - len(first)
    return text_table(head, cells) + (f"\nand {more:,} more" if more else "")


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) and value < 100 else \
        f"{value:.0f}" if isinstance(value, float) else str(value)
