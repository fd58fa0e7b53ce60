"""Which kernel of a contract runs on which core: a table, its rules in order, and the reason in words.

    rule    where                                     rows by columns, technique          from
    ...     instruction set, cores or a feature       what the kernel's name must hold

The first rule that fits the core decides. Where the catalogue has no kernel of that name the next rule is asked, and
the reason says which were passed over; after the last rule the kernels that the core can run stand in the order of the
backend. A core without a name gets what runs everywhere (plain NEON).

On a chip with big and little cores the kernels of both must share tile and packing, because weights are packed once:
`migration_classes` gives what each core may switch to (X36).

Source: (R02, X10, X18, X36, X37, X38, X39, X40, X41, X43); which core has which feature: the cores' technical reference
manuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from neonsim.backends import Implementation
from neonsim.errors import BackendError, BadArgument
from neonsim.timing import cores

__all__ = ["FEATURES", "RULES", "Decision", "Rule", "choose", "dispatch_table", "features_of", "migration_classes",
           "narrower"]

# Features beyond the Advanced SIMD of Armv7 ("neonv8": rounding conversions of Armv8 in AArch32). All cores here are
# Armv8; the Cortex-A55 had the dot product from revision 1 on.
_V8, _DOT = frozenset({"neonv8"}), frozenset({"neonv8", "dotprod"})
FEATURES: dict[str, frozenset[str]] = {
    "cortex-a53": _V8, "cortex-a57": _V8, "cortex-a72": _V8, "cortex-a73": _V8, "cortex-a55": _DOT, "cortex-a75": _DOT,
    "cortex-a76": _DOT, "neoverse-n1": _DOT,
    # Teaching cores run everything.
    "ideal-1": _DOT | {"i8mm"}, "ideal-mul-add": _DOT | {"i8mm"},
}


class Rule(NamedTuple):
    """One line of the table.

    isa         str                aarch32 | aarch64
    cores       tuple of str       the cores it is for; empty: any core with the feature
    feature     str                "" or neonv8 | dotprod | i8mm: what the core must have, and the kernel uses
    tile        str                as 4x16c4
    technique   str                what stands behind the instruction set in the kernel's name
    source      str                whose choice it is
    """

    isa: str
    cores: tuple[str, ...]
    feature: str
    tile: str
    technique: str
    source: str

    def fits(self, isa: str, core: str | None) -> bool:
        """Is it for this core?"""
        if isa != self.isa or (self.cores and core not in self.cores):
            return False
        return not self.feature or self.feature in features_of(core)

    @property
    def where(self) -> str:
        """Which cores, in words."""
        named = ", ".join(self.cores) or "any core"
        return f"{named} with {self.feature}" if self.feature else named


_A53, _A55, _BIG, _A7X = ("cortex-a53",), ("cortex-a55",), ("cortex-a72", "cortex-a73"), ("cortex-a75", "cortex-a76")
RULES: tuple[Rule, ...] = (
    Rule("aarch64", (), "i8mm", "4x16c8", "neoni8mm", "XNNPACK 2026"),
    Rule("aarch64", _A55, "dotprod", "4x16c4", "neondot_cortex_a55", "XNNPACK 2021"),
    Rule("aarch64", (), "dotprod", "4x16c4", "neondot_ld64", "XNNPACK 2021"),
    Rule("aarch64", _A53, "", "4x16", "neon_mlal_lane_cortex_a53", "XNNPACK 2021"),
    Rule("aarch64", _BIG, "", "2x8c8", "neon_mlal_padal_prfm", "XNNPACK 2021"),
    Rule("aarch64", (), "", "2x8c8", "neon_mlal_padal", "XNNPACK 2021"),
    Rule("aarch64", (), "", "4x16", "neon_mlal_lane", "XNNPACK 2021"),
    Rule("aarch32", (), "dotprod", "4x8c4", "neondot_ld64", "XNNPACK 2026"),
    Rule("aarch32", ("cortex-a53", "cortex-a57"), "", "4x8", "neon_mlal_lane_cortex_a53", "XNNPACK 2026"),
    Rule("aarch32", ("cortex-a72",), "", "2x8c2s4", "neon_mlal_padal", "XNNPACK 2026"),
    Rule("aarch32", (), "neonv8", "4x8", "neonv8_mlal_lane", "XNNPACK 2026"),
    Rule("aarch32", (), "", "4x8", "neon_mlal_lane", "XNNPACK 2026"),
)


class Decision(NamedTuple):
    """What the table says: the kernel, and why."""

    kernel: Implementation
    reason: str


def features_of(core: str | None) -> frozenset[str]:
    """What a core has beyond Advanced SIMD; nothing for a core without a name.

    Raises BadArgument for a core that is not in the table.

    >>> sorted(features_of("cortex-a76"))
    ['dotprod', 'neonv8']
    """
    if core is None:
        return frozenset()
    if core not in FEATURES:
        raise BadArgument(f"There is no core {core!r} to choose kernels for. There are {', '.join(cores())}.")
    return FEATURES[core]


def _words(kernel: str) -> tuple[str, str]:
    """(tile, technique) of a kernel's name."""
    left, _, right = kernel.partition("__")
    return left.rpartition("_")[2], right.partition("_")[2]


