"""Every kernel, because it exists: header, name, comments, what its main loop is made of. And the catalogue itself."""

from __future__ import annotations

import os
import pickle
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim.ukernel.catalog as catalog
from neonsim.common.fileio import read_text
from neonsim.errors import BadArgument, KernelFileError
from neonsim.nn import ops
from neonsim.nn.ops import FullyConnected
from neonsim.quant import Quantized, Scheme
from neonsim.ukernel import Kernel, kernel, kernels
from neonsim.ukernel.catalog import cached_reads
from neonsim.ukernel.kernelgen import STANDARD
from neonsim.ukernel.naming import split_name
from neonsim.verify.checking import lint_kernels
from neonsim.verify.checking.kernel_lint import RULES

# What a main loop is made of, per eight depths: facts of the design, counted from the assembled program.
MAIN_LOOPS = {
    "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane": {"vld1": 12, "vmovl": 4, "vsubl": 8, "vmlal": 64, "subs": 1, "b": 1},
    "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal": {"vld1": 8, "vext": 12, "vmull": 32, "vpadal": 32, "subs": 1,
                                                        "b": 1},
    "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane": {"ld1": 16, "uxtl": 8, "usubl": 8, "smlal": 64, "smlal2": 64,
                                                 "subs": 1, "b": 1},
}


@pytest.mark.slow
def test_every_rule_of_the_house_that_needs_no_program_is_kept() -> None:
    _kept(kernels(), [rule for rule in RULES if rule not in ("bugs", "reads", "program", "feature")])


@pytest.mark.slow
def test_every_kernel_is_a_program_of_its_feature() -> None:
    _kept(kernels(), ["program", "feature"])


def _kept(chosen: Iterable[Kernel], rules: list[str]) -> None:
    # Mutations are planted in test_planted_bugs.py, reads before a row measured in test_families.py.
    found = [lint_kernels(each, rules) for each in chosen]
    assert not [str(one) for one in found if not one or any(name != "twin" for name, _ in one.open)]


def test_headers_are_those_of_the_names_and_are_explained() -> None:
    wrong = []
    for each in kernels():
        contract, tile, isa, _ = split_name(each.name)
        if (each.contract.name, str(each.tile), each.isa) != (contract, tile, isa):
            wrong.append(f"{each.name}: {each.header}")
        text = each.explain()
        if each.name not in text or "without an entry" in text:
            wrong.append(text)
    assert not wrong


def test_a_program_is_of_the_kernels_instruction_set_and_is_kept() -> None:
    for each in kernels(contract="qu8_sumrows"):
        assert each.program().isa == each.isa
        assert each.program() is each.program()


@pytest.mark.parametrize("name", MAIN_LOOPS)
def test_the_main_loop_is_counted(name: str) -> None:
    program = kernel(name).program()
    # The first branch backwards closes the main loop.
    last = next(i for i, ins in enumerate(program.instructions)
                if ins.is_branch and ins.target is not None and ins.target <= i)
    loop = program.instructions[program.instructions[last].target:last + 1]
    names = [re.split(r"[.\s]", str(instruction).lower())[0] for instruction in loop]
    assert Counter("b" if ins.is_branch else n for n, ins in zip(names, loop, strict=True)) == MAIN_LOOPS[name]


def test_catalog_prints_as_a_table_and_knows_names() -> None:
    found = kernels()
    assert len(repr(found).splitlines()) == len(found) >= 4
    assert found[0] in found
    assert found.names[0] in found  # type: ignore[comparison-overlap]
    assert "vmlal" not in found  # type: ignore[comparison-overlap]
    assert {k.isa for k in kernels(isa="aarch64")} == {"aarch64"}
    assert {split_name(name)[0] for name in kernels(contract="qu8_sumrows").names} == {"qu8_sumrows"}


def test_wrong_filters_are_refused() -> None:
    with pytest.raises(KernelFileError, match="no contract"):
        kernels(contract="gemm")
    with pytest.raises(BadArgument, match="aarch32 or aarch64"):
        kernels(isa="arm64")


@pytest.mark.parametrize("wrong", ["qu8_gemm_q31_4x8__aarch32_neon_mla_lane", "qu8_gemm_q31_4x8_aarch32_mlal_lane"])
def test_a_wrong_name_gets_suggestions(wrong: str) -> None:
    with pytest.raises(KernelFileError, match="qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"):
        kernel(wrong)


def test_a_name_like_nothing_says_where_they_are_listed() -> None:
    with pytest.raises(KernelFileError, match=f"`neonsim kernels` .* list the {len(kernels())}"):
        kernel("sgemm")


def test_kernels_pickle_and_pass_through() -> None:
    k = kernels()[0]
    assert kernel(k) is k
    assert pickle.loads(pickle.dumps(k)).name == k.name


