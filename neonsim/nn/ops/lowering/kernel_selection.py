"""Which kernel of a contract runs on which core: rules in order, and the reason in words.

    rule    where                                     rows by columns, technique          from
    ...     instruction set, cores or a feature       what the kernel's name must hold

What holds for every core with a feature stands here; what a library does on one core stands in the core's file
([[kernel]], `neonsim.arm.timing.cores.model`). Products of more bytes an instruction come first, then a core's own rule
before the general one. The first rule that fits the core decides. Where the catalogue has no kernel of that name the
next rule
is asked, and the reason says which were passed over; after the last rule the kernels that the core can run stand in the
order of the backend. A core without a name gets what runs everywhere (plain NEON). A core that is not modelled may have
one that stands for it ([proxy]).

On a chip with big and little cores the kernels of both must share tile and packing, because weights are packed once:
`migration_classes` gives what each core may switch to (X36).

Source: (R02, X10, X18, X36, X37, X38, X39, X40, X41, X43, K14); which core has which feature: the cores' files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from neonsim.arm.timing import Core, chosen_as, load_cores
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Implementation

__all__ = ["GENERAL", "Selection", "SelectionRule", "choose", "dispatch_table", "dual_issue_depth", "features_of",
           "migration_classes", "narrower", "rules"]


class SelectionRule(NamedTuple):
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

    def fits(self, isa: str, core: Core | None) -> bool:
        """Is it for this core?"""
        if isa != self.isa or (self.cores and (core is None or core.name not in self.cores)):
            return False
        return not self.feature or (core is not None and self.feature in core.features)

    @property
    def cores_text(self) -> str:
        """Which cores, in words."""
        named = ", ".join(self.cores) or "any core"
        return f"{named} with {self.feature}" if self.feature else named


GENERAL: tuple[SelectionRule, ...] = (
    SelectionRule("aarch64", (), "i8mm", "4x16c8", "neoni8mm", "XNNPACK 2026"),
    SelectionRule("aarch64", (), "dotprod", "4x16c4", "neondot_ld64", "XNNPACK 2021"),
    SelectionRule("aarch64", (), "", "2x8c8", "neon_mlal_padal", "XNNPACK 2021"),
    SelectionRule("aarch64", (), "", "4x16", "neon_mlal_lane", "XNNPACK 2021"),
    SelectionRule("aarch32", (), "dotprod", "4x8c4", "neondot_ld64", "XNNPACK 2026"),
    SelectionRule("aarch32", (), "neonv8", "4x8", "neonv8_mlal_lane", "XNNPACK 2026"),
    SelectionRule("aarch32", (), "", "4x8", "neon_mlal_lane", "XNNPACK 2026"),
)
_PRODUCTS = ("i8mm", "dotprod")     # more products an instruction than by lane or in pairs, most first


def rules(core: Core | None = None) -> tuple[SelectionRule, ...]:
    """All rules in their order, those of the cores' files among them; of cores that agree there is one.

    core   one more whose file counts: a core of the reader's own
    """
    own: dict[tuple[str, str, str, str, str], list[str]] = {}
    listed = load_cores()
    for one in listed if core is None or core.name in {c.name for c in listed} else [*listed, core]:
        for c in one.choices:
            own.setdefault((c.isa, c.feature, c.tile, c.technique, c.source.replace("-", " ")), []).append(one.name)
    found = [SelectionRule(isa, tuple(names), feature, tile, technique, source)
             for (isa, feature, tile, technique, source), names in own.items()]

    def place(rule: SelectionRule) -> tuple[bool, int]:
        return rule.isa == "aarch32", _PRODUCTS.index(rule.feature) if rule.feature in _PRODUCTS else len(_PRODUCTS)

    return tuple(sorted([*found, *GENERAL], key=place))


class Selection(NamedTuple):
    """What the table says: the kernel, and why."""

    kernel: Implementation
    reason: str


def _known(core: str | None) -> Core | None:
    return None if core is None else chosen_as(core)


def features_of(core: str | None) -> frozenset[str]:
    """What a core has for instructions beyond its instruction set; Advanced SIMD for a core without a name.

    Raises UnknownCore for a core that is neither modelled nor stood for by one that is.

    >>> sorted(features_of("cortex-a72")), sorted(features_of(None))
    (['aes', 'crc32', 'neon', 'neonv8', 'sha1', 'sha2'], ['neon'])
    """
    known = _known(core)
    return frozenset({"neon"}) if known is None else known.features


def dual_issue_depth(core: str | None) -> int | None:
    """From which depth on the kernel of raw bytes pays for its row sums on a core; None: never (K14).

    >>> dual_issue_depth("cortex-a72"), dual_issue_depth("cortex-a53")
    (64, None)
    """
    known = _known(core)
    return None if known is None else known.dual_issue


def _words(kernel: str) -> tuple[str, str]:
    """(tile, technique) of a kernel's name."""
    left, _, right = kernel.partition("__")
    return left.rpartition("_")[2], right.partition("_")[2]


