"""`neonsim run KERNEL --emit-c program > kernel.c` is a file that a C compiler takes, without a warning."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from neonsim.arm.machine.engines.compiled import compiler
from neonsim.cli import main
from neonsim.ukernel import kernel, kernels

FEW = ("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane")


def compiles(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cc = compiler()
    if cc is None:
        pytest.skip("there is no C compiler here")
    assert main(["run", name, "--emit-c", "program"]) == 0
    source = tmp_path / "kernel.c"
    source.write_text(capsys.readouterr().out)
    done = subprocess.run([cc, "-fsyntax-only", str(source)], capture_output=True,
                          text=True, cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr, done.stderr[:2000]


@pytest.mark.parametrize("name", FEW)
def test_what_help_shows(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiles(name, tmp_path, capsys)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in kernels().names if name not in FEW])
def test_every_kernel(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiles(name, tmp_path, capsys)


def test_the_part_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", FEW[0], "--emit-c", "function"]) == 0
    part = capsys.readouterr().out
    assert main(["run", FEW[0], "--emit-c", "program", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert "#include" not in part and "#include" in whole["c"]
    for word in ("steps", "limit", "log", "status", "dispatch", "goto out", "near_"):  # what only a run needs
        assert word not in part.partition("{")[2], word
    lines = {line.strip().partition("//")[0].strip() for line in part.splitlines() if "// smlal" in line}
    assert len(lines) > 100 and all(line in whole["c"] for line in lines), "the instructions' own lines stay"
    shown = {line.partition("// ")[2] for line in part.splitlines() if "// " in line}
    assert {str(one) for one in kernel(FEW[0]).program().instructions} == shown
    assert f"{whole['function']}(" in whole["c"] and whole["isa"] == "aarch64"
