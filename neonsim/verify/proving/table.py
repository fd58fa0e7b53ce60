"""Every kernel of the catalogue beside one kernel of its contract: what is proved, shape by shape.

`make proofs` makes the page `docs/proofs.md` of all of them; a test holds it to the catalogue, the long tests prove it
again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from neonsim.errors import BadArgument
from neonsim.ukernel import Kernel, kernels
from neonsim.ukernel.cases import cases, shapes_known
from neonsim.ukernel.contract import Packed

from .kernel_equivalence import ORDINARY, WITH_SUMS, same
from .proof import Proof

__all__ = ["KernelPair", "ProofRow", "page", "pairs", "prove_pair"]

MAX_BYTES = 1500    # of the inputs of a call that is no product
DEPTHS = (1, 8, 17)  # of products: less than an iteration of a loop, one, two and a rest
CALLS = 3            # of such a kernel


@dataclass(frozen=True)
class KernelPair:
    """Two kernels, and the calls on which they are compared."""

    first: Kernel
    second: Kernel

    @cached_property
    def calls(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """What `same` takes besides the kernels, with a word for each."""
        return _calls(self.first, self.second)


@dataclass(frozen=True)
class ProofRow:
    """What came of a pair: a proof for every call, up to the first that is refuted."""

    pair: KernelPair
    proofs: tuple[Proof, ...]

    @property
    def verdict(self) -> str:
        """The worst."""
        found = {proof.verdict for proof in self.proofs}
        return next((v for v in ("refuted", "unknown") if v in found), "proved")

    @property
    def ordinary(self) -> bool:
        """Whether it is proved only where no number in floating point is denormal or a NaN."""
        return any(ORDINARY in proof.assumptions for proof in self.proofs)

    @property
    def reason(self) -> str:
        """Of the first call that is not proved: why not, or on what they differ."""
        first = next((proof for proof in self.proofs if not proof), None)
        return "" if first is None else str(first.counterexample or first.reason)

    def calls(self, verdict: str) -> str:
        """Return the words of the calls of which this is the verdict."""
        return ", ".join(word for (word, _), proof in zip(self.pair.calls, self.proofs, strict=False)
                         if proof.verdict == verdict)


def pairs(contract: str | None = None) -> Iterator[KernelPair]:
    """Every kernel beside the plain one of its contract (the first of the instruction set with the larger tile), at the
    quick shapes. Raises BadArgument for a contract that there is not."""
    found: dict[tuple[str, Any], list[Kernel]] = {}
    for one in kernels():
        if contract in (None, one.contract.name):
            found.setdefault((one.contract.name, _alike(one)), []).append(one)
    if not found:
        raise BadArgument(f"there are no kernels of {contract}")
    for group in found.values():
        plain = min(group, key=_plainness)
        for one in group:
            if one is not plain:
                yield KernelPair(plain, one)
    if contract in (None, *WITH_SUMS):
        default, dual = (min(kernels(name), key=_plainness) for name in sorted(WITH_SUMS))
        yield KernelPair(default, dual)


def _alike(kernel: Kernel) -> Any:
    """Kernels of a contract take the same calls if this is the same."""
    if kernel.contract.name in shapes_known():
        return None
    # The tile says which transform it is, or how weights are packed.
    fixed = "winograd" in kernel.contract.name or any(isinstance(a.memory, Packed) for a in kernel.contract.arguments)
    return str(kernel.tile) if fixed else kernel.tile.nr


def _plainness(kernel: Kernel) -> tuple[Any, ...]:
    """The least is the plain one: AArch64, no special core, multiply-accumulate by lane, a short name."""
    technique = kernel.name.partition("__")[2]
    return (kernel.isa != "aarch64", "cortex" in technique or "prfm" in technique, "neon_mlal_lane" not in technique,
            len(technique), -kernel.tile.mr * (kernel.tile.nr or 1), kernel.name)


def _calls(first: Kernel, second: Kernel) -> tuple[tuple[str, dict[str, Any]], ...]:
    if first.contract.name in shapes_known():
        mr, nr = (min(getattr(k.tile, side) or 1 for k in (first, second)) for side in ("mr", "nr"))
        sizes: dict[str, Any] = {"mr": mr, "nr": nr} | ({"ks": 2} if "igemm" in first.contract.name else {})
        return tuple((f"{mr}x{nr}x{kc}", sizes | {"kc": kc}) for kc in DEPTHS)
    small = [c for c in cases(first.contract.name, first.tile)
             if sum(region.data.size for region in c.memory.values()) <= MAX_BYTES]
    small.sort(key=lambda c: (sum(region.data.size for region in c.memory.values()), c.name))
    chosen = {c.name: c for c in (small[i * (len(small) - 1) // (CALLS - 1)] for i in range(CALLS))} if small else {}
    return tuple((name, {"case": name}) for name in chosen)


def prove_pair(pair: KernelPair, seconds: float = 20.0, solver: str | None = None) -> ProofRow:
    """Compare two kernels on all their calls; once one is unknown, by their terms alone."""
    proofs: list[Proof] = []
    for _, given in pair.calls:
        proofs.append(same(pair.first, pair.second, seconds=seconds, solver=solver, search=all(proofs), **given))
        if proofs[-1].verdict == "refuted":
            break
    return ProofRow(pair, tuple(proofs))


def _short(reason: str) -> str:
    """Why, without the places of files and the numbers of variables."""
    parts = reason.split("; ")
    said = next((part for part in parts if "different rules" in part), parts[0])
    return re.sub(r"^\S+: \S+:\d+: |: <.*", "", said)


def page(rows: list[ProofRow]) -> str:
    """Return the table, in Markdown."""
    count = sum(row.verdict == "proved" for row in rows)
    some = sum(row.verdict != "proved" and bool(row.calls("proved")) for row in rows)
    out = ["# Kernels proved the same", "",
           "This page compares each kernel with the baseline kernel of its contract, for all data. `neonsim prove "
           "catalogue` writes it. [Prove a kernel](proving.md)",
           "explains the verdicts and the assumptions. Each line names the calls: rows x columns x depth of products, "
           "or cases of the contract", "(`neonsim check contracts`).", "",
           f"{count} of {len(rows)} pairs are proved the same on all their calls"
           + (f", {some} on some of them." if some else "."), ""]
    last = ""
    for row in rows:
        head = row.pair.first.contract.name
        if head != last:
            out += ["", f"## {head}", ""] if last else [f"## {head}", ""]
            last = head
        notes = [_short(row.reason)] if row.reason else []
        if row.verdict != "proved" and row.calls("proved"):
            notes.append(f"proved on {row.calls('proved')}")
        if row.ordinary:
            notes.append("proved where no number is denormal or a NaN")
        out.append(f"- `{row.pair.second.name}` beside `{row.pair.first.name}`: **{row.verdict}** on "
                   f"{row.calls(row.verdict)}" + (f": {'; '.join(notes)}" if notes else ""))
    return "\n".join([*out, ""])
