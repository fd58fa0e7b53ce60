"""Numbers are shown as numbers: doubles and BF16 too, in pictures, watch expressions and on pages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
import neonsim.render
from neonsim.arm.machine.arch.register_names import TYPE_BYTES, lane_values, numbers_of, printable, width_of
from neonsim.render import lanes_picture

FORMAT_JS = Path(neonsim.render.__file__).parent / "static" / "format.js"
BRAIN = np.array([1.5, -2.25, 3.0, 0.40625, -0.5, 100.0, 7.0, -1.0], np.float32)


def test_types_by_their_width() -> None:
    assert [width_of(name) for name in ("x16", "bf16", "f64", "s8", "u32")] == ["16", "16", "64", "8", "32"]
    assert [printable(name) for name in ("x64", "f64", "bf16", "u4")] == ["u64", "f64", "bf16", "u8"]


def test_lanes_as_text() -> None:
    assert lane_values(np.array([0.1, -1e300]).tobytes(), "f64") == ["0.1", "-1e+300"]
    assert lane_values(np.array([1 / 3]).tobytes(), "f64") == ["0.3333333333"]
    assert lane_values(bytes.fromhex("803f40c0ab3ec0ff"), "bf16") == ["1", "-3", "0.334", "nan"]
    assert numbers_of((BRAIN.view(np.uint32) >> 16).astype("<u2").tobytes(), "bf16").tolist() == BRAIN.tolist()


def test_sixteen_bits_are_told_apart() -> None:
    """Every finite number of half precision and of BF16 has digits of its own."""
    for kind, count in (("f16", 2 * 0x7C00), ("bf16", 2 * 0x7F80)):
        bits = np.arange(1 << 16, dtype="<u2")
        values = numbers_of(bits.tobytes(), kind)
        texts = lane_values(bits[np.isfinite(values)].tobytes(), kind)
        assert len(texts) == len(set(texts)) == count


LINES = [
    ("aarch64", "fadd v0.2d, v1.2d, v2.2d", "f64", "v0.d[1] = round(v1.d[1] + v2.d[1]) = round(2.5 + (-0.75)) = 1.75"),
    ("aarch64", "fmov d0, d1", "f64", "v0.d[0] = v1.d[0] = 0.1 = 0.1"),
    ("aarch64", "frint32z d0, d1", "f64", "v0.d[0] = integer_s32_z(v1.d[0]) = integer_s32_z(0.1) = 0"),
    ("aarch64", "fjcvtzs w0, d2", "f64", "x0 = s32(v2.d[0] modulo 2**32) = s32((-2) modulo 2**32) = -2"),
    ("aarch32", "vadd.f64 d0, d2, d4", "f64", "d0.f64[0] = round(d2.f64[0] + d4.f64[0]) = round(0.1 + (-2)) = -1.9"),
    ("aarch64", "bfmlalb v0.4s, v1.8h, v2.8h", "bf16",
     "v0.s[0] = round(v0.s[0] + bf16(v1.h[0]) * bf16(v2.h[0])) = round(0 + bf16(1.5) * bf16((-0.5))) = -0.75"),
    ("aarch64", "bfcvt h0, s1", "f32", "v0.h[0] = bf16(v1.s[0]) = bf16(1.5) = 1.5"),
    ("aarch32", "vfmab.bf16 q0, q1, q2", "bf16",
     "q0.f32[0] = round(q0.f32[0] + bf16(q1.bf16[0]) * bf16(q2.bf16[0])) = "
     "round(0 + bf16(1.5) * bf16((-0.5))) = -0.75"),
]


@pytest.mark.parametrize(("isa", "line", "kind", "said"), LINES, ids=[line.split()[0] for _, line, _, _ in LINES])
def test_a_picture_says_numbers(isa: str, line: str, kind: str, said: str) -> None:
    machine = ns.Machine(isa=isa)
    program = ns.assemble(line + ("\nret" if isa == "aarch64" else "\nbx lr"), isa=isa)
    machine.start(program)
    values = {"f64": (np.array([0.1, 2.5]), np.array([-2, -0.75])),
              "f32": (np.array([1.5, 0, 0, 0], np.float32),) * 2,
              "bf16": tuple((v.view(np.uint32) >> 16).astype("<u2") for v in (BRAIN, BRAIN[[4, 1, 2, 3, 0, 5, 6, 7]]))}
    names = ("v0", "v1", "v2") if isa == "aarch64" else ("q0", "q1", "q2")
    for name, value in zip(names, (np.zeros(4, np.uint32), *values[kind]), strict=True):
        machine.registers[name] = value.tobytes()
    machine.step()
    trace = machine.trace()
    assert trace is not None
    svg = lanes_picture(program.instructions[0], isa=isa, before=trace.state(0), after=trace.state(1)).svg
    text = " ".join(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg)).split())
    assert said in text, text
    assert re.search(r"<text[^>]*>[^<]* [suxbf]+\d+</text>", svg)


@pytest.mark.slow
def test_a_page_says_the_same(tmp_path: Path) -> None:
    """`laneText` of format.js beside `lane_values`, on many numbers of each type, infinities and NaNs."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node (make system-packages)")
    rng = np.random.default_rng(3)
    halves = np.array([*range(0, 1 << 16, 9), 0x7C00, 0xFC00, 0x7F80, 0xFF80, 0x8000, 1], "<u2")
    data = {kind: halves.tobytes() if TYPE_BYTES[kind] == 2 else
            np.concatenate([rng.normal(0, 9, 700), 10.0 ** rng.uniform(-30, 30, 700), np.arange(-99, 99)])
            .astype({"f32": "<f4", "f64": "<f8"}[kind]).tobytes() for kind in ("f16", "bf16", "f32", "f64")}
    for kind, part in data.items():
        (tmp_path / kind).write_bytes(part)
    script = tmp_path / "say.mjs"
    script.write_text(f"""
import {{ readFileSync }} from "node:fs";
import {{ TYPES, laneNumber, laneText, printable, widthOf }} from {json.dumps(FORMAT_JS.as_uri())};
const said = {{}};
for (const kind of {json.dumps(list(data))}) {{
  const bytes = readFileSync(new URL(kind, import.meta.url)), size = TYPES[kind];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  said[kind] = [];
  for (let at = 0; at < bytes.length; at += size)
    said[kind].push([laneText(view, at, kind), String(laneNumber(view, at, kind))]);
}}
said.widths = ["x16", "bf16", "f64", "s8"].map(widthOf);
said.printable = ["x64", "f64", "bf16", "u4"].map(printable);
console.log(JSON.stringify(said));
""", encoding="utf-8")
    done = subprocess.run([node, str(script)], capture_output=True, text=True, check=True, timeout=60)
    said = json.loads(done.stdout)
    assert (said["widths"], said["printable"]) == (["16", "16", "64", "8"], ["u64", "f64", "bf16", "u8"])
    for kind, part in data.items():
        values = numbers_of(part, kind)
        with np.errstate(invalid="ignore"):     # signalling NaNs
            exactly = values.astype(float).tolist()
        assert all(number == "NaN" if value != value else float(number.replace("Infinity", "inf")) == value
                   for (_, number), value in zip(said[kind], exactly, strict=True))
        for mine, (theirs, _), value in zip(lane_values(part, kind), said[kind], values, strict=True):
            # JavaScript writes exponents in its own way, and of two decimals that are equally near takes the larger.
            if not np.isfinite(value):
                assert float(mine) == float(theirs.replace("Infinity", "inf")) or mine == theirs.lower() == "nan"
                continue
            python, page, exact = Fraction(mine), Fraction(theirs), Fraction(float(value))
            assert page == python or page - exact == exact - python, (mine, theirs)
