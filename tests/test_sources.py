"""docs/sources.md: every code that a comment or a docstring cites has its row, every row is cited, users read words.

A reference is a pair of parentheses that holds codes and nothing else, as in "(K20)" or "(A08, K13)": a register, a
type or a core in a sentence cannot be taken for one.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from neonsim.arm.timing import cores
from neonsim.cli import main
from neonsim.common.study_report import PLACES as STANDING
from neonsim.studies.networks.mnn import mnn_study
from neonsim.ukernel.contracts import contracts
from tests.syntax import trees_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "sources.md"
PLACES = ("README.md", "Makefile", "pyproject.toml", "docs", "kernels", "native", "neonsim", "notebooks", "tests")
SUFFIXES = {"", ".S", ".c", ".cmake", ".css", ".h", ".in", ".ipynb", ".js", ".md", ".py", ".s", ".toml", ".tsv", ".txt"}
# What looks like a code and is a name: instruction sets, types, cores, the C standard, fixed point.
NAMES = frozenset({"A32", "A64", "T32", "C11", "Q31",
                   *(kind + width for kind in "BFIPSU" for width in ("16", "32", "64")),
                   *(name.removeprefix("cortex-").upper() for name in cores())})
CODE = r"[A-Z]\d\d"
REFERENCE = re.compile(rf"\(({CODE}(?:, {CODE})*)\)")
BARE = re.compile(rf"(?<![\w.#%$&/+-]){CODE}(?![\w+=]|\.\d)")
ROW = re.compile(rf"^\| ({CODE}) \| (.+) \| (.+) \|$", re.M)
# Rooms whose docstrings and comments are printed or shown: manual pages, help, exercises, cores.
SHOWN = ("cli", "learn", "arm/isa", "render/static", "arm/timing/cores")


@cache
def rows() -> dict[str, tuple[str, str]]:
    """Code -> (claim, source)."""
    found = ROW.findall(PAGE.read_text("utf-8"))
    assert len({code for code, *_ in found}) == len(found), "a code has two rows"
    return {code: (claim, source) for code, claim, source in found}


def _strings(value: Any) -> Iterator[str]:
    """Text of a notebook: all but pictures."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (["".join(value)] if all(isinstance(x, str) for x in value) else
                    (text for one in value for text in _strings(one)))
    elif isinstance(value, dict):
        yield from (text for key, one in value.items() if key != "image/png" for text in _strings(one))


@cache
def texts() -> dict[str, str]:
    """File -> its text, this test and the page itself left out."""
    found = {}
    for place in PLACES:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix in SUFFIXES and file not in (PAGE, Path(__file__)) \
                    and not {"__pycache__", ".ipynb_checkpoints", "node_modules", "build"} & set(file.parts):
                text = file.read_text("utf-8")
                found[str(file.relative_to(ROOT))] = "\n".join(_strings(json.loads(text))) \
                    if file.suffix == ".ipynb" else text
    return found


def cited(text: str) -> Iterator[tuple[str, int]]:
    """(code, where in the text) of all references."""
    for reference in REFERENCE.finditer(text):
        yield from ((code, reference.start()) for code in reference[1].split(", ") if code not in NAMES)


def codes_in(text: str) -> list[str]:
    """References, and codes of the page that stand in a sentence by themselves."""
    outside = REFERENCE.sub(lambda found: " " * len(found[0]), text)
    return [code for code, _ in cited(text)] + [code for code in BARE.findall(outside) if code in rows()]


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def test_every_code_has_a_row() -> None:
    missing = [f"{file}:{_line(text, at)}: {code} has no row in docs/sources.md"
               for file, text in texts().items() for code, at in cited(text) if code not in rows()]
    assert not missing, "\n".join(missing)


def test_every_row_is_cited() -> None:
    used = {code for text in texts().values() for code, _ in cited(text)}
    assert not (idle := sorted(rows().keys() - used)), f"rows of docs/sources.md that nothing cites: {idle}"


def test_codes_stand_in_parentheses_by_themselves() -> None:
    """Bare codes of the page anywhere, and any bare code behind the word "Source"."""
    wrong = []
    for file, text in {**texts(), "docs/sources.md": ROW.sub(r"| | \2 | \3 |", PAGE.read_text("utf-8"))}.items():
        outside = REFERENCE.sub(lambda found: " " * len(found[0]), text)
        for found in BARE.finditer(outside):
            behind = outside.rfind("Source:", outside.rfind("\n", 0, found.start()) + 1, found.start()) >= 0
            if found[0] in rows() or (behind and found[0] not in NAMES):
                wrong.append(f"{file}:{_line(text, found.start())}: write ({found[0]}), in parentheses of its own")
    assert not wrong, "\n".join(wrong)


