"""Options that C needs which uses more than every processor has, found in the compiler's messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["missing_options"]

# How GCC and Clang name what their headers do not declare, or declare for other processors only.
_SAID: Final = re.compile(
    r"(?:always_inline'?(?: function)?|implicit declaration of function|undeclared (?:function|identifier)|"
    r"unknown type name) '(\w+)'|'(\w+)' undeclared|error: .*\b__ARM_FEATURE_(\w+)|instruction requires: (\w+)")
# Names of functions, of types and of ACLE's macros behind __ARM_FEATURE_; the extension; the first architecture
# that can have it (compilers take all of Armv8.2-A, which is later than most).
_FEATURES: Final = tuple((re.compile(names, re.IGNORECASE), word, architecture) for names, word, architecture in (
    (r"v(us|su)dotq?_\w+|vu?s?mmla\w+|MATMUL_INT8", "i8mm", 2),
    (r"vdotq?_\w+|DOTPROD", "dotprod", 2),
    (r"vfml[as]l\w+|FP16_FML", "fp16fml", 2),
    (r"vbf\w+|bfloat16\w*|v\w+_bf16\w*|BF16\w*", "bf16", 2),
    (r"float16\w*|v\w+_f16\w*|__fp16|(full)?FP16\w*", "fp16", 2),
    (r"vaes\w+|vsha1\w+|vsha256\w+|vmull_(high_)?p64|poly(64|128)\w*|CRYPTO|AES|SHA2", "crypto", 2),
    (r"vsha512\w+|veor3\w+|vrax1\w+|vxar\w+|vbcax\w+|SHA3|SHA512", "sha3", 2),
    (r"vsm[34]\w+|SM[34]", "sm4", 2),
    (r"__crc32\w+|CRC32", "crc", 2),
    (r"vqrdml[as]h\w+|QRDMX|vfm[as]q?_\w+|vrndq?\w?_\w+|v(max|min)nm\w+|vcvt[anpm]\w+|FMA|DIRECTED_ROUNDING|"
     r"NUMERIC_MAXMIN", "", 2),
    (r"vcadd\w+|vcmla\w+|__jcvt|COMPLEX|JCVT", "", 3),
    (r"vrnd(32|64)\w+|__rint(32|64)\w+|FRINT", "", 5)))
_AARCH64: Final = ("sha3", "sm4")    # as what begins with Armv8.5-A, these are there in AArch64 only
_ARCHITECTURE: Final = re.compile(r"-march=armv8(?:\.(\d))?-a((?:\+\w+)*)")


def missing_options(messages: str, isa: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options that make available what a compiler's messages miss; () if none would.

    They take the place of a -march and a -mfpu among those given, whose extensions they keep.

    >>> missing_options("error: inlining failed in call to 'always_inline' 'vdotq_s32': target ...", "aarch64", ["-O2"])
    ('-march=armv8.2-a+dotprod',)
    """
    names = [next(filter(None, found.groups())) for found in _SAID.finditer(messages)]
    needed = [(extension, architecture) for name in names for pattern, extension, architecture in _FEATURES
              if pattern.fullmatch(name) and (isa == "aarch64" or (extension not in _AARCH64 and architecture < 5))]
    given = next((word for word in reversed(options) if word.startswith(("-march", "-mcpu"))), "")
    said = _ARCHITECTURE.fullmatch(given)
    if not needed or (given and said is None):      # another kind of -march: what it may be joined with is not known
        return ()
    before = said[2].split("+")[1:] if said else []
    version = max([int(said[1] or 0) if said else 0, *(architecture for _, architecture in needed)])
    extensions = dict.fromkeys([*before, *(extension for extension, _ in needed if extension)])
    march = "+".join([f"-march=armv8.{version}-a", *extensions])
    unit = () if isa == "aarch64" else ("-mfpu=crypto-neon-fp-armv8" if "crypto" in extensions else
                                        "-mfpu=neon-fp-armv8",)
    found = (march, *unit)
    return () if set(found) <= set(options) else found
