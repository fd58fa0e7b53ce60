"""neonsim check finds what is wrong with a kernel, says it in small, and passes what is right."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm.c.compile import compilers
from neonsim.arm.machine import compiler
from neonsim.cli import main
from neonsim.errors import AssemblyError, BadArgument, KernelFileError
from neonsim.ukernel import contracts, kernels, run_together
from neonsim.ukernel.cases import stream
from neonsim.verify.checking import CheckResult, check, contract_run, subject
from neonsim.verify.checking.contract_run import ContractRun
from neonsim.verify.checking.element_text import _SPELLED, describe_element

GEMM = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
SUMS = "qu8_sumrows_4x__aarch32_neon"


def planted(tmp_path: Path, name: str, pattern: str, text: str, count: int = 1) -> Path:
    """A kernel's file with something changed."""
    source = ns.kernel(name).source
    changed, times = re.subn(pattern, text, source, count=count, flags=re.M)
    assert times, pattern
    path = tmp_path / "mine.S"
    path.write_text(changed)
    return path


def test_a_kernel_that_is_right() -> None:
    seen: list[tuple[int, str]] = []
    result = check(ns.kernel(SUMS), size="quick", progress=lambda count, doing: seen.append((count, doing)))
    assert result
    assert result.cases == 2 * result.sanitized_calls == sum(count for count, _ in seen) > 100
    assert "right in every byte" in str(result)
    assert {doing.split(",")[0] for _, doing in seen} == {"each alone", "in lock-step"}


@pytest.mark.slow
def test_a_dropped_clamp(tmp_path: Path) -> None:
    result = check(planted(tmp_path, GEMM, r"^ *vmin.u8 +q9.*\n", ""), size="quick")
    trouble = result.smallest
    assert not result and trouble is not None
    assert (trouble.sizes["nr"], trouble.sizes["kc"]) == (1, 1)
    assert trouble.region == "c" and trouble.index is not None and trouble.index[1] == 0
    assert trouble.expected != trouble.got
    assert "kept within" in trouble.arithmetic[-1] and trouble.arithmetic[-1].endswith(f"= {trouble.expected}")
    assert re.search(r"written by step \d+ of \d+, .*mine\.S:\d+: vst1.8 \{d1[89]\[\d\]\}, \[r\d\]", str(result))


def test_a_clobbered_register(tmp_path: Path) -> None:
    path = planted(tmp_path, SUMS, r"^( *)bx( +)lr", r"\1mov r11, #0\n\1bx\2lr")
    result = check(path, size="quick")
    assert result.smallest is not None and result.smallest.rule == "callee-saved"
    assert "r11: first overwritten by step" in str(result)
    assert result.smallest.sizes == {"m": 1, "k": 1}


@pytest.mark.nightly
def test_a_tail_that_is_wrong_at_one_depth(tmp_path: Path) -> None:
    """The smallest depth that fails is found, not the first that was tried."""
    path = planted(tmp_path, GEMM, r"cmp( +)r2, #-6", r"cmp\1r2, #-5")
    trouble = check(path, size="quick").smallest
    assert trouble is not None and trouble.sizes["kc"] == 2 and trouble.sizes["mr"] == 1


WITHOUT_HEADER = """
    .global adds
adds:                       // x0 n, x1 x, x2 y, x3 params: max, min
    ld1r {v30.16b}, [x3], #1
    ld1r {v31.16b}, [x3]
1:  ldrb w4, [x1], #1
    dup v0.16b, w4
    umin v0.16b, v0.16b, v30.16b
    umax v0.16b, v0.16b, v31.16b
    st1 {v0.b}[0], [x2], #1
    subs x0, x0, #1
    b.ne 1b
    ret
"""


@pytest.mark.nightly
def test_a_kernel_without_header(tmp_path: Path) -> None:
    path = tmp_path / "adds.S"
    path.write_text(WITHOUT_HEADER)
    assert check(path, "u8_clamp", isa="aarch64", tile="8x", size="quick")
    assert check(path, "u8_clamp", tile="8x", size="quick")
    with pytest.raises(BadArgument, match="has no contract"):
        check(path, isa="aarch64", tile="8x")
    with pytest.raises(BadArgument, match="has no tile size"):
        check(path, "u8_clamp", isa="aarch64")
    with pytest.raises(BadArgument, match="is not a tile"):
        check(path, "u8_clamp", isa="aarch64", tile="big")
    for tile in ("65x", "1x9999", "4x8c128"):
        with pytest.raises(BadArgument, match=r"of the tile of .* must be in 1\.\."):
            check(path, "qu8_gemm_q31", isa="aarch64", tile=tile)
    with pytest.raises(KernelFileError, match="u8_clamp"):
        check(path, "u8_clmp", isa="aarch64", tile="8x")
    with pytest.raises(AssemblyError, match="no label"):
        check(path, "u8_clamp", isa="aarch64", tile="8x", entry="nowhere")