def test_rows_say_where() -> None:
    """Every source names a work of the page's first table, an address, or a file of ours that is there."""
    text = PAGE.read_text("utf-8")
    works = re.findall(r"^\| (?!short|code|-)([^|`]+?) \| [^|]+ \|$", text, re.M)
    assert len(works) >= 9
    for code, (claim, source) in rows().items():
        ours = re.findall(r"`((?:tests|neonsim)/[^`]+)`", claim + source)
        assert all((ROOT / path).is_file() for path in ours), (code, ours)
        derived = "derived here" in source and (ours or any(code != other for other, _ in cited(source)))
        assert any(work in source for work in works) or "http" in source or derived, f"{code} does not say where"
        assert all(other in rows() for other, _ in cited(claim + source)), code
    heads = re.split(r"^## .+$", text, flags=re.M)[1:]
    assert len(heads) > 10 and all(re.match(r"\s*[A-Z][^|]+\.\s*\|", head) for head in heads), "a sentence on top"


def test_the_rule_tells_codes_from_names() -> None:
    code = next(iter(rows()))
    assert codes_in(f"as ({code}), and as {code} says") == [code, code]
    assert codes_in(f"x{code} {code}x #{code} Cortex-{code} 1.{code} {code}.5 (A53) (A32, A64) VMLAL.S16 V4 X3") == []
    assert list(cited("(Q99)")) == [("Q99", 0)] and list(cited("(Q99: a sentence)")) == []


