"""The rules of the house for kernel files: a good file, and for every rule a file that breaks it alone."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import neonsim.verify.checking.mutations
from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.nn.backends.native import backend
from neonsim.ukernel import catalog, kernel, kernels_folder
from neonsim.verify.checking import kernel_lint, lint_kernels
from neonsim.verify.checking.kernel_lint import RULES

GOOD = "qu8_sumrows_4x__aarch64_neon"
NEW = "qu8_sumrows_4x__aarch64_neon_dup"
needs_library = pytest.mark.skipif(backend.available() is not None, reason=f"native backend: {backend.available()}")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of kernels of its own, with two families and the shared macros; nothing is recorded for it."""
    folder = tmp_path / "kernels"
    for name in ("gemm", "pool", "include"):
        few = None if name == "include" else (lambda _, names: {one for one in names if "sum" not in one})
        shutil.copytree(kernels_folder() / name, folder / name, ignore=few)
    for module in (catalog, kernel_lint, neonsim.verify.checking.mutations):
        monkeypatch.setattr(module, "kernels_folder", lambda: folder)
    return folder


def new(house: Path, *changes: tuple[str, str], name: str = NEW, folder: str = "gemm") -> Path:
    """A kernel file that is not in the catalogue yet: another of its contract, (pattern, text) exchanged in it."""
    text = (house / "gemm" / f"{GOOD}.S").read_text().replace(GOOD, name)
    for pattern, put in changes:
        text, times = re.subn(pattern, put, text, flags=re.M)
        assert times, pattern
    path = house / folder / f"{name}.S"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@needs_library
def test_a_kernel_of_the_catalog_keeps_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    found = lint_kernels(kernel(GOOD))
    assert found and found.passed == tuple(RULES) and not found.open
    assert main(["check", "catalogue", GOOD]) == 0
    assert "keeps the rules of the catalogue: header, place, words" in capsys.readouterr().out


def test_a_new_kernel_is_one_file(house: Path) -> None:
    """Its bugs are planted as they come; only the C library has to be built again."""
    found = lint_kernels(new(house))
    assert {one.rule for one in found.broken} <= {"twin"}
    assert [name for name, _ in found.open] in ([], ["twin"])
    if backend.available() is None:
        assert "run `make native`, which reads its header" in str(found)


# rule: [(changes to the file, what is said)]
BROKEN: dict[str, list[tuple[list[tuple[str, str]], str]]] = {
    "header": [([(r"^//! tile: 4x$", "//! tile: 8x")], "the header says tile 8x, the file name says 4x")],
    "registers": [([(r"^//! reg .*\n", "")], "no register has a name")],
    "comments": [([(r"^( +[a-z].*?) *// .*$", r"\1")], "at least")],
    "program": [([(r"^    \.text\n", "    .text\n    nop\n")], "behind other instructions"),
                ([(r"^    ret\b", "    retire")], "cannot be assembled")],
    "feature": [([(r"^    ret\b", "    sdot v0.4s, v1.16b, v2.16b\n    ret")], "needs dotprod; the header says"),
                ([(r"^//! feature: neon$", "//! feature: i8mm")], "no instruction needs it")],
    "reads": [([(r"^//! reads-before: \d+$", "//! reads-before: 15")], "no call reads so far"),
              ([(r"^//! reads-before: \d+$", "//! reads-before: 0")], "a call fails with reads-before: 0")],
}


@pytest.mark.parametrize(("rule", "changes", "says"), [
    pytest.param(rule, changes, says, id=f"{rule}_{at}")
    for rule, ways in BROKEN.items() for at, (changes, says) in enumerate(ways)])
def test_a_broken_rule_is_said(house: Path, rule: str, changes: list[tuple[str, str]], says: str) -> None:
    path = new(house, *changes)
    found = lint_kernels(path, [name for name in RULES if name not in ("twin", "bugs")])
    assert {one.rule for one in found.broken} == {rule}, str(found)
    assert says in str(found)
    assert all(str(found).startswith(f"{path}:{one.line}: ") for one in found.broken[:1])


def test_no_picture(house: Path) -> None:
    path = new(house, (r"^//!    .*\n", ""))
    found = lint_kernels(path, ["header", "picture"])
    assert [one.rule for one in found.broken] == ["picture"]
    assert "draw below the reg lines" in str(found)


def test_an_unknown_word(house: Path) -> None:
    found = lint_kernels(new(house, name=f"{GOOD}_quickly"), ["header", "words"])
    assert [one.rule for one in found.broken] == ["words"]
    assert "'quickly'" in str(found) and "naming.py" in str(found)


def test_the_wrong_place(house: Path, tmp_path: Path) -> None:
    assert "are in kernels/gemm: move it there" in str(lint_kernels(new(house, folder="pool"), ["place"]))
    (house / "pool" / f"{NEW}.S").unlink()
    elsewhere = tmp_path / f"{NEW}.S"
    elsewhere.write_text((house / "gemm" / f"{GOOD}.S").read_text().replace(GOOD, NEW))
    assert "not where the catalogue looks: move it to kernels/gemm" in str(lint_kernels(elsewhere, ["place"]))
    inside = new(house)
    assert "has the same name" in str(lint_kernels(elsewhere, ["place"]))
    # Twice in the catalogue, which then cannot be read.
    new(house, folder="pool")
    found = lint_kernels(inside)
    assert "kernels/pool/" in str(found) and "has the same name" in str(found)