def test_kernels_are_found_inside_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "neonsim"
    package.mkdir()
    original = Path(kernels(contract="qu8_sumrows")[0].path).parent
    monkeypatch.setattr(catalog, "_package", lambda: package)
    with pytest.raises(KernelFileError, match="Install neonsim again"):
        catalog.kernels_folder()
    shutil.copytree(original, package / "kernels" / "gemm")
    assert catalog.kernels_folder() == package / "kernels"


def test_two_files_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = kernels()[0].path
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(original, tmp_path / folder)
    monkeypatch.setattr(catalog, "kernels_folder", lambda: tmp_path)
    with pytest.raises(KernelFileError, match="Two files"):
        kernels()


def test_row_sums_alone_are_no_layer() -> None:
    with pytest.raises(KernelFileError, match="not a matrix product"):
        kernel("qu8_sumrows_4x__aarch32_neon").run(None, None, out=None)


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    original = kernel("qu8_sumrows_4x__aarch32_neon")
    copy = Kernel(original.name, tmp_path / original.path.name)
    copy.path.write_text(original.source)
    assert copy != original
    assert len(copy.program().instructions) == len(original.program().instructions)
    copy.path.write_text(original.source.replace("    bx ", "    nop\n    bx "))
    assert len(copy.program().instructions) == len(original.program().instructions) + 1


def test_a_new_file_is_found_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = kernel("qu8_sumrows_4x__aarch32_neon").path
    monkeypatch.setattr(catalog, "kernels_folder", lambda: tmp_path)
    assert kernels().names == STANDARD      # what is made by rule needs no file
    shutil.copy(original, tmp_path)
    assert set(kernels().names) == {"qu8_sumrows_4x__aarch32_neon", *STANDARD}


def test_a_plan_looks_at_few_files_and_reads_none_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the kernels that may do it: whether each has changed, once, and once more of what was chosen. Their names are
    not gone through again."""
    looked, read = Counter[str](), list[Path]()
    text = catalog._text

    def looking(path: Path) -> str:
        looked[path.stem] += 1
        return text(path)

    def reading(path: Path, most: int) -> str:
        read.append(path)
        return read_text(path, most)

    layer = FullyConnected(Scheme(0.5, 3), Quantized(np.ones((8, 8), np.uint8), 0.5, 3), out=Scheme(0.5, 3))
    layer.plan((1, 8), backend="emulated")
    monkeypatch.setattr(catalog, "_text", looking)
    monkeypatch.setattr(catalog, "read_text", reading)
    listed = catalog._part.cache_info().misses
    layer.plan((1, 8), backend="emulated")
    assert catalog._part.cache_info().misses == listed
    (isa,) = {split_name(name)[2] for name in looked}
    (contract,) = {split_name(name)[0] for name in looked}
    assert not read
    *others, chosen = sorted(looked.values())
    assert set(looked) <= set(kernels(contract, isa=isa).names) and set(others) == {1} and chosen <= 4, looked


def test_headers_of_all_kernels_are_kept() -> None:
    """A second pass over the catalogue reads no header again: many operators do for every call."""
    for each in kernels():
        assert each.isa
    before = catalog._header.cache_info().misses
    for each in kernels():
        assert each.isa
    assert catalog._header.cache_info().misses == before


def test_one_look_sees_files_as_they_were_at_its_begin(tmp_path: Path) -> None:
    original = kernel("qu8_sumrows_4x__aarch32_neon")
    copy = Kernel(original.name, tmp_path / original.path.name)
    copy.path.write_text(original.source)
    with cached_reads():
        assert copy.source == original.source
        copy.path.write_text(original.source + "\n")
        with cached_reads():        # within another it is that one
            assert copy.source == original.source
    assert copy.source == original.source + "\n"


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_a_plan_looks_at_each_file_once(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scheme, filled = Scheme(0.1, 0, dtype), np.ones((8, 3, 3, 8), dtype)
    layer = ops.Conv2d(scheme, Quantized(filled, 0.01, 0), out=scheme, padding=1,
                       requantization="q31" if dtype == "uint8" else "rndnu")
    layer.plan((1, 4, 4, 8), backend="emulated")        # reads what is new to this process
    looked: list[str] = []

    def look(path: Any, *more: Any, **options: Any) -> os.stat_result:
        looked.append(str(path))
        return stat(path, *more, **options)

    stat = os.stat
    monkeypatch.setattr(os, "stat", look)
    layer.plan((1, 4, 4, 8), backend="emulated")
    monkeypatch.undo()
    kept = [path for path in looked if path.startswith(f"{catalog.kernels_folder()}{os.sep}")]
    assert kept and len(kept) == len(set(kept))
