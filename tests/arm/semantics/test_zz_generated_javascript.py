"""The source reading as JavaScript: what the tests of the words checked in Python, run in Node.

Runs behind `test_words`, whose cases it takes; alone it has none.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lane_readings import JAVASCRIPT_CASES

from neonsim.arm.semantics import JAVASCRIPT_HELPERS, JavaScriptWriter, NoJavaScript, javascript_values


def case(results: Any, inputs: Any, values: Any, expected: Any) -> str | None:
    """[a function of arrays of lanes, its arguments, what it must give]; None for a word that there is none of."""
    writer = JavaScriptWriter()
    try:
        texts = [[writer.exact(r.node, lane).text for lane in range(r.count)] for r in results]
    except NoJavaScript:
        return None
    names = ", ".join(f"[{', '.join(f'p{i}_{lane}' for lane in range(count))}]" for i, (_, count) in enumerate(inputs))
    took = ", ".join(javascript_values(v, type_) for v, (type_, _) in zip(values, inputs, strict=True))
    want = ", ".join(javascript_values(v, r.type) for v, r in zip(expected, results, strict=True))
    made = ", ".join(f"[{', '.join(lanes)}]" for lanes in texts)
    return f"[([{names}]) => {{{' '.join(writer.lines)} return [{made}]; }}, [{took}], [{want}]]"


def test_generated_javascript(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node: install Node.js to check the generated JavaScript")
    if not JAVASCRIPT_CASES:
        pytest.skip("runs behind tests/arm/semantics/test_vocabulary.py, whose cases it runs")
    cases = [made for chosen in JAVASCRIPT_CASES[::5] if (made := case(*chosen)) is not None]
    assert cases
    listed = ",\n".join(cases)
    (tmp_path / "words.mjs").write_text(f"""{JAVASCRIPT_HELPERS}
const text = (lanes) => lanes.map((each) => each.map((lane) => `${{typeof lane}} ${{lane}}`).join()).join(";");
let compared = 0, refused = 0;
for (const [run, took, want] of [
{listed}]) {{
    try {{
        const found = text(run(took));
        compared += 1;
        if (found !== text(want)) console.log(run.toString(), text(took), found, text(want));
    }} catch (problem) {{
        if (typeof problem !== "string" || !problem.endsWith("which this page does not compute")) throw problem;
        refused += 1;  // a float that is not ordinary
    }}
}}
console.log("compared", compared + refused);
""")
    done = subprocess.run([node, str(tmp_path / "words.mjs")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"compared {len(cases)}\n", done.stdout[:4000]
