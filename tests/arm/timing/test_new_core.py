"""A core is one file: a copy of the package with two more of them knows both everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import neonsim
from neonsim.ukernel.catalog import kernels_folder

DERIVED = '''
name = "cortex-a77"
title = "a wider Cortex-A76"
based_on = "cortex-a76"
inherits = ["kind", "isa", "features", "dual_issue", "dispatch", "unit", "memory", "writeback", "forward", "class"]
inherited = "guess"
picture = "as the A76"
notes = "for a test"
[source]
guess = "nobody looked"
[dispatch]
width = 6
source = "guess"
'''
# In the order of its numbers: AArch64 only, dot products, not a matrix products, no caches.
FRESH = '''
name = "acme-one"
title = "one of everything"
kind = "in-order"
isa = ["aarch64"]
picture = "one box"
notes = "for a test"
[source]
me = "made up"
[features]
has = ["neon", "neonv8", "rdm", "aes", "dotprod", "frint", "bf16"]
source = "me"
[[kernel]]
isa = "aarch64"
tile = "4x16c4"
technique = "neondot_ld128"
feature = "dotprod"
source = "me"
[proxy]
names = ["acme-zero"]
source = "me"
[issue]
width = 1
source = "me"
[unit.box]
count = 1
source = "me"
[class]
"*" = { latency = 2, unit = "box", source = "me" }
'''
MAIN = '''
import contextlib, io, json, sys
# The copy beside this file, not the checkout that an editable install points to.
sys.meta_path = [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable")]
sys.path.insert(0, sys.argv[1])
import neonsim
from neonsim.cli import main
assert neonsim.__file__.startswith(sys.argv[1]), neonsim.__file__
found = {}
for line in json.loads(sys.argv[2]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(line.split())
    found[line] = [status, out.getvalue(), err.getvalue()]
print(json.dumps(found))
'''
PLAIN, DOT = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64"
OLD, MATRIX = "qu8_sumrows_4x__aarch32_neon", "qs8_gemm_rndnu_4x16c8__aarch64_neoni8mm"
SOME = "--core cortex-a53,cortex-a77,acme-one"
COMMANDS = ["cores --json", "cores cortex-a77", "cores acme-one", "cores validate --json",
            f"time {PLAIN} {SOME} --json", f"time {DOT} --core cortex-a77,acme-one --json",
            f"time {OLD} --core all --json", f"time {OLD} --core acme-one", f"time {MATRIX} {SOME}",
            f"time {PLAIN} --core acme-on", f"time {PLAIN} --core acme-zero", "explain dispatch --core acme-on",
            "explain dispatch --core acme-one", "explain dispatch --core cortex-a77",
            "explain dispatch --core acme-zero",
            "explain dispatch --core acme-one --isa aarch32 --contract qs8_gemm_rndnu", f"study order {SOME}"]
STUDIES = [f"study {name} {SOME}" for name in ("dual-issue", "neon-rate", "three-in-two", "ladder --no-host",
                                               "schedules",
                                               "cliff --no-host")]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Command -> status, what it printed, what it complained of; of the copy with two files more."""
    return run(tmp_path_factory, COMMANDS)


def run(tmp_path_factory: pytest.TempPathFactory, commands: list[str]) -> dict[str, list[Any]]:
    root = tmp_path_factory.mktemp("copy")
    package = root / "neonsim"
    source = Path(neonsim.__file__).parent
    shutil.copytree(source, package, ignore=lambda folder, _: {"kernels"} if Path(folder) == source else set())
    (package / "kernels").symlink_to(kernels_folder())
    for text, name in ((DERIVED, "cortex-a77"), (FRESH, "acme-one")):
        (package / "arm" / "timing" / "cores" / f"{name}.toml").write_text(text, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", MAIN, str(root), json.dumps(commands)], capture_output=True, text=True,
                          check=False, env=environment, cwd=root, timeout=300)
    assert not done.returncode, done.stderr
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_listed_and_checked(said: dict[str, list[Any]]) -> None:
    assert {"acme-one", "cortex-a77", "cortex-a53"} <= set(json.loads(said["cores --json"][1]))
    check = json.loads(said["cores validate --json"][1])
    assert check["acme-one"]["unpriced"] == check["cortex-a77"]["unpriced"] == []
    assert "based on   cortex-a76, for kind, isa, features" in said["cores cortex-a77"][1]
    assert "stands for acme-zero" in said["cores acme-one"][1]