def _printed(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, text) of all strings but docstrings."""
    documented = set()
    for node in ast.walk(tree):     # what is outside comes first
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            documented |= {id(part.value) for part in node.body[:1] if isinstance(part, ast.Expr)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.lineno, node.value


def test_what_is_printed_says_it_in_words() -> None:
    """Strings of the package; docstrings and comments of rooms that are shown; kernels; notebooks."""
    def told(text: str) -> bool:
        return bool(rows().keys() & set(re.findall(CODE, text)) or [*cited(text)])

    wrong = [f"neonsim/{name}:{line}: {codes}" for name, tree in trees_of(told)
             for line, part in _printed(tree) if (codes := codes_in(part))]
    for file, text in texts().items():
        path = Path(file)
        if codes_in(text) and (
                path.parts[0] in ("notebooks", "README.md") or (path.parts[0] == "kernels" and path.suffix == ".S")
                or any(file.startswith(f"neonsim/{room}/") for room in SHOWN)):
            wrong += [f"{file}:{i}: {codes}" for i, line in enumerate(text.splitlines(), 1)
                      if (codes := codes_in(line))]
    wrong += [f"{contract.name}: {codes}" for contract in contracts() if (codes := codes_in(contract.doc))]
    assert not wrong, "say it in words:\n" + "\n".join(wrong)


LAYER = ["--x", "1x6x6x8", "--w", "8x3x3x8", "--padding", "1"]


@pytest.mark.parametrize("command", [
    ["explain", "operator", "conv2d", *LAYER],
    ["explain", "operator", "conv2d", *LAYER[:2], "--w", "8x3x3x1", "--groups", "8"],
    ["explain", "operator", "conv2d", "--x", "1x2x2x64", "--w", "8x1x1x64", "--core", "cortex-a72"],
    ["explain", "operator", "deconv2d", "--x", "1x3x3x8", "--w", "8x3x3x4", "--stride", "2"],
    ["explain", "operator", "fully_connected", "--x", "4x8", "--w", "8x8"],
    ["explain", "conv-lowerings", *LAYER], ["explain", "dispatch"],
    ["explain", "dispatch", "--core", "cortex-a55,cortex-a76"],
    ["explain", "requant"], ["explain", "requant", "0.0117", "--value", "12345"],
    ["explain", "task-split", "40x100x32", "--nr2", "8"],
    ["kernels", "mix", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"],
    ["explain", "packing"], ["explain", "indirection"], ["study"],
    ["study", "ladder", "--no-host", "--core", "cortex-a53"],
    ["study", "shapes"], ["study", "neon-rate", "--core", "cortex-a72"],
], ids=lambda command: "-".join(command[:3]))
def test_explanations_and_studies_hold_no_code(command: list[str], capsys: pytest.CaptureFixture[str],
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    # Of loops and of networks, which take long and have the same words, a few.
    monkeypatch.setattr("neonsim.studies.runners.kernels.CONTRACTS", ("qu8_gemm_q31",))
    monkeypatch.setattr("neonsim.cli.study.PUBLISHED", ("mobilenet_v1", "squeezenet"))
    assert main(command) == 0
    out = capsys.readouterr().out
    assert out.strip() and not codes_in(out), out


# ---- studies ---------------------------------------------------------------------------------------------------------

# What the source of a row says, where a figure stands there.
STANDS = {"article": r"article|by a translation", "paper": r"paper|arxiv", "library's page": r"README",
          "library's code": r"`[^`]*/[^`]*`"}
# Rows that hold what studies quote: study and figure, or the beginning of a row of the study of MNN.
QUOTED = {
    ("two_pass_report", "the column of the article"): "A43 A44", ("dual_issue", "15 to 20 % on the Cortex-A75"): "A47",
    ("dual_issue", "depths at which QNNPACK switches"): "", ("family_study", "published milliseconds"): "H07",
    ("compare_isas", "the library's loop"): "I01 I02 I03 I04 I05 I06 I07 I08 I09",
    ("compare_isas", "+50 %, 4 to 5 times"): "D05",
    ("network_study", "published milliseconds"): "H07",
    ("network_study", "1.5, and 4 to 5 times QNNPACK"): "D05",
    ("neon_rates", "0.99 on a Cortex-A53"): "", ("orders", "measured plain, measured by hand"): "H09",
    ("shapes", "1024, and 32 to 256"): "A11", ("simple_rates", "1.50 and 2.00 additions a cycle"): "",
    ("simple_rates", "three in two cycles"): "A29"}
CLAIMS = {"fewer multiplications of": "E13", "... multiplications of a level": "E19", "speed beside other": "E25"}
OTHERS = re.compile(r"published|article|measured plain|library's loop|stated")


def _calls(node: ast.AST, name: str) -> list[ast.Call]:
    """Calls of a function by its bare name."""
    return [one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func) == name]


def _words(node: ast.AST, given: dict[str, ast.expr]) -> list[str]:
    """Strings of an expression in order, names that stand for another looked up."""
    node = given.get(node.id, node) if isinstance(node, ast.Name) else node
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    return [word for child in ast.iter_child_nodes(node) for word in _words(child, given)]


def _studies() -> dict[str, tuple[dict[str, str], list[str]]]:
    """Function that makes a `Report` -> ({figure of others: where it stands}, words over the columns of its table)."""
    found = {}
    for _, tree in trees_of(lambda text: "Report(" in text):
        for own in tree.body:
            for made in _calls(own, "Report"):
                assert isinstance(own, ast.FunctionDef)
                given = {ast.unparse(one.targets[0]): one.value for one in ast.walk(own) if isinstance(one, ast.Assign)}
                quoted = {_words(one, {})[0]: _words(one, {})[1] for one in _calls(own, "Quoted")}
                table = given.get(ast.unparse(made.args[2]), made.args[2])
                found[own.name] = quoted, _words(table.elts[0] if isinstance(table, ast.Tuple) else table, given)
    return found


def test_studies_quote_what_stands_where_they_say() -> None:
    """Every figure of others has a row that says where it stands; columns that hold some are told of."""
    found = _studies()
    assert len(found) >= 17
    there = {(name, what): stands for name, (quoted, _) in found.items() for what, stands in quoted.items()}
    assert set(there) == set(QUOTED)
    for key, stands in there.items():
        assert stands in STANDING and stands != "ours" and (QUOTED[key] != "" or stands in (
            "core's file", "library's code")), key
        assert all(re.search(STANDS[stands], rows()[code][1]) for code in QUOTED[key].split()), key
    for name, (quoted, head) in found.items():
        if any(OTHERS.search(word) for word in head) and name != "mnn_study":       # which says it in its rows
            assert quoted, (name, head)


def test_rows_of_the_study_of_mnn_stand_where_they_say() -> None:
    """The numbers that are called stated are in the page's row, of such a source."""
    others = [claim for claim in mnn_study(measure=False).data if claim.stands != "ours"]
    assert len(others) == 5
    for claim in others:
        said, source = rows()[next(code for start, code in CLAIMS.items() if claim.subject.startswith(start))]
        assert re.search(STANDS[claim.stands], source), claim
        assert all(number in said for number in re.findall(r"\d+(?:\.\d+)?", claim.stated)), claim