@needs_library
def test_a_contract_without_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = backend.variants()
    monkeypatch.setattr(backend, "variants", lambda: tuple(v for v in listed if v.contract != "qu8_sumrows"))
    found = lint_kernels(kernel(GOOD), ["twin"])
    assert len(found.broken) == 3
    for says in ("the C library was built before it came", "no portable C", "no twin in intrinsics"):
        assert says in str(found)


@needs_library
def test_a_row_of_another_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = backend.variants()
    swizzled = next(v for v in listed if v.name == "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal")
    assert lint_kernels(kernel(swizzled.name), ["twin"])
    wrong = [replace(v, sr=4) if v == swizzled else v for v in listed]
    monkeypatch.setattr(backend, "variants", lambda: tuple(wrong))
    found = lint_kernels(kernel(swizzled.name), ["twin"])
    assert "2, 4), its header ('qu8_gemm_xzp_q31', 4, 8, 2, 8)" in str(found)


def test_a_library_that_is_not_there_is_no_complaint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "available", lambda: "not built: run `make native`")
    found = lint_kernels(kernel(GOOD), ["twin"])
    assert found and found.open == (("twin", "not built: run `make native`"),)
    assert "not looked at" in str(found) and "make native" in str(found)


def test_lists_of_bugs_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    bug: dict[str, Any] = {"name": "one", "imitates": "a mutation", "edits": [["no such line", "nop", 1]], "case": "c"}
    for bugs, says in (([bug], "is in the kernel 0 times, not 1: run `python tests/ukernel/record_bugs.py gemm"),
                       ([bug, bug], "two of its planted bugs are called one"),
                       ([{**bug, "imitates": ""}], "does not say which mutation")):
        monkeypatch.setattr(kernel_lint, "recorded_bugs", lambda bugs=bugs: {GOOD: bugs})
        assert says in str(lint_kernels(kernel(GOOD), ["bugs"]))


def test_cases_that_notice_nothing(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = new(house)
    assert lint_kernels(path, ["bugs"])
    monkeypatch.setattr(kernel_lint, "run_cases", lambda *a, **k: [])
    assert "notice 0, not 3: add cases in neonsim/ukernel/cases" in str(lint_kernels(path, ["bugs"]))


@pytest.mark.nightly
def test_everything_at_once(house: Path) -> None:
    changes = ((r"^//! reg .*\n", ""), (r"^//! tile: 4x$", "//! tile: 8x"), *BROKEN["comments"][0][0],
               *BROKEN["feature"][0][0])
    path = new(house, *changes, name=f"{GOOD}_quickly", folder="pool")
    found = lint_kernels(path)
    assert {"header", "place", "words", "registers", "comments", "feature"} <= {one.rule for one in found.broken}
    assert [one.line for one in found.broken] == sorted(one.line for one in found.broken)
    said = found.to_dict()
    assert not said["ok"] and {"rule", "line", "says"} == set(said["broken"][0])


def test_what_cannot_be_judged_is_said_once(house: Path) -> None:
    """Only what a wrong line is about waits for it."""
    found = lint_kernels(new(house, (r"^//! reads-before: 7$", "//! reads-before: few"), (r"^//! feature: .*\n", "")))
    assert [one.message for one in found.broken if one.rule == "header"] == [
        "the header has no line `//! feature: ...`.", "reads-before is a number of bytes."]
    assert dict(found.open) | {"twin": ""} == {
        "feature": "first correct the line `//! feature: ...`", "twin": "",
        "reads": "first correct the line `//! reads-before: ...`"}
    found = lint_kernels(new(house, (r"^//! contract: .*$", "//! contract: qu8_sumcols"), name="sums"))
    assert {one.rule for one in found.broken} == {"header"} and len(found.open) > 5
    assert str(found).count("not looked at") == 2


def test_a_file_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.S"
    path.write_text("")
    found = lint_kernels(path)
    assert not found
    assert "starts with a header" in str(found) and "is not a kernel name" in str(found)


def test_every_rule_has_a_test_that_breaks_it() -> None:
    text = Path(__file__).read_text()
    here = {rule for rule in RULES if re.search(rf'lint_kernels\(.*\["(header", ")?{rule}"\]', text)}
    assert set(RULES) == set(BROKEN) | here, "a rule that no test breaks"


def test_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, says in ((tmp_path / "k.c", r"\.S files with a header"), (tmp_path / "k.S", "there is no file")):
        with pytest.raises(BadArgument, match=says):
            lint_kernels(path)
    (tmp_path / "k.S").write_bytes(b"\xff\xfe")
    with pytest.raises(BadArgument, match="cannot be read as text"):
        lint_kernels(tmp_path / "k.S")
    with pytest.raises(BadArgument, match="unknown rule 'beauty'"):
        lint_kernels(kernel(GOOD), ["beauty"])
    with pytest.raises(SystemExit, match="2"):
        main(["check", "catalogue", GOOD, "--isa", "aarch64"])
    assert "unrecognized arguments: --isa" in capsys.readouterr().err


def test_the_command_lists_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "catalogue"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(RULES)


def test_the_command_says_what_is_broken(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = new(house, (r"^//! contract: .*$", "//! contract: qu8_sumcols"), name="sums")
    assert main(["check", "catalogue", str(path)]) == 1
    assert f"{path}:2: There is no contract 'qu8_sumcols'" in capsys.readouterr().out
    assert main(["check", "catalogue", str(path), "--json"]) == 1
    assert '"ok": false' in capsys.readouterr().out
