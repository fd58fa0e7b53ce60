"""What the formulas of floating words say of bits that were turned or moved up before."""

from __future__ import annotations

from neonsim.arm.semantics import SymbolicLanes, extend, f32, float_add, float_fma, float_turn, u16, x32


def leaves(name: str) -> SymbolicLanes:
    return SymbolicLanes.leaves(name, f32, 1)


def text(lanes: tuple[object, object]) -> str:
    result = lanes[0]
    assert isinstance(result, SymbolicLanes)
    return str(result.lanes[0])


def test_a_turned_sign_is_a_minus() -> None:
    a, n, m = map(leaves, "anm")
    assert text(float_fma(a, n, float_turn(m, 1), 0)) == "round(a[0] + n[0] * -m[0])"
    assert text(float_add(a, m, 0)) == "round(a[0] + m[0])"


def test_upper_halves_are_bf16() -> None:
    n = extend(SymbolicLanes.leaves("n", u16, 1), x32) << 16
    assert text(float_add(leaves("a"), n, 0)) == "round(a[0] + bf16(n[0]))"
