"""What the preprocessor knows before the first line: the macros of GCC for these targets, as far as assembly asks.

The targets are Linux on ARMv8-A (aarch64) and on ARMv7-A with NEON and hard floating point in Arm state (aarch32). For
a Mach-O branch: define={"__APPLE__": 1, "__MACH__": 1, "__ELF__": None, "__linux__": None}.

Source: `gcc -dM -E -x assembler-with-cpp` of aarch64-linux-gnu and arm-linux-gnueabihf (-mfpu=neon -marm), version 12.
"""

from __future__ import annotations

from typing import Final

__all__ = ["PREDEFINED"]

_COMMON = """
    __ASSEMBLER__ 1, __ELF__ 1, __linux__ 1, __linux 1, __gnu_linux__ 1, __unix__ 1, __unix 1, __CHAR_BIT__ 8,
    __BYTE_ORDER__ 1234, __ORDER_LITTLE_ENDIAN__ 1234, __ORDER_BIG_ENDIAN__ 4321, __GNUC__ 12, __ARM_NEON 1,
    __ARM_ARCH_PROFILE 65, __ARM_FEATURE_UNALIGNED 1, __ARM_FEATURE_CLZ 1
"""
_AARCH64 = """
    __aarch64__ 1, __AARCH64EL__ 1, __ARM_ARCH 8, __ARM_ARCH_8A 1, __ARM_ARCH_ISA_A64 1, __ARM_64BIT_STATE 1,
    __LP64__ 1, _LP64 1, __SIZEOF_POINTER__ 8, __ARM_FP 14, __ARM_FEATURE_FMA 1, __ARM_FEATURE_NUMERIC_MAXMIN 1,
    __ARM_PCS_AAPCS64 1
"""
_AARCH32 = """
    __arm__ 1, __ARMEL__ 1, __ARM_ARCH 7, __ARM_ARCH_7A__ 1, __ARM_ARCH_ISA_ARM 1, __ARM_32BIT_STATE 1, __ARM_EABI__ 1,
    __SIZEOF_POINTER__ 4, __ARM_FP 12, __ARM_NEON__ 1, __ARM_NEON_FP 4, __ARM_PCS_VFP 1, __VFP_FP__ 1,
    __ARM_FEATURE_DSP 1, __ARM_FEATURE_SIMD32 1
"""


def _table(*texts: str) -> dict[str, str]:
    rows = (pair.split() for text in texts for pair in text.split(","))
    return {row[0]: row[1] for row in rows}


PREDEFINED: Final[dict[str, dict[str, str]]] = {
    "aarch64": _table(_COMMON, _AARCH64),
    "aarch32": _table(_COMMON, _AARCH32),
}