@pytest.mark.slow
def test_timed(said: dict[str, list[Any]]) -> None:
    rows = {row["core"]: row for row in json.loads(said[f"time {PLAIN} {SOME} --json"][1])}
    assert set(rows) == {"acme-one", "cortex-a77", "cortex-a53"}
    assert rows["acme-one"]["modeled"]["cycles"] >= rows["acme-one"]["counted"]["instructions"]
    assert len(json.loads(said[f"time {DOT} --core cortex-a77,acme-one --json"][1])) == 2


@pytest.mark.slow
def test_left_out_of_what_it_cannot_run(said: dict[str, list[Any]]) -> None:
    status, out, complaint = said[f"time {OLD} --core all --json"]
    assert not status and {row["core"] for row in json.loads(out)} & {"acme-one", "cortex-a77"} == {"cortex-a77"}
    assert complaint == f"Left out: acme-one, apple-m1-firestorm, cortex-a510 run aarch64, but {OLD} is aarch32.\n"
    status, out, complaint = said[f"time {OLD} --core acme-one"]
    assert (status, out) == (2, "") and "acme-one runs aarch64, but" in complaint
    status, out, complaint = said[f"time {MATRIX} {SOME}"]
    assert status == 2 and f"cortex-a53, cortex-a77, acme-one have no i8mm, which {MATRIX} needs" in complaint


@pytest.mark.slow
def test_errors_know_it(said: dict[str, list[Any]]) -> None:
    for command in (f"time {PLAIN} --core acme-on", "explain dispatch --core acme-on"):
        status, _, complaint = said[command]
        assert status == 2 and "no core 'acme-on' (did you mean 'acme-one'?). Cores: acme-one, " in complaint
    assert "Its kernels are chosen as for acme-one" in said[f"time {PLAIN} --core acme-zero"][2]


@pytest.mark.slow
def test_kernels_are_chosen(said: dict[str, list[Any]]) -> None:
    assert "qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld128\n" in said["explain dispatch --core acme-one"][1]
    assert "for acme-zero, for which acme-one stands" in said["explain dispatch --core acme-zero"][1]
    assert "qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64\n" in said["explain dispatch --core cortex-a77"][1]
    status, _, complaint = said["explain dispatch --core acme-one --isa aarch32 --contract qs8_gemm_rndnu"]
    assert status == 2 and "acme-one runs aarch64, but" in complaint


@pytest.mark.slow
def test_a_study_knows_it(said: dict[str, list[Any]]) -> None:
    status, out, _ = said[f"study order {SOME}"]
    assert not status and "two rows, acme-one" in out and "two rows, cortex-a77" in out and "Left out" not in out


@pytest.mark.nightly
def test_studies_skip_it_with_a_sentence(tmp_path_factory: pytest.TempPathFactory) -> None:
    said = run(tmp_path_factory, STUDIES)
    for study in ("dual-issue", "neon-rate"):
        status, out, _ = said[f"study {study} {SOME}"]
        assert not status and "cortex-a77" in out and "Left out: acme-one runs aarch64, but" in out, study
    status, out, _ = said[f"study three-in-two {SOME}"]
    assert not status and "acme-one" in out and "Left out" not in out
    for study in ("ladder --no-host", "schedules"):
        status, out, _ = said[f"study {study} {SOME}"]
        out = " ".join(out.split())
        assert not status and "acme-one" in out and "Left out: cortex-a53 has no dotprod, which" in out, study
    assert "Left out: acme-one: no [memory]" in said[f"study cliff --no-host {SOME}"][1]