@pytest.mark.nightly
def test_a_loop_that_never_ends(tmp_path: Path) -> None:
    path = tmp_path / "adds.S"
    path.write_text(WITHOUT_HEADER.replace("subs x0, x0, #1", "subs x5, x0, #0").replace("[x1], #1", "[x1]").replace(
        "[x2], #1", "[x2]").replace("st1 {v0.b}[0], [x2]", "nop"))
    what = subject(path, "u8_clamp", isa="aarch64", tile="8x")
    trouble = ContractRun(what, lambda size: stream(what.contract, what.tile, size=size),
                          steps=2000).run(full=False).smallest
    assert trouble is not None and trouble.rule == "endless" and trouble.sizes == {"n": 1}


def test_bytes_beside_the_output(tmp_path: Path) -> None:
    path = tmp_path / "adds.S"
    path.write_text(WITHOUT_HEADER.replace("st1 {v0.b}[0], [x2], #1", "str h0, [x2]; add x2, x2, #1"))
    trouble = check(path, "u8_clamp", isa="aarch64", tile="8x", size="quick").smallest
    assert trouble is not None and trouble.rule == "write-outside" and "1 byte past its end" in str(trouble)


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-gcc") is None, reason="needs aarch64-linux-gnu-gcc")
def test_an_object_file(tmp_path: Path) -> None:
    (tmp_path / "adds.S").write_text(WITHOUT_HEADER)
    subprocess.run(["aarch64-linux-gnu-gcc", "-c", "adds.S", "-o", "adds.o"], cwd=tmp_path, check=True)
    assert check(tmp_path / "adds.o", "u8_clamp", tile="8x", size="quick")


CLAMP_C = """//! contract: u8_clamp
//! tile: 8x
#include <arm_neon.h>
#include <stddef.h>
void clamp(size_t n, const uint8_t *x, uint8_t *y, const uint8_t *params) {
    for (; n; n--, x++, y++)
        *y = *x > params[0] ? params[0] : *x < params[1] ? params[1] : *x;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(not compilers("aarch64"), reason="needs a cross compiler: make system-packages")
def test_c(tmp_path: Path) -> None:
    path = tmp_path / "clamp.c"
    path.write_text(CLAMP_C)
    assert check(path, size="quick")
    path.write_text(CLAMP_C.replace("params[0] ? params[0]", "params[0] ? params[1]"))
    assert "C line 7: *y = *x > params[0]" in str(check(path, size="quick"))
    path.write_text(CLAMP_C.replace("n; n--", "n + 1; n--"))
    report = str(check(path, size="quick"))
    assert re.search(r"clamp.c \(compiled\):\d+: step \d+, ldrb .*\nC line 7: ", report)


@pytest.mark.slow
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "adds.S").write_text(WITHOUT_HEADER)
    line = ["check", str(tmp_path / "adds.S"), "--contract", "u8_clamp", "--isa", "aarch64", "--tile", "8x", "--quick"]
    assert main(line) == 0
    assert "right in every byte" in capsys.readouterr().out
    (tmp_path / "adds.S").write_text(WITHOUT_HEADER.replace("umax", "umin"))
    assert main([*line, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["ok"] and found["smallest"]["sizes"] == {"n": 1}
    for word, words in (("rules", "junk-stored"), ("limits", "MAX_LINES"), ("contracts", "qu8_vadd")):
        assert main(["check", word]) == 0
        assert words in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["check"])
    assert "required: FILE" in capsys.readouterr().err
    assert main(["check", "nowhere.S", "--contract", "u8_clamp"]) == 2
    assert "there is no file nowhere.S" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["check", "--isa", "mips"])
    assert left.value.code == 2


def test_the_failing_call_is_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "adds.S").write_text(WITHOUT_HEADER.replace("umax", "umin"))
    page = tmp_path / "failing.html"
    line = ["check", str(tmp_path / "adds.S"), "--contract", "u8_clamp", "--isa", "aarch64", "--tile", "8x", "--quick"]
    assert main(line) == 1 and "--html FILE writes a page that replays this call" in capsys.readouterr().out
    assert main([*line, "--html", str(page)]) == 1
    said = capsys.readouterr().out
    found = re.search(r"it opens at step (\d+), (y\[0\] should be \d+, is \d+)$", said, re.M)
    assert found is not None and f"wrote {page}: " in said
    text = html.unescape(page.read_text().replace("<wbr>", ""))
    assert re.search(rf"<h1>.*adds\.S, n = 1: {re.escape(found[2])}; made of x\[0\] = \d+", text)
    assert f'id="neonsim-view">step={found[1]}&lane=' in text
    assert main([*line, "--step", "1"]) == 2 and "add --html FILE" in capsys.readouterr().err


@pytest.mark.nightly
def test_every_contract_can_be_spelled() -> None:
    """What is written out arrives at the value that the definition gives."""
    wrong = []
    for name in (contract.name for contract in contracts()):
        tile = str(next(iter(kernels(contract=name))).tile) if kernels(contract=name) else "4x8"
        some: Any = islice(stream(name, tile), 12)
        for case in some:
            for argument in case.contract.arguments:
                if type(argument.memory).__name__ not in ("Out", "InOut"):
                    continue
                view = case.views()[argument.name]
                index = tuple(int(n) for n in np.array(view.shape) - 1)
                lines = describe_element(case, argument.name, index)
                right = lines and all(lines)
                if right and name in _SPELLED and name.endswith("_q31"):
                    copy = case.expected[case.values[argument.name].region]
                    last = int(lines[-1].rpartition(" = ")[2])
                    stride = case.values.get("c_stride", 0)
                    right = last == copy[index[0] * stride + index[1]]
                if not right:
                    wrong.append(f"{name}, {case.name}: {lines}")
    assert not wrong


def test_results_print_and_pack() -> None:
    result = CheckResult("k", "c", "4x8", "aarch64", cases=3)
    assert result.to_dict()["ok"] is True and json.dumps(result.to_dict())


@pytest.mark.nightly
@pytest.mark.parametrize("name", [  # all of them: tests/ukernel
    "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "u8_rmax_16x__aarch64_neon", "qu8_sumrows_4x__aarch64_neon"])
def test_kernels_of_ours_pass_their_full_sweep(name: str) -> None:
    result = check(ns.kernel(name))
    assert result, str(result)


LATE = """
    .global adds
