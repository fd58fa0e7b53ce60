"""A new rounding, half to even, done in a copy: first by its definition alone, then with kernels on two backends.

One file is written by hand, `quant/rounding.py`; `make headers` writes what C reads. The kernels have files of
their own.
"""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.test_contributing import House, build, held_to, house, places

__all__ = ["house"]     # a fixture

ROUNDING = "neonsim/quant/rounding.py"
BODY = '''@rounding(ties="to even", below=256, neon="SMULL, SSHL, AND, ADD, SSHL", source="own work"{row})
def half_even(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """One exact rounding, ties to even."""
    product = wide(acc) * wide(multiplier)
    odd = product >> 31 + shift & 1
    return product + odd + ((1 << 30 + shift) - 1) >> 31 + shift


'''
KERNEL = "qs8_gemm_rndnu_4x8c2__aarch64_neon_mull_padal_dup"
# In place of kernels/include/rndnu_aarch64.h: macros of the same names, in lanes of 64 bits.
MACROS = r'''
.macro load_rndnu params
    ld1r        {multiplier.4s}, [\params], #4
    ld1r        {preshift.4s}, [\params], #4
    ld1r        {postshift.4s}, [\params], #4
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {upper.16b}, [\params], #1
    ld1r        {lower.16b}, [\params], #1
    add         preshift.4s, preshift.4s, postshift.4s
    movi        v25.4s, #31
    sub         preshift.4s, preshift.4s, v25.4s
    sxtl        v24.2d, preshift.2s             // minus the shift to the right
    ushr        v25.4s, v25.4s, #4
    ushll       v25.2d, v25.2s, #0              // 1
    neg         v26.2d, v24.2d
    sub         v26.2d, v26.2d, v25.2d
    sshl        v26.2d, v25.2d, v26.2d
    sub         v26.2d, v26.2d, v25.2d          // a half, less one
.endm

.macro halves_even x
    sshl        v29.2d, \x\().2d, v24.2d
    and         v29.16b, v29.16b, v25.16b
    add         \x\().2d, \x\().2d, v29.2d
    add         \x\().2d, \x\().2d, v26.2d
    sshl        \x\().2d, \x\().2d, v24.2d
.endm

.macro scale_rndnu x
    smull       v27.2d, \x\().2s, multiplier.2s
    smull2      v28.2d, \x\().4s, multiplier.4s
    halves_even v27
    halves_even v28
    sqxtn       \x\().2s, v27.2d
    sqxtn2      \x\().4s, v28.2d
.endm

.macro scale_half_row_rndnu a, b
    scale_rndnu \a
    scale_rndnu \b
.endm
'''
BRANCH = """    } else if (scheme == HALF) {
      const struct neonsim_rndnu_gemm_params *p = params;
      const int64_t value = neonsim_round_half_even(neonsim_as_signed(sums[n]), p->multiplier,
                                                    -(p->pre_shift + p->post_shift));
      c[n] = neonsim_clamp(value + p->output_zero_point, p->output_min, p->output_max, 1);
    } else if (scheme == FP32 ||"""
# Halves are frequent, for the scale is one. Python's own rounding sends them to the even number as well.
LAYER = """
import numpy as np
import neonsim as ns
from neonsim.nn.backends.emulated import EmulatedBackend

rng = np.random.default_rng(0)
x, w = (rng.integers(-9, 10, shape, dtype=np.int8) for shape in ((7, 33), (19, 33)))
sums = (x.astype(int) - 3) @ w.T.astype(int)
wanted = [[min(max(round(int(s) / 2) - 4, -128), 127) for s in row] for row in sums]
for backend in ("reference", EmulatedBackend(isa="aarch64"), "native"):
    y = ns.ops.fully_connected(ns.Quantized(x, 1.0, 3), ns.Quantized(w, 0.5), out=ns.Scheme(1.0, -4, "int8"),
                               requantization="half_even", backend=backend)
    print(y.backend, y.values.tolist() == wanted)
"""


def write_headers(house: House) -> None:
    """What `make headers` runs."""
    for words in (("contracts_c",), ("roundings_c", "native/src/contracts/scalar/roundings.h")):
        good, said = house.run(sys.executable, "-m", f"neonsim.ukernel.kernelgen.{words[0]}", *words[1:])
        assert good, said


def add_rounding(house: House, row: str = "") -> None:
    place = "# ---- only compared with them"
    house.change(ROUNDING, (place, BODY.format(row=row) + place))


@pytest.mark.nightly
def test_a_rounding(house: House) -> None:
    before = house.files()
    house.misses("deselected", "A rounding", NAME="half_even")
    add_rounding(house)
    house.misses("make headers", "A rounding", NAME="half_even")
    write_headers(house)
    house.says_done("A rounding", NAME="half_even")
    good, said = house.run(sys.executable, "-m", "neonsim", "explain", "requant", "0.5", "--value", "5")
    assert good and "half_even    2" in said, said
    good, said = house.run(sys.executable, "-c", LAYER.replace(', EmulatedBackend(isa="aarch64"), "native"', ","))
    assert good and said == "reference True\n", said
    held_to(places("A rounding"), before, house.files())


@pytest.mark.nightly
@pytest.mark.skipif(not all(map(shutil.which, ("cmake", "cc"))), reason="needs cmake and a C compiler: run `make`")
def test_a_rounding_with_kernels(house: House) -> None:
    """A matrix product on three backends."""
    before, scalar = house.files(), "native/src/contracts/scalar/gemm.c"
    add_rounding(house, ',\n          kernels=("gemm",), says="with one exact rounding, ties to even"')
    write_headers(house)
    text = (house.root / f"kernels/gemm/{KERNEL}.S").read_text("utf-8")
    own = KERNEL.replace("rndnu", "half")
    house.write(f"kernels/gemm/{own}.S", text.replace("qs8_gemm_rndnu", "qs8_gemm_half").replace(
        "include/rndnu_aarch64.h", "include/half_aarch64.h"))
    house.write("kernels/include/half_aarch64.h", MACROS)
    tiles = "/* Every tile of kernels/"
    house.change(scalar, ("enum scheme { RNDNU,", "enum scheme { HALF, RNDNU,"),
                 ("    } else if (scheme == FP32 ||", BRANCH),
                 (tiles, f"GEMM(HALF, 4, 8, 2, 1, qs8_gemm_half_4x8c2__scalar)\n{tiles}"))
    build(house)
    good, said = house.run(sys.executable, "-c", LAYER)
    assert good and said == "reference True\nemulated True\nnative True\n", said
    written = [*places("A rounding"), "native/include/neonsim.h", "native/src/contracts/contracts.h"]
    held_to([*written, f"kernels/gemm/{own}.S", "kernels/include/half_aarch64.h", scalar], before, house.files())
