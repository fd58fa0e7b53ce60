"""The translation to JavaScript, in Node: every integer form in every arrangement equals what numpy computes."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import decoder
from chosen_lines import BLOCKS, ISAS, chosen, draw

from neonsim.arm.isa import Instruction
from neonsim.arm.machine.trace.dataflow import arguments
from neonsim.arm.semantics import (
    JAVASCRIPT_HELPERS,
    JavaScriptWriter,
    NoJavaScript,
    NumpyLanes,
    PolynomialLanes,
    SourceLanes,
    SymbolicLanes,
    TermPool,
    javascript_values,
)

SAMPLES = 4


def flat(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def has_floats(instruction: Instruction, given: list[Any]) -> bool:
    """Whether the meaning says a floating word, as another reading sees it."""
    pool = TermPool()
    instruction.form.function(*(PolynomialLanes.inputs(pool, str(i), a.type, a.count) if isinstance(a, SymbolicLanes)
                                else a
                                for i, a in enumerate(given)))
    return bool(pool.float_rules())


def body(instruction: Instruction, given: list[Any]) -> str:
    """A JavaScript function of arrays of lanes that gives arrays of lanes."""
    writer = JavaScriptWriter()
    results = flat(instruction.form.function(*(SourceLanes.named(f"p{i}", a.type, a.count)
                                               if isinstance(a, SymbolicLanes) else a for i, a in enumerate(given))))
    texts = [[writer.exact(r.node, lane).text for lane in range(r.count)] for r in results]
    names = ", ".join(f"[{', '.join(f'p{i}_{lane}' for lane in range(a.count))}]"
                      for i, a in enumerate(given) if isinstance(a, SymbolicLanes))
    made = ", ".join(f"[{', '.join(lanes)}]" for lanes in texts)
    return "\n".join([f"([{names}]) => {{", *writer.lines, f"return [{made}];", "}"])


def samples(instruction: Instruction, given: list[Any], rng: random.Random) -> Iterator[tuple[str, str]]:
    """(arguments, results by numpy), both as JavaScript."""
    inputs = {leaf: a.type.bits for a in given if isinstance(a, SymbolicLanes) for lane in a.lanes
              for leaf in lane.leaves()}
    for _ in range(SAMPLES):
        values = {leaf: draw(rng, bits) & (15 if leaf[0] == "nzcv" else -1) for leaf, bits in inputs.items()}
        plain = [NumpyLanes.from_integers([lane.evaluate(values) for lane in a.lanes], a.type)
                 if isinstance(a, SymbolicLanes)
                 else a for a in given]
        results = flat(instruction.form.function(*plain))
        yield (f"[{', '.join(javascript_values(p.tolist(), p.type) for p in plain if isinstance(p, NumpyLanes))}]",
               f"[{', '.join(javascript_values(r.tolist(), r.type) for r in results)}]")


def in_node(instructions: list[Instruction], path: Path, seed: str) -> None:
    """All of them in one run of Node. Those with floating point, and no others, may be refused, by the word's name; the
    rest of them stop at numbers that are not exact, so tests/arm/semantics and tests/conformance judge them, one by
    one.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node: install Node.js to check the generated JavaScript")
    rng, cases = random.Random(seed), list[str]()
    for instruction in instructions:
        given = arguments(instruction, {})
        try:
            function = body(instruction, given)
        except NoJavaScript as refused:
            assert "has no exact " in str(refused), f"{instruction}: {refused}"
            assert has_floats(instruction, given), f"{instruction}: {refused}"
            continue
        if has_floats(instruction, given):
            continue
        pairs = ", ".join(f"[{took}, {want}]" for took, want in samples(instruction, given, rng))
        cases.append(f"[{len(cases)}, {function}, [{pairs}]]")
    assert cases
    listed = ",\n".join(cases)
    path.write_text(f"""{JAVASCRIPT_HELPERS}
let compared = 0;
const same = (n, m) => n.length === m.length && n.every((lanes, i) =>
    lanes.length === m[i].length && lanes.every((lane, k) => lane === m[i][k]));
const cases = [
{listed}];
for (const [number, run, samples] of cases)
    for (const [took, want] of samples) {{
        compared += 1;
        if (!same(run(took), want)) console.log(number, took, run(took), want, run.toString());
    }}
console.log("compared", compared);
""")
    done = subprocess.run([node, str(path)], capture_output=True, text=True, check=False, timeout=3600)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"compared {SAMPLES * len(cases)}\n", done.stdout[:4000]


@pytest.mark.parametrize(("isa", "block"), [
    pytest.param(isa, block, marks=() if (isa, block) == ("aarch32", 5) else pytest.mark.nightly)
    for block in range(BLOCKS) for isa in ISAS])
def test_a_line_of_each_kind(isa: str, block: int, tmp_path: Path) -> None:
    in_node(list(chosen(isa, False, block)), tmp_path / "lines.mjs", f"{isa} {block}")


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_all_lines(isa: str, block: int, tmp_path: Path) -> None:
    in_node(list(chosen(isa, True, block)), tmp_path / "lines.mjs", f"all {isa} {block}")


def test_branches(tmp_path: Path) -> None:
    lines = ("b.lt 1f", "cbz x1, 1f", "cbnz w1, 1f", "tbz x1, #63, 1f", "tbnz w1, #0, 1f", "ret", "br x3")
    made = [instruction for line in lines if (instruction := decoder("aarch64")(line)) is not None]
    assert len(made) == len(lines)
    in_node(made * 20, tmp_path / "branches.mjs", "branches")


@pytest.mark.parametrize(("line", "word"), [("fadd v0.4h, v1.4h, v2.4h", "float_add_f16"),
                                            ("fmul d0, d1, d2", "float_mul_f64")])
def test_what_is_not_exact_is_refused_by_name(line: str, word: str) -> None:
    instruction = decoder("aarch64")(line)
    assert instruction is not None
    with pytest.raises(NoJavaScript, match=f"has no exact {word}"):
        body(instruction, arguments(instruction, {}))
