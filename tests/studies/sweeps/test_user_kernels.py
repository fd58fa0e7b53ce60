"""Kernels of your own in a sweep: what the catalogue's file gives, a copy of it elsewhere gives too."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import AssemblyError, BadArgument
from neonsim.studies.sweeps.dataset import Dataset
from neonsim.studies.sweeps.job import row_of
from neonsim.studies.sweeps.plan import SweepPlan, check_digest, make_plan, named_kernels
from neonsim.studies.sweeps.user_kernels import UserKernel, read_user_kernels
from neonsim.ukernel import kernel
from neonsim.ukernel.naming import split_name
from neonsim.verify.checking.mutations import flat

GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"
KNOWN: dict[str, Any] = {"contract": "qu8_gemm_q31", "tile": "1x8", "isa": "aarch64",
                         "reads_before": kernel(GEMM).header.reads_before}


def body() -> str:
    """A kernel of the catalogue without its header, and under another name."""
    lines = [line for line in flat(kernel(GEMM)) if not line.startswith("//!")]
    return "\n".join(lines).replace(GEMM, "Mine") + "\n"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "Mine-1.S"
    path.write_text(body())
    return path


def planned(path: Path, **words: Any) -> SweepPlan:
    return make_plan(read_user_kernels([path, GEMM], **KNOWN),
                     **{"measures": "counts", "shapes": "1x8x1..9/4", **words})


def plain(row: dict[str, Any], *more: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("job", "kernel", "seconds", *more)}


def test_the_rows_are_those_of_the_same_text_in_the_catalog(mine: Path) -> None:
    plan = planned(mine, measures="counts,calls,cycles", cores="a53")
    rows = [row_of(plan.job(number)) for number in range(len(plan))]
    half = {name: [plain(row) for row in rows if row["kernel"] == name] for name in plan.kernels}
    own = plan.user_kernels[0].name
    assert half[own] == half[GEMM] and {row["status"] for row in half[own]} == {"ok", "right"}
    assert len(half[own]) == 3 * 3 and half[own][0]["instructions"] > 40


@pytest.mark.nightly
def test_proofs_and_contracts_and_bugs_in_them(mine: Path) -> None:
    right = planned(mine, measures="contract,proofs", shapes="1x8x2")
    assert [row_of(right.job(number))["status"] for number in (0, 2)] == ["right", "proved"]
    mine.write_text(re.sub("sqrdmulh.*", "nop", body()))
    wrong = planned(mine, measures="calls,contract,proofs", shapes="1x8x9", data="ties")
    rows = [row_of(wrong.job(number)) for number in (0, 2, 4)]
    assert [row["status"] for row in rows] == ["wrong", "wrong", "refuted"]
    assert all(row["kernel"] == wrong.user_kernels[0].name for row in rows)
    assert wrong.user_kernels[0].name != right.user_kernels[0].name


def test_its_name_is_one_of_a_kernel_and_changes_with_every_byte(mine: Path) -> None:
    first = planned(mine).user_kernels[0]
    assert split_name(first.name)[:3] == ("qu8_gemm_q31", "1x8", "aarch64") and "_mine_1_" in first.name
    assert (first.entry, first.text) == ("Mine", body())
    mine.write_text(body() + "// a word\n")
    second = planned(mine).user_kernels[0]
    assert second.name != first.name and second.stem == first.stem
    assert read_user_kernels([mine], **{**KNOWN, "reads_after": 8})[0].name != second.name
    assert named_kernels([first, GEMM]) == {first.name: first, GEMM: GEMM}


def test_the_text_travels_and_the_file_is_not_asked_again(mine: Path) -> None:
    plan = planned(mine)
    mine.unlink()
    there = SweepPlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    check_digest(there)
    assert there == plan and there.identity == plan.identity
    assert plain(row_of(there.job(0))) == plain(row_of(there.job(3)))


def test_definitions_without_own_kernels_read_as_before() -> None:
    plan = make_plan(GEMM, measures="counts", shapes="1x8x1")
    assert "user_kernels" not in plan.to_dict() and SweepPlan.from_dict(plan.to_dict()) == plan


def test_a_changed_file_is_not_mistaken_for_the_one_of_the_folder(mine: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    Dataset.create(tmp_path / "rows", planned(mine)).close()
    Dataset.create(tmp_path / "rows", planned(mine)).close()
    mine.write_text(body().replace("sqrdmulh", "sqdmulh", 1))
    with pytest.raises(BadArgument, match=r"mine_1 has changed since it was begun\. Name another folder"):
        Dataset.create(tmp_path / "rows", planned(mine))


def test_headers_macros_and_definitions(mine: Path, tmp_path: Path) -> None:
    whole = tmp_path / f"{GEMM}.S"
    whole.write_text(kernel(GEMM).source)
    assert read_user_kernels(str(whole))[0].stem == "neon_mlal_lane"
    assert '#include "include/' in whole.read_text()
    assert read_user_kernels([whole])[0].text.splitlines() == list(flat(kernel(GEMM)))
    mine.write_text(body().replace("sqrdmulh", "ROUND", 1))
    assert read_user_kernels([mine], **KNOWN,
                             define={"ROUND": "sqrdmulh"})[0].text.startswith("#define ROUND sqrdmulh\n")


@pytest.mark.parametrize("name, text, known, says", [
    ("mine.S", "mine: nop\n", {}, "has no instruction set"),
    ("mine.S", None, {"isa": "aarch64"}, "Name one with --contract"),
    ("mine.S", None, {**KNOWN, "tile": None}, "has no tile size"), ("none.S", None, KNOWN, "there is no file"),
    ("mine.S", None, {**KNOWN, "tile": "1x9999"}, r"columns of the tile of .*mine\.S must be in"),
    ("mine.S", None, {**KNOWN, "reads_after": 10**9}, "bytes that mine may read after"),
    ("mine.c", "int x;", KNOWN, "cannot be sent"), ("mine.o", "x", KNOWN, "cannot be sent"),
    ("mine.S", '#include "more.h"\nmine: ret\n', KNOWN, "Copy their text into it"),
    ("mine.S", 'mine: ret\n.data\n.incbin "more.h"\n', KNOWN, "Copy their text into it"),
    ("mine.S", "mine: ret\n" + ("//" + "x" * 3000 + "\n") * 170, KNOWN, "characters; the limit is 500,000")])
def test_what_cannot_travel_or_is_not_known_is_one_sentence(name: str, text: str | None, known: dict[str, Any],
                                                            says: str, tmp_path: Path) -> None:
    (tmp_path / "more.h").write_text("// nothing\n")
    if name != "none.S":
        (tmp_path / name).write_text(text or body())
    with pytest.raises(BadArgument, match=says) as refused:
        read_user_kernels(str(tmp_path / name), **known)
    assert "\n" not in str(refused.value)


def test_a_fault_is_said_with_its_place(mine: Path) -> None:
    plan = make_plan(read_user_kernels([mine], **{**KNOWN, "reads_before": 0}), measures="counts", shapes="1x8x1")
    row = row_of(plan.job(0))
    assert row["status"] == "error" and "before" in row["what"] and "ld1" in row["what"]


def test_other_refusals(mine: Path) -> None:
    with pytest.raises(BadArgument, match="tile needs an assembly file"):
        read_user_kernels("qu8_gemm_q31", tile="4x8")
    with pytest.raises(BadArgument, match="bugs needs kernels of the catalogue"):
        planned(mine, measures="bugs")
    mine.write_text("Mine: add w0, w0\n")
    with pytest.raises(AssemblyError, match="operand is missing"):
        planned(mine)


@pytest.mark.parametrize("change, says", [
    ({"tile": "1x9999"}, "columns of the tile"), ({"tile": "9" * 5000 + "x8"}, "not a tile"),
    ({"contract": "nonsense"}, "nonsense"), ({"isa": "x86"}, "no kernel can have that name"),
    ({"stem": "../x"}, "no kernel can have that name"), ({"reads_after": "8"}, "its fields|the fields"),
    ({"reads_before": -1}, "must be in"), ({"text": "x" * 600_000}, "characters"),
    ({"more": 1}, "its fields|the fields")])
def test_the_manifest_of_a_stranger_is_looked_at(change: dict[str, Any], says: str, mine: Path) -> None:
    said = planned(mine).to_dict()
    said["user_kernels"][0].update(change)
    with pytest.raises(BadArgument, match=says):
        SweepPlan.from_dict(said)
    for other in ("text", [1], {"a": 1}, said["user_kernels"] * 100):
        with pytest.raises(BadArgument, match="it is not a definition of a sweep"):
            SweepPlan.from_dict({**said, "user_kernels": other})


def test_a_stranger_s_text_reads_no_files(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("Mine: ret\n")
    for line in (f'#include "{tmp_path}/secret"', '#include "secret"', f'.include "{tmp_path}/secret"'):
        one = UserKernel("mine", "qu8_gemm_q31", "1x8", "aarch64", "Mine", f"{line}\n")
        with pytest.raises(AssemblyError):
            _ = one.subject


@pytest.mark.nightly
@pytest.mark.parametrize("dask", [False, True])
def test_a_whole_sweep(mine: Path, tmp_path: Path, dask: bool) -> None:
    pytest.importorskip("pyarrow")
    with pytest.importorskip("distributed").Client(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, set_as_default=False) \
            if dask else nullcontext() as scheduler:
        rows = ns.sweep([mine, GEMM], **KNOWN, measures="counts,calls", shapes="1x8x1..3", output_dir=tmp_path / "rows",
                        workers=1, scheduler=scheduler)
    there = list(rows)
    assert not rows.failures and len(there) == 12
    assert [plain(row) for row in there[:3]] == [plain(row) for row in there[3:6]]
    assert list(ns.sweep(output_dir=tmp_path / "rows", workers=1)) == there
