"""What a core says of itself: the values that MRS reads of its identification registers.

    ns.Machine(identity=ns.identity("cortex-a53"))

Which core it is, the lines of its caches and the block of DC ZVA stand in its file ([identity]); what it has follows
from its features. Of the fields that programs cannot see (Linux and QEMU hide them) all are 0.

Source: DDI 0487 D19.2, ID_AA64ISAR0_EL1 and its neighbours; judged by qemu-aarch64 -cpu.
"""

from __future__ import annotations

from .loader import load_core
from .model import Core

__all__ = ["identity"]

# (feature, lowest bit, value); a later row of one field overwrites an earlier one.
_ISAR0 = (("aes", 4, 2), ("sha1", 8, 1), ("sha2", 12, 1), ("sha512", 12, 2), ("crc32", 16, 1), ("lse", 20, 2),
          ("rdm", 28, 1), ("sha3", 32, 1), ("sm3", 36, 1), ("sm4", 40, 1), ("dotprod", 44, 1),
          ("flagm", 52, 1), ("flagm2", 52, 2))
# DC CVAP came with half-precision arithmetic (Armv8.2-A), LDAPR on the cores with dot products,
# LDAPUR on those of Armv8.4-A, which brought CFINV.
_ISAR1 = (("fp16", 0, 1), ("dotprod", 20, 1), ("flagm", 20, 2), ("frint", 32, 1), ("bf16", 44, 1), ("i8mm", 52, 1))
_PFR0 = (("neon", 0, 0x11), ("fp16", 16, 1), ("fp16", 20, 1))


def identity(core: str | Core) -> dict[str, int]:
    """Return the identification registers of a core by name: "midr_el1" and so on, integers of 64 bits.

    A fictional core has no MIDR_EL1: it is left out, as a machine without a core has it. A core
    without AArch64 has none of these registers.
    Raises TimingError for a core that there is not.
    """
    model = load_core(core) if isinstance(core, str) else core
    if "aarch64" not in model.isas:
        return {}
    found = {"id_aa64isar0_el1": _fields(model, _ISAR0), "id_aa64isar1_el1": _fields(model, _ISAR1),
             "id_aa64pfr0_el1": _fields(model, _PFR0)}
    for key, register in (("midr", "midr_el1"), ("ctr", "ctr_el0"), ("dczid", "dczid_el0")):
        if key in model.identity:
            found[register] = model.identity[key]
    return found


def _fields(model: Core, rows: tuple[tuple[str, int, int], ...]) -> int:
    values = {at: value for feature, at, value in rows if feature in model.features}
    return sum(value << at for at, value in values.items())