adds:                       // x0 n, x1 x, x2 y, x3 params: max, min
    mov x9, x0
    ld1r {v30.16b}, [x3], #1
    ld1r {v31.16b}, [x3]
1:  ldrb w4, [x1], #1
    BRANCH
    dup v0.16b, w4
    umin v0.16b, v0.16b, v30.16b
    umax v0.16b, v0.16b, v31.16b
    cmp x9, #SIZE
    b.ne 2f
    movi v0.16b, #7
2:  st1 {v0.b}[0], [x2], #1
    subs x0, x0, #1
    b.ne 1b
    ret
"""


@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
@pytest.mark.parametrize(("size", "branch", "lockstep"), [
    (0, "nop", 2), (21, "nop", 3), (0, "cmp x9, #21; b.ne 4f; cmp w4, #128; b.lo 3f; b 4f; 3: b 4f; 4:", 3)],
    ids=["right", "wrong", "parting"])
def test_a_full_sweep_by_the_compiled_engine_says_the_same(monkeypatch: pytest.MonkeyPatch, size: int, branch: str,
                                                           lockstep: int) -> None:
    """Groups in lock-step: those until compiling is worth it, and those that are not seen to be right."""
    program = ns.assemble(LATE.replace("BRANCH", branch).replace("SIZE", str(size)), isa="aarch64")
    what = subject(program, "u8_clamp", tile="8x")

    def made(kind: str) -> Any:
        return (case for case in stream(what.contract, what.tile, size=kind)
                if case.number("n") in ((1, 2) if kind == "quick" else (2, 3, 5, 21)))
    engines: list[str] = []

    def counted(*given: Any, **options: Any) -> Any:
        engines.append(options.get("engine", ""))
        return run_together(*given, **options)
    monkeypatch.setattr(contract_run, "run_together", counted)
    monkeypatch.setattr(contract_run, "WORTH", 20)
    fast = ContractRun(what, made).run(full=True)
    assert "compiled" in engines and (engines.count(""), bool(fast)) == (lockstep, size == 0)
    monkeypatch.setattr(contract_run, "compiler", lambda: None)
    slow = ContractRun(what, made).run(full=True)
    assert {**fast.to_dict(), "seconds": 0} == {**slow.to_dict(), "seconds": 0}
    assert str(fast.smallest) == str(slow.smallest)