def _feature(kernel: Implementation) -> str:
    return "neon" if kernel.kernel is None else kernel.kernel.feature


def _runs(kernel: Implementation, isa: str, core: Core | None) -> bool:
    if core is None:
        return kernel.isa == isa and _feature(kernel) == "neon"
    return kernel.isa == isa and not core.missing(isa, [_feature(kernel)])


def choose(implementations: Sequence[Implementation], isa: str, core: str | None, *,
           rows: int | None = None) -> Selection:
    """The kernel for a core out of those of one contract.

    implementations  the backend's, in its order
    rows    of the whole product, if known: 1 asks for a kernel of one row first (X41)

    Raises BackendError if none of them runs on the core.
    """
    known = _known(core)
    name = core or "a core without a name"
    if known is not None and known.name != core and core in known.proxies:
        name = f"{core}, for which {known.name} stands"
    runs = [k for k in implementations if _runs(k, isa, known)]
    if not runs:
        other = next((k for k in implementations if k.isa == isa), None)
        if known is None and other is not None:
            return Selection(other, f"needs {_feature(other)}: no kernel of plain NEON keeps this contract")
        if known is not None and isa not in known.isas:
            raise BackendError(known.lacks(isa, name="what is asked for"))
        raise BackendError(f"none of {', '.join(k.name for k in implementations) or 'no kernels'} runs on {name} "
                           f"({isa}).")
    if rows == 1:
        single = next((k for k in runs if k.mr == 1), None)
        if single is not None:
            return Selection(single, f"one row: a kernel of one row wastes nothing, on {name}")
    if len(runs) == 1:
        return Selection(runs[0], f"the only one that runs on {name}")
    passed: list[str] = []
    for rule in rules(known):
        if not rule.fits(isa, known):
            continue
        for kernel in runs:
            if _words(kernel.name) == (rule.tile, rule.technique):
                missing = f"; the catalogue has no {', '.join(passed)}" if passed else ""
                return Selection(kernel,
                                 f"{rule.cores_text}: {rule.tile} {rule.technique} (as {rule.source}), for {name}"
                                        f"{missing}")
        passed.append(f"{rule.tile} {rule.technique}")
    return Selection(runs[0], f"the first that runs on {name}; the catalogue has none of the table's: "
                             f"{', '.join(passed)}")


def migration_classes(implementations: Sequence[Implementation], isa: str, on: Sequence[str]) -> dict[str, Selection]:
    """For every core of a chip the kernel its tiles run on, all with one packing: what a scheduler may mix freely.

    on   cores, the one that decides first; weights are packed for its kernel

    The kernel of another core replaces the first one's only where it shares mr, nr, kr and sr (X36).
    """
    if not on:
        raise BadArgument("a chip has at least one core.")
    # What every core can run: a thread may be moved at any time, and the packing cannot be changed then.
    common = frozenset.intersection(*(features_of(core) for core in on))
    usable = [k for k in implementations if _feature(k) in common]
    first = choose(usable, isa, on[0])
    shape = (first.kernel.mr, first.kernel.nr, first.kernel.kr, first.kernel.sr)
    chosen = {on[0]: first}
    for core in on[1:]:
        alike = [k for k in usable if (k.mr, k.nr, k.kr, k.sr) == shape]
        own = choose(alike, isa, core).kernel
        chosen[core] = Selection(own, "shares tile and packing" + ("" if own != first.kernel else
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
    known = _known(core)
    for name in ("aarch64", "aarch32") if isa is None else (isa,):
        lines.append(name)
        for rule in (r for r in rules(known) if r.isa == name):
            mark = "*" if known is not None and name in known.isas and rule.fits(name, known) else " "
            lines.append(f"  {mark} {rule.cores_text:<40} {rule.tile:<9} {rule.technique:<28} {rule.source}")
    return "\n".join(lines)
