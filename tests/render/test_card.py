"""The reference card: every instruction of the kernels stands on it, and it is one sheet of paper."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.render.manual.card import card_page


@pytest.mark.parametrize("step", [30, pytest.param(1, marks=pytest.mark.nightly)])
def test_every_instruction_of_a_kernel_is_on_it(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    products = ("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane")
    some = [*ns.kernels()[::step], *map(ns.kernel, products)]
    monkeypatch.setattr("neonsim.render.manual.card.kernels", lambda: some)
    page = unescape(card_page())
    said = set(re.findall(r"<dt>(.*?)</dt>", page))
    for kernel in some[::9] if step == 1 else some:
        for instruction in kernel.program().instructions:
            assert instruction.form.semantics.doc.partition("\n")[0] in said, instruction
    assert "<code>{S|U}MLAL{2} <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Ts>[<index>]</code>" in page
    assert "VMLAL.<dt> <Qd>, <Dn>, <Dm>[<index>]" in page
    assert "<script" not in page


@pytest.mark.nightly
def test_it_is_one_sheet_printed_on_both_sides(tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    assert main(["isa", "card", str(tmp_path / "card.html")]) == 0
    printed = tmp_path / "card.pdf"
    subprocess.run([chromium, "--headless", "--no-sandbox", f"--print-to-pdf={printed}", str(tmp_path / "card.html")],
                   check=True, capture_output=True, timeout=120)
    assert len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes())) == 2
