"""The table of kernels beside the plain one of their contract: the page is whole, and says what is proved."""

from __future__ import annotations

import errno
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from neonsim.cli import main
from neonsim.common import fileio
from neonsim.common.fileio import make_folder
from neonsim.errors import BadArgument
from neonsim.ukernel import kernels
from neonsim.verify.proving import Proof
from neonsim.verify.proving import result_cache as kept_module
from neonsim.verify.proving.result_cache import ResultCache
from neonsim.verify.proving.table import KernelPair, ProofRow, page, pairs, prove_pair
from tests.tiers import every

PAGE = Path(__file__).parents[3] / "docs/proofs.md"
ROW = re.compile(r"^- `(\S+)` beside `(\S+)`: \*\*(\w+)\*\* on (.+?)(?:: (.*))?$", re.M)
PROVED = re.compile(r"; proved on (.+?)(?:;|$)")    # some calls of a pair that is unknown on others


def rows() -> dict[tuple[str, str], tuple[str, str, str]]:
    """Pair -> its verdict, the calls of which it is the verdict, those that are proved beside."""
    return {(found[2], found[1]): (found[3], found[4], said[1] if (said := PROVED.search(found[5] or "")) else "")
            for found in ROW.finditer(PAGE.read_text("utf-8"))}


def test_the_page_has_every_pair() -> None:
    said = rows()
    assert list(said) == [(p.first.name, p.second.name) for p in pairs()], "make proofs"
    count = sum(verdict == "proved" for verdict, _, _ in said.values())
    assert f"{count} of {len(said)} pairs are proved" in PAGE.read_text("utf-8")


def test_every_kernel_that_has_company_is_in_it() -> None:
    """Of a contract with kernels of one kind, each is in a pair."""
    found = {k.name for p in pairs() for k in (p.first, p.second)}
    alone = {k.contract.name for k in kernels() if k.name not in found}
    assert all(len({str(k.tile) for k in kernels(name)}) == len(kernels(name)) for name in alone)


def agrees(pair: KernelPair) -> None:
    row, (verdict, calls, proved) = prove_pair(pair, seconds=600.0), rows()[pair.first.name, pair.second.name]
    if verdict == "unknown" and row.verdict == "proved":
        return  # where solvers have more of the processor, they know more
    assert (row.verdict, row.calls(verdict)) == (verdict, calls), row.reason
    assert verdict == "proved" or row.calls("proved") == proved


@pytest.mark.parametrize("contract", ["x8_zip_x3"])
def test_what_the_page_says_is_proved_again(contract: str) -> None:
    for pair in pairs(contract):
        agrees(pair)
        assert f"`{pair.second.name}`" in page([ProofRow(pair, ())])


@pytest.mark.nightly
@pytest.mark.parametrize("pair", list(pairs()), ids=lambda p: p.second.name)
def test_the_page_is_true(pair: KernelPair) -> None:
    agrees(pair)


def test_there_is_no_such_contract() -> None:
    with pytest.raises(BadArgument, match="no kernels of qs8_nothing"):
        list(pairs("qs8_nothing"))


# ---- rows that are kept ----------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def pair() -> KernelPair:
    return next(pairs("x8_zip_x3"))


def proof(verdict: str = "proved") -> Proof:
    return Proof("a claim", verdict, ("assumed",), 1.5, reason="" if verdict == "proved" else "too hard")


@pytest.mark.nightly
def test_a_row_that_is_kept_is_not_proved_again(pair: KernelPair, tmp_path: Path) -> None:
    kept = ResultCache(tmp_path / "new" / "rows")
    assert kept(pair, 5.0, None) is None
    row = ProofRow(pair, tuple(proof() for _ in pair.calls))
    kept.add(row, 5.0, None)
    assert ResultCache(tmp_path / "new" / "rows")(pair, 5.0, None) == row
    assert ResultCache(tmp_path / "new" / "rows")(pair, 50.0, None) == row     # proved is proved


@pytest.mark.slow
def test_what_was_unknown_is_asked_again_with_more_time_or_another_solver(pair: KernelPair, tmp_path: Path) -> None:
    kept, row = ResultCache(tmp_path), ProofRow(pair, (proof(), *(proof("unknown") for _ in pair.calls[1:])))
    kept.add(row, 5.0, "z3")
    assert kept(pair, 5.0, "z3") == kept(pair, 2.0, "z3") == row
    assert kept(pair, 6.0, "z3") is kept(pair, 5.0, "cvc5") is None