def _feature(kernel: Implementation) -> str:
    if kernel.kernel is None:
        return ""
    return "" if kernel.kernel.feature == "neon" else kernel.kernel.feature


def choose(found: Sequence[Implementation], isa: str, core: str | None, *, rows: int | None = None) -> Decision:
    """The kernel for a core out of those of one contract.

    found   the backend's, in its order
    rows    of the whole product, if known: 1 asks for a kernel of one row first (X41)

    Raises BackendError if none of them runs on the core.
    """
    has = features_of(core)
    name = core or "a core without a name"
    runs = [k for k in found if k.isa == isa and (not _feature(k) or _feature(k) in has)]
    if not runs:
        other = next((k for k in found if k.isa == isa), None)
        if core is None and other is not None:
            return Decision(other, f"needs {_feature(other)}: no kernel of plain NEON keeps this contract")
        raise BackendError(f"none of {', '.join(k.name for k in found) or 'no kernels'} runs on {name} ({isa}).")
    if rows == 1:
        single = next((k for k in runs if k.mr == 1), None)
        if single is not None:
            return Decision(single, f"one row: a kernel of one row wastes nothing, on {name}")
    passed: list[str] = []
    for rule in RULES:
        if not rule.fits(isa, core):
            continue
        for kernel in runs:
            if _words(kernel.name) == (rule.tile, rule.technique):
                missing = f"; the catalogue has no {', '.join(passed)}" if passed else ""
                return Decision(kernel, f"{rule.where}: {rule.tile} {rule.technique} (as {rule.source}), for {name}"
                                        f"{missing}")
        passed.append(f"{rule.tile} {rule.technique}")
    return Decision(runs[0], f"the first that runs on {name}; the catalogue has none of the table's: "
                             f"{', '.join(passed)}")


def migration_classes(found: Sequence[Implementation], isa: str, on: Sequence[str]) -> dict[str, Decision]:
    """For every core of a chip the kernel its tiles run on, all with one packing: what a scheduler may mix freely.

    on   cores, the one that decides first; weights are packed for its kernel

    The kernel of another core replaces the first one's only where it shares mr, nr, kr and sr (X36).
    """
    if not on:
        raise BadArgument("a chip has at least one core.")
    # What every core can run: a thread may be moved at any time, and the packing cannot be changed then.
    common = frozenset.intersection(*(features_of(core) for core in on))
    usable = [k for k in found if not _feature(k) or _feature(k) in common]
    first = choose(usable, isa, on[0])
    shape = (first.kernel.mr, first.kernel.nr, first.kernel.kr, first.kernel.sr)
    chosen = {on[0]: first}
    for core in on[1:]:
        alike = [k for k in usable if (k.mr, k.nr, k.kr, k.sr) == shape]
        own = choose(alike, isa, core).kernel
        chosen[core] = Decision(own, "shares tile and packing" + ("" if own != first.kernel else
                                                                        "; the table has no other of them for it"))
    return chosen


def narrower(n: int, nr: int, nr2: int) -> int:
    """Which of two widths of kernels to take for n columns: the narrower one where it wastes less.

    waste(w) = (columns computed - n) / columns computed, columns computed = n rounded up to w
    the narrower one is taken if n < the wider one, or if it wastes less and the wider wastes more than 1 %

    nr, nr2   widths, nr the wider one

    Source: (X43).

    >>> [narrower(n, 16, 8) for n in (8, 24, 32, 1000, 1001)]
    [8, 8, 16, 16, 16]
    """
    def waste(width: int) -> float:
        computed = -(-n // width) * width
        return (computed - n) / computed

    if nr2 >= nr:
        raise BadArgument(f"the narrower kernel has fewer columns than the wider one; got {nr2} and {nr}.")
    return nr2 if n < nr or (waste(nr2) < waste(nr) and waste(nr) > 0.01) else nr


def dispatch_table(core: str | None = None, isa: str | None = None) -> str:
    """The rules as text; those that fit a core are marked, the first of each instruction set decides.

    >>> print(dispatch_table("cortex-a55", "aarch32"))
    aarch32
      * any core with dotprod                    4x8c4     neondot_ld64                 XNNPACK 2026
        cortex-a53, cortex-a57                   4x8       neon_mlal_lane_cortex_a53    XNNPACK 2026
        cortex-a72                               2x8c2s4   neon_mlal_padal              XNNPACK 2026
      * any core with neonv8                     4x8       neonv8_mlal_lane             XNNPACK 2026
      * any core                                 4x8       neon_mlal_lane               XNNPACK 2026
    """
    lines: list[str] = []
    for name in ("aarch64", "aarch32") if isa is None else (isa,):
        lines.append(name)
        for rule in (r for r in RULES if r.isa == name):
            mark = "*" if core is not None and rule.fits(name, core) else " "
            lines.append(f"  {mark} {rule.where:<40} {rule.tile:<9} {rule.technique:<28} {rule.source}")
    return "\n".join(lines)
