"""The models against measured and published tables of single instructions (`neonsim cores validate --instructions`)."""

from __future__ import annotations

import json
from functools import cache

import pytest

from neonsim.arm.isa import all_semantics
from neonsim.arm.timing import load_core
from neonsim.arm.timing.cores.instruction_classes import CLASSES
from neonsim.arm.timing.validation.microbench import compare_measured, exclusions, make, measured, rows
from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.studies.kernels import with_latency

compared = cache(compare_measured)
CHECKED = {"cortex-a53": 1800, "cortex-a55": 120, "cortex-a72": 1800, "neoverse-n1": 1800, "neoverse-v1": 1800,
           "cortex-x1": 1800, "apple-m1-firestorm": 1900}
MARKS = {"cortex-a53": [pytest.mark.slow], "cortex-a55": []}


@pytest.mark.parametrize("core", [
    pytest.param(name, marks=MARKS.get(name, [pytest.mark.nightly])) for name in measured()])
def test_every_form_within_half_a_cycle_and_5_percent(core: str) -> None:
    found = compared(core)
    print(found)
    assert not found.deviations, "\n".join(map(str, found.deviations))
    assert not found.needless, "excluded, but agree:\n" + "\n".join(map(str, found.needless))
    assert len(found.agree) >= CHECKED[core]
    table = load_core(core).measured
    assert table
    forms = [row["form"] for row in rows(table.table)]
    words = {f"{what}{width}" for what in ("latency", "throughput")
             for width in ([""] if table.column else ["(q)", "(d)"])}
    assert all(any(pattern.search(form) for form in forms) and off <= words for pattern, off, _ in exclusions(core))


def test_table_is_the_measured_one() -> None:
    forms = {row["form"]: row for row in rows("insn_bench.tsv")}
    assert forms["smlal.h (vec; acc. fwd.)"]["a53_latency"] == "1.03"
    assert forms["add.s"]["a72_throughput"] == "1.50"
    assert forms["fmla.s (vec; acc. fwd.)"]["n1_latency"] == "2.00"
    assert forms["ld4.b (multi)"]["a72_throughput"] == "0.17"


def test_classes_of_the_table_are_those_of_instructions() -> None:
    used = {m.timing.format(count=n) for m in all_semantics().values() for n in range(1, 5)}
    measured = {row["class"] for row in rows("insn_bench.tsv")}
    assert measured <= set(CLASSES)
    # A NEON class of computation that instructions have and nobody measured is one to look at.
    unmeasured = {name for name in used - measured
                  if name in CLASSES and CLASSES[name].neon and CLASSES[name].kind not in ("load", "store")
                  and not CLASSES[name].parent}  # a family's own is reported as unknown
    assert unmeasured <= {"asimd_matmul", "asimd_swap", "asimd_ins_elem", "asimd_ins_gpr", "asimd_to_gpr",
                          "fmov_from_gpr", "fmov_to_gpr", "asimd_fp_mul_add", "asimd_fp_div", "asimd_fp_move"}


def test_a_wrong_price_is_noticed() -> None:
    wrong = compare_measured("cortex-a55", with_latency("cortex-a55", "asimd_ext", 4)).deviations
    assert {(v.timing, v.quantity) for v in wrong} == {("asimd_ext", "latency (d)"), ("asimd_ext", "latency (q)")}


def test_core_without_a_table() -> None:
    with pytest.raises(BadArgument, match="cortex-a73"):
        compare_measured("cortex-a73")


def test_structures_move_what_they_say() -> None:
    forms = {row["form"]: row for row in rows("insn_bench.tsv")}
    op = make(forms["ld3.h (single; [7])"], "x0", "v1")
    assert (op.nbytes, len(op.writes)) == (6, 3)
    assert make(forms["ld4.b (multi)"], "x0", "v1").nbytes == 64


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cores", "validate", "cortex-a55", "--instructions"]) == 0
    assert "0 do not" in capsys.readouterr().out
    assert main(["cores", "validate", "cortex-a55", "--instructions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cortex-a55"][0]["agrees"] is True
