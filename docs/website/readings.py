"""One body read in seven ways: `python -m docs.website.readings` writes them into docs/built.md, between its marks."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from neonsim.arm.semantics import JavaScriptWriter, PolynomialLanes, PythonWriter, SourceLanes, TermPool, s32
from neonsim.quant.rounding import Rounding, rndnu
from neonsim.ukernel.kernelgen.roundings_c import c_function

__all__ = ["PAGE", "parts", "written"]

PAGE = Path(__file__).parents[1] / "built.md"
_MARKS = re.compile(r"(<!-- readings -->\n).*?(<!-- end of readings -->\n)", re.S)
_ACC, _SCALE = 585, 1 / 90


def _code(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


def _source(row: Rounding) -> str:
    """The body without its docstring."""
    text = inspect.getsource(row.body)
    return re.sub(r'\n    """.*?"""', "", text, flags=re.S).rstrip()


def _written_by(writer: PythonWriter, row: Rounding, shift: int) -> str:
    """The body for one shift as text of a language: its lines, and what is returned."""
    node = row.body(SourceLanes.named("acc", s32, 1), SourceLanes.named("multiplier", s32, 1), shift)
    assert isinstance(node, SourceLanes)
    result = writer.exact(node.node, 0).text
    return "\n".join([*writer.lines, result])


def _term(row: Rounding, multiplier: int, shift: int) -> str:
    """The term of the rounded product; what it is shifted from is a polynomial of the sum."""
    pool = TermPool()
    multipliers = PolynomialLanes.from_integers(pool, [multiplier], s32)
    found = row.body(PolynomialLanes.inputs(pool, "acc", s32, 1), multipliers, shift)
    assert isinstance(found, PolynomialLanes)
    text = repr(found.lanes[0])
    for number in pool.variables_of([found.lanes[0]]):
        one = pool.variable_numbered(number)
        if one.op == "shift":
            text = text.replace(f"shift#{number}", f"({pool.text(pool.integer(one.args[0]))}) >> {one.args[1]}")
    return text


def parts(row: Rounding) -> dict[str, str]:
    """What each reading makes of a body that sees the scale as multiplier and shift, as Markdown."""
    multiplier, shift = (int(one) for one in row.derive(_SCALE))
    return {
        "The body": _code("python", _source(row)),
        "1. numpy: the reference": _code("pycon", f">>> ROUNDINGS[{row.name!r}].of([585, -585], 1 / 90).tolist()\n"
                                                  f"{row.of([_ACC, -_ACC], _SCALE).tolist()}"),
        "2. A formula, for pages": _code("text", row.formula),
        "3. The steps of one sum": _code("text", "\n".join(row.steps(_ACC, _SCALE))),
        "4. C, for the library": _code("c", c_function(row.name, row.body)),
        "5. A term, for proofs": _code("text", _term(row, multiplier, shift)),
        "6. Python text, for recorded runs": _code("python", _written_by(PythonWriter(), row, shift)),
        "7. JavaScript, for pages that compute": _code("js", _written_by(JavaScriptWriter(), row, shift)),
    }


def written(page: str) -> str:
    """The page with its part as it should be."""
    text = "\n".join(f"**{title}**\n\n{part}" for title, part in parts(rndnu.row).items())
    return _MARKS.sub(lambda marks: f"{marks[1]}\n{text}\n{marks[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
