"""The models against measured latency and throughput of single instruction forms.

Every form of the table becomes two micro-benchmarks: a chain (each instruction reads the one before it) and a stream
of independent ones. Latency must agree within half a cycle, throughput within 5 %. Forms that a timing class lumps
together with a cheaper or dearer one are listed with the reason, and must really be off: a needless exclusion fails.

Source: ocxtal/insn_bench_aarch64 @5145ffc (MIT), the rows of `insn_bench.tsv`.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from neonsim.timing import Op, Stream, load_core
from neonsim.timing.pipeline import simulate

ROUNDING = "the class holds the form without rounding"
WAY_BACK = "the table's vector load latencies hold a guess of the way back to the address register"
ONE_ADDRESS = "the table stores to one address over and over"
# core -> (pattern of the form, which of the two is off, reason)
EXCLUDED = {
    "cortex-a53": [
        (r"^r(add|sub)hn", "latency throughput", ROUNDING),
        (r"^[su]rsra", "latency throughput", ROUNDING),
        (r"^rshrn", "latency", ROUNDING),
        (r"^sqabs", "latency", "SQABS is slower than SQADD"),
        (r"^cmtst", "latency", "CMTST is slower than the compares"),
        (r"^cls\.", "latency", "CLS is slower than CLZ and CNT"),
        (r"^(bif|bit|bsl)", "latency", "bit selects are slower than AND"),
        (r"^dup\.. \(elem", "latency", "the table gives half of a round trip"),
        (r"^(ld[rp]\.q|ld1)", "latency", WAY_BACK),
    ],
    "cortex-a72": [
        (r"^rshrn", "latency", ROUNDING),
        (r"^[su]abal", "throughput", "the long form is twice as fast"),
        (r"^pmul\.b", "throughput", "PMUL is slower than PMULL"),
        (r"^rbit\.", "throughput", "RBIT runs on both pipes, CLS CLZ CNT on one"),
        (r"^(bif|bit|bsl)", "throughput", "bit selects run on one pipe"),
        (r"^cs(inc|neg)", "throughput", "CSINC and CSNEG run on one pipe, CSINV on both"),
        (r"^ld[rp]\.q|^ld1", "latency", WAY_BACK),
    ],
    "neoverse-n1": [
        (r"^(stp|str\.q|st1)", "throughput", ONE_ADDRESS),
        (r"^movi.*\(0x00", "throughput", "MOVI #0 is done at rename, four a cycle"),
        (r"^ld[rp]\.q|^ld1", "latency", WAY_BACK),
        (r"^dup\.. \(elem", "latency", "the table gives half of a round trip"),
        (r"^([su]addl|add|[su]max|[su]min)v\.h|^tbl \(len == 3|^tbx \(len == 2", "throughput",
         "two micro-operations that collide one time in ten"),
        (r"^pmul\.b", "latency throughput", "PMUL is slower than PMULL"),
        (r"^rshrn", "latency", ROUNDING),
    ],
}
LOADS = {"ldr": 8, "ldp": 16, "ldr_simd": 16, "ldp_simd": 32, "ld1_1": 16, "ld1_2": 32, "ld1_3": 48, "ld1_4": 64,
         "ld1_lane": 4, "ld1r": 4}
STORES = {"str": 8, "stp": 16, "str_simd": 16, "stp_simd": 32, "st1_1": 16, "st1_lane": 4}
REGISTERS = {"ldp": 2, "ldp_simd": 2, "ld1_2": 2, "ld1_3": 3, "ld1_4": 4}
COUNT = 97


def rows() -> list[dict[str, str]]:
    text = (Path(__file__).parent / "insn_bench.tsv").read_text(encoding="utf-8")
    return list(csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t"))


ROWS = rows()


def make(row: dict[str, str], source: str, target: str, *, accumulate: bool = False) -> Op:
    """The form as an op that reads `source` and writes `target`."""
    name = row["class"]
    facts = {"timing": name, "text": row["form"], "width": row["width"] or None, "bits": int(row["bits"]),
             "by_element": row["element"] == "elem"}
    if name in LOADS:
        extra = [f"{target}.{k}" for k in range(1, REGISTERS.get(name, 1))]
        writes = tuple(("t", r) for r in (target, *extra))
        return Op(**facts, reads=(("base", source),), writes=writes, nbytes=LOADS[name])
    if name in STORES:
        return Op(**facts, reads=(("t", "v31"), ("base", "x31")), nbytes=STORES[name])
    return Op(**facts, reads=(("a" if accumulate else "n", source),), writes=(("d", target),))


def cycles(ops: list[Op], core: str) -> float:
    """Cycles an op in the steady state."""
    run = simulate(Stream.of_ops(ops), load_core(core))
    first, last = len(ops) // 2, len(ops) - 1
    return (run.issue[last] - run.issue[first]) / (last - first)


KNOWN: dict[tuple[object, ...], float] = {}


def remembered(what: str, core: str, ops: list[Op]) -> float:
    """Forms that the model cannot tell apart are simulated once."""
    key = (what, core, replace(ops[0], text=""))
    if key not in KNOWN:
        KNOWN[key] = cycles(ops, core)
    return KNOWN[key]


def latency(row: dict[str, str], core: str) -> float:
    return remembered("latency", core, [make(row, "r0", "r0", accumulate="acc. fwd." in row["form"])] * COUNT)


def throughput(row: dict[str, str], core: str) -> float:
    return 1 / remembered("throughput", core, [make(row, "r99", f"r{k % 24}") for k in range(COUNT)])


def excluded(form: str, core: str) -> set[str]:
    return {word for pattern, which, _ in EXCLUDED[core] if re.search(pattern, form) for word in which.split()}


def reasons(form: str, core: str) -> set[str]:
    return {reason for pattern, _, reason in EXCLUDED[core] if re.search(pattern, form)}


@pytest.mark.parametrize("core", EXCLUDED)
def test_every_measured_form_within_half_a_cycle_and_5_percent(core: str) -> None:
    key = core.rpartition("-")[2]
    wrong, needless, checked = [], [], 0
    left_out: dict[str, list[str]] = {}
    for row in ROWS:
        skip = excluded(row["form"], core)
        for what, limit, model in (("latency", 0.5, latency), ("throughput", None, throughput)):
            text = row[f"{key}_{what}"]
            if text in ("-", "n/a"):
                continue
            measured, modelled = float(text), model(row, core)
            off = abs(measured - modelled) > (limit if limit is not None else 0.05 * measured)
            line = f"{row['form']}: {what} measured {measured}, modelled {modelled:.2f}"
            if what in skip:
                for reason in reasons(row["form"], core):
                    left_out.setdefault(reason, []).append(line)
                if not off and WAY_BACK not in reasons(row["form"], core):
                    needless.append(line)
            elif off:
                wrong.append(line)
            else:
                checked += 1
    print(f"{core}: {checked} measured values agree, {sum(map(len, left_out.values()))} excluded")
    for reason, lines in left_out.items():
        print(f"  {reason}: {len(lines)}, such as {lines[0]}")
    assert not wrong, "\n".join(wrong)
    assert not needless, "excluded, but agree:\n" + "\n".join(needless)
    assert checked > 700


def test_table_is_the_measured_one() -> None:
    forms = {row["form"]: row for row in ROWS}
    assert len(ROWS) > 600
    assert forms["smlal.h (vec; acc. fwd.)"]["a53_latency"] == "1.03"
    assert forms["add.s"]["a72_throughput"] == "1.50"
