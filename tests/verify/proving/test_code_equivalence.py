"""Pieces of code that leave the same registers, or do not."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import AssemblyError, BadArgument, MissingPackage

WIDENED = "uxtl v0.8h, v1.8b\nuxtl v3.8h, v2.8b\nsub v0.8h, v0.8h, v3.8h"


@pytest.mark.parametrize(("isa", "first", "second", "register"), [
    ("aarch64", "usubl v0.8h, v1.8b, v2.8b", WIDENED, "v0"),
    ("aarch64", "mla v0.4s, v1.4s, v2.4s", "mul v3.4s, v2.4s, v1.4s\nadd v0.4s, v3.4s, v0.4s", "v0"),
    ("aarch64", "eor v0.16b, v1.16b, v1.16b", "movi v0.16b, #0", "v0"),
    ("aarch64", "add x0, x1, x2, lsl #2", "lsl x0, x2, #2\nadd x0, x0, x1", "x0"),
    ("aarch64", "mov w9, #3\n1: add w0, w0, w1\nsubs w9, w9, #1\nb.ne 1b", "add w2, w1, w1\nadd w0, w0, w2\n"
     "add w0, w0, w1", "w0"),
    ("aarch32", "vmull.s16 q0, d2, d3\nvadd.s32 q2, q2, q0", "vmlal.s16 q2, d2, d3", "q2"),
])
def test_proved(isa: str, first: str, second: str, register: str) -> None:
    proof = ns.prove.equal(first, second, isa=isa, registers=[register])
    assert proof.verdict == "proved", proof
    assert f"the same in {register}" in str(proof)


ASKED = [  # what terms leave open
    ("aarch64", "uhadd v0.16b, v1.16b, v2.16b", "eor v3.16b, v1.16b, v2.16b\nand v4.16b, v1.16b, v2.16b\n"
     "ushr v3.16b, v3.16b, #1\nadd v0.16b, v3.16b, v4.16b", "v0"),
    ("aarch64", "cmp w1, w2\ncset x0, lt", "cmp w2, w1\ncset x0, gt", "x0"),
    ("aarch32", "vrhadd.u8 d0, d1, d2", "vmvn d1, d1\nvhsub.u8 d0, d2, d1", "d0"),
]


@pytest.mark.parametrize("solver", ["z3", pytest.param("cvc5", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("isa", "first", "second", "register"), ASKED)
def test_what_terms_leave_open_is_asked(solver: str, isa: str, first: str, second: str, register: str) -> None:
    pytest.importorskip(solver)
    proof = ns.prove.equal(first, second, isa=isa, registers=[register], solver=solver)
    assert proof.verdict == ("refuted" if first.startswith("vrhadd") else "proved"), proof
    assert any(f"the solver {solver}" in line for line in proof.assumptions) == (proof.verdict == "proved")


def test_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["neonsim.verify.proving.code_equivalence"], "ROUNDS", 2)
    monkeypatch.setattr("neonsim.verify.proving.engine.solver.SOLVERS", {"z3": "neonsim has none here"})
    monkeypatch.setattr("neonsim.verify.proving.engine.solver._module", lambda name: None)
    isa, first, second, register = ASKED[0]
    proof = ns.prove.equal(first, second, isa=isa, registers=[register])
    assert proof.verdict == "unknown"
    assert "pip install 'neonsim[prove]'" in proof.reason
    with pytest.raises(MissingPackage, match="pip install"):
        ns.prove.equal(first, second, isa=isa, registers=[register], solver="z3")


def test_a_limit_of_time() -> None:
    """Two multiplications of 64 bits: a solver does not know so soon."""
    pytest.importorskip("z3")
    proof = ns.prove.equal("mul x0, x1, x1\nmul x0, x0, x2\nand x0, x0, #0xff00ff00ff00ff00\nudiv x0, x0, x2",
                           "mul x0, x2, x1\nand x0, x0, #0xff00ff00ff00ff00\nmul x0, x0, x1\nudiv x0, x0, x1",
                           isa="aarch64", registers=["x0"], solver="z3", seconds=0.01)
    assert proof.verdict in ("refuted", "unknown")


@pytest.mark.parametrize(("isa", "first", "second", "register"), [
    ("aarch64", "srshr v0.4s, v1.4s, #1", "movi v2.4s, #1\nadd v0.4s, v1.4s, v2.4s\nsshr v0.4s, v0.4s, #1", "v0"),
    ("aarch64", "sqrdmulh v0.8h, v1.8h, v2.8h", "smull v3.4s, v1.4h, v2.4h\nsmull2 v4.4s, v1.8h, v2.8h\n"
     "rshrn v0.4h, v3.4s, #15\nrshrn2 v0.8h, v4.4s, #15", "v0"),  # -32768 squared
    ("aarch64", "usubl v0.8h, v1.8b, v2.8b", WIDENED.replace("uxtl v3", "sxtl v3"), "v0"),
    ("aarch32", "vqadd.s8 d0, d1, d2", "vadd.i8 d0, d1, d2", "d0"),
])
def test_refuted_by_a_run(isa: str, first: str, second: str, register: str) -> None:
    proof = ns.prove.equal(first, second, isa=isa, registers=[register])
    assert proof.verdict == "refuted", proof
    found = proof.counterexample
    assert found is not None
    assert found.location == register
    assert found.first != found.second
    for text, left, trace in zip((first, second), (found.first, found.second), found.traces, strict=True):
        assert trace.steps == len([line for line in text.splitlines() if line]) + 1
        # Once more, by hand.
        machine = ns.Machine(isa=isa)
        machine.start(ns.assemble(f"{text}\n{'ret' if isa == 'aarch64' else 'bx lr'}", isa=isa))
        machine.change(found.inputs)
        machine.step(trace.steps - 1)
        assert f"0x{machine.registers[register].hex}" == left


def test_all_that_is_changed_unless_registers_are_named() -> None:
    proof = ns.prove.equal("usubl v0.8h, v1.8b, v2.8b", WIDENED, isa="aarch64")
    assert proof.verdict == "refuted"
    assert "v0, v3" in proof.claim
    assert proof.counterexample is not None
    assert proof.counterexample.location == "v3"
    assert ns.prove.equal("add x3, x4, x5", "add x3, x5, x4", isa="aarch64")


def test_what_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The branch does not matter to x0; but which way it goes depends on data."""
    monkeypatch.setattr(sys.modules["neonsim.verify.proving.code_equivalence"], "ROUNDS", 8)
    proof = ns.prove.equal("cbz x5, 1f\nmov x0, #1\n1: mov x0, #1", "mov x0, #1", isa="aarch64", registers=["x0"])
    assert proof.verdict == "unknown"
    assert "depends on unknown data" in proof.reason
    proof = ns.prove.equal("ldr x0, [x1]", "ldr x0, [x1, #0]", isa="aarch64", registers=["x0"])
    assert proof.verdict == "unknown"
    assert "depends on unknown data" in proof.reason


@pytest.mark.parametrize(("options", "sentence"), [
    ({"isa": "thumb"}, "aarch64 or aarch32"), ({"isa": "aarch64", "registers": "v0"}, "a list of names"),
    ({"isa": "aarch64", "registers": ["v77"]}, "unknown register"), ({"isa": "aarch64", "registers": ["pc"]}, "pc"),
    ({"isa": "aarch64", "seconds": 0}, "seconds"), ({"isa": "aarch64", "solver": "yices"}, "unknown solver")])
def test_what_cannot_be_asked(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadArgument, match=sentence):
        ns.prove.equal("nop", "nop", **options)
    with pytest.raises(AssemblyError):
        ns.prove.equal("frob x0", "nop", isa="aarch64")