def test_a_refuted_row_is_not_kept(pair: KernelPair, tmp_path: Path) -> None:
    ResultCache(tmp_path).add(ProofRow(pair, (proof("refuted"),)), 5.0, None)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("spoil", every(3, [
    lambda text: text[:-20], lambda text: "[1, 2]", lambda text: text.replace('"proved"', '"sure"'),
    lambda text: text.replace("1.5", '"long"'), lambda text: text.replace("1.5", "NaN"),
    lambda text: text.replace("1.5", "1" + "0" * 400),
    lambda text: text.replace("neonsim proofs 1", "neonsim proofs 0"),
    lambda text: "[" * 100_000, lambda text: text.replace('"a claim"', "7")]))
def test_a_row_of_something_else_is_proved_again(spoil: Any, pair: KernelPair, tmp_path: Path) -> None:
    kept = ResultCache(tmp_path)
    kept.add(ProofRow(pair, tuple(proof() for _ in pair.calls)), 5.0, None)
    file, = tmp_path.iterdir()
    changed = spoil(file.read_text("utf-8"))
    assert changed != file.read_text("utf-8")
    file.write_text(changed, "utf-8")
    assert kept(pair, 5.0, None) is None


def test_a_full_disk_is_a_sentence_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    todo = list(pairs("x8_zip_x3"))
    words = ["prove", "catalogue", "--contract", "x8_zip_x3", "--output-dir", str(tmp_path / "rows")]
    plain = fileio._beside

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def make(path: str | Path) -> Path:     # the disk is full once the folder is there
        folder = make_folder(path)
        monkeypatch.setattr(fileio, "_beside", full)
        return folder
    monkeypatch.setattr(kept_module, "make_folder", make)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert re.search(rf"No space left on device: 0 of {len(todo)} pairs are in .*the same command", said), said
    assert "Traceback" not in said and not list((tmp_path / "rows").iterdir())
    monkeypatch.undo()
    assert fileio._beside is plain and main(words) == 0
    assert len(list((tmp_path / "rows").iterdir())) == len(todo)


def test_a_changed_kernel_or_body_is_proved_again(pair: KernelPair, tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    kept, row = ResultCache(tmp_path), ProofRow(pair, tuple(proof() for _ in pair.calls))
    kept.add(row, 5.0, None)
    module = sys.modules[ResultCache.__module__]
    file = Path(str(sys.modules["neonsim.arm.isa.memory.simd_structure"].__file__))
    plain = module._code
    monkeypatch.setattr(module, "_code", lambda path: b"other" if path == file else plain(path))
    module._of_kernel.cache_clear()
    assert kept(pair, 5.0, None) is None    # both store by ST3, whose body is in that file
    monkeypatch.undo()
    module._of_kernel.cache_clear()
    assert kept(pair, 5.0, None) == row


def test_comments_and_docstrings_are_no_part_of_a_body(tmp_path: Path) -> None:
    code = sys.modules[ResultCache.__module__]._code
    for name, text in (("a", "def f(x):\n    return x + 1\n"), ("c", "def f(x):\n    return x + 2\n"),
                       ("b", '"""Says."""\n\ndef f(x):\n    """Adds."""\n    # One.\n    return x + 1\n')):
        (tmp_path / f"{name}.py").write_text(text)
    one, other, third = (code(tmp_path / f"{name}.py") for name in "abc")
    assert one == other != third


def test_a_table_goes_on_where_it_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C between two pairs, then the same command: only the others are proved, and the page is whole."""
    command, plain = import_module("neonsim.cli.prove"), prove_pair
    done: list[str] = []

    def proving(pair: KernelPair, *more: Any) -> ProofRow:
        if len(done) == 1:
            raise KeyboardInterrupt
        done.append(pair.second.name)
        return plain(pair, *more)
    some = [*pairs("x8_zip_x2"), *pairs("x8_zip_x3")]
    todo = [p.second.name for p in some]
    words = ["prove", "catalogue", "--output-dir", str(tmp_path / "rows"), "--page", str(tmp_path / "p.md")]
    monkeypatch.setattr(command, "pairs", lambda contract: some)
    monkeypatch.setattr(command, "prove_pair", proving)
    assert main(words) == 130
    assert f"1 of {len(todo)} pairs are kept" in capsys.readouterr().err
    assert not (tmp_path / "p.md").exists()
    done[:] = []

    def going_on(pair: KernelPair, *more: Any) -> ProofRow:
        done.append(pair.second.name)
        return plain(pair, *more)
    monkeypatch.setattr(command, "prove_pair", going_on)
    assert main(words) == 0
    assert done == todo[1:]
    assert "2 of 2 pairs are proved the same" in capsys.readouterr().out
    assert all(f"`{name}`" in (tmp_path / "p.md").read_text("utf-8") for name in todo)
