"""Whatever word LLVM knows: the text it makes of random words is taken, or refused for a reason that stands here.

That enumerates the instruction sets independently of our tables: encodings are drawn from the spaces of Advanced SIMD,
floating point and their loads; of AArch64 one word in five from all there is.

NEONSIM_WORDS   words of a full run, of each instruction set (400 000)
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Final

import pytest

import neonsim as ns
from neonsim.arm.semantics import CONDITIONS
from neonsim.errors import NeonsimError

COUNT: Final = int(os.environ.get("NEONSIM_WORDS", "400000"))
FEATURES: Final = "+v8.6a,+fullfp16,+fp16fml,+aes,+sha2,+bf16,+i8mm"
TRIPLES: Final = {"aarch64": ("aarch64", FEATURES + ",+sha3,+sm4"),
                  "aarch32": ("armv8-a", FEATURES + ",+neon,+fp-armv8")}
# (bits that are free, bits that are set): where in the encoding space words are drawn.
SPACES: Final = {
    "aarch64": [(0xF1FFFFFF, 0x0E000000)] * 6 + [(0xF1FFFFFF, 0x0C000000)] * 2 + [(0xFFFFFFFF, 0)] * 2,
    "aarch32": [(0x01FFFFFF, 0xF2000000)] * 4 + [(0x00FFFFFF, 0xF4000000)] * 2 + [(0xF0FFF0FF, 0x0E000000)]
    + [(0x00FFF0FF, 0xEE000000)] * 2 + [(0x00FFF0FF, 0xFE000000)] + [(0x01FFF0FF, 0xEC000000)]
    + [(0x01FFF0FF, 0xFC000000)]}
COPROCESSORS: Final = (8, 9, 10, 11, 12, 13)   # bits 8 to 11 of floating point and Advanced SIMD under 0xC and 0xE
# What is refused: the text, the sentence, why.
REFUSED: Final = {
    "aarch64": [
        (r"(b(l|\.\w\w)?|cbn?z|tbn?z|adrp?) .*#-?\d+$", "label is expected", "distances as numbers have no label"),
        (r"(ldr|ldrsw|prfm) .*#-?\d+$", "address in square brackets", "distances as numbers have no label"),
        (r"st(l?)x(r|p)[bh]? ", "receives the status, so it cannot be", "unpredictable"),
        (r"ld(a?)xp ", "must be different", "unpredictable"),
        (r"\S+ .*", "is a system instruction", "an operating system's"),
        (r"(mrs|msr) ", "is a system instruction", "an operating system's"),
        (r"(ldra[ab]|xpac|b?r?l?ra|pac|aut|ret|eret)", "pointer authentication", "not here, said so"),
    ],
    "aarch32": [
        (r"v.*fpinst2|v.*mvfr", "is no register", "a list behind d31 is none"),
        (r"v(ld|st|tb)", r"cannot come after d(29|3\d)", "a list behind d31 is none"),
        (r"f(ld|st)m", "Only d0 to d15", "more than sixteen registers are unpredictable"),
        (r"vcvt(..)?\..*#-?\d+$", "is out of range", "fixed point of more bits than there are"),
        (r"v(swp|trn|uzp|zip|mov)", "must be different", "unpredictable"),
        (rf"v\w+({'|'.join(CONDITIONS)})\.(\w+\.)?f16|v\w+({'|'.join(CONDITIONS)})\.f16|vjcvt..\.",
         "takes no condition|no instruction|A lane such as", "half precision with a condition is unpredictable"),
        (r"v(mrs|msr)", "is a system instruction", "an operating system's"),
    ]}


def words(isa: str, seed: int, count: int) -> Iterator[int]:
    rng = random.Random(f"{isa} {seed}")
    for _ in range(count):
        free, set_ = rng.choice(SPACES[isa])
        word = rng.getrandbits(32) & free | set_
        yield word if free >> 8 & 15 else word & ~0xF00 | rng.choice(COPROCESSORS) << 8


def disassembled(isa: str, listed: list[int]) -> list[tuple[int, str]]:
    """The words that LLVM knows, with its text."""
    triple, features = TRIPLES[isa]
    done = subprocess.run(
        ["llvm-mc", "--disassemble", f"-triple={triple}", f"-mattr={features}", "-show-encoding"], check=False,
        input="\n".join(" ".join(map(hex, word.to_bytes(4, "little"))) for word in listed), capture_output=True,
        text=True, timeout=300)
    found = re.findall(r"^\s+(\S.*?)\s+(?:@|//) encoding: \[(.*?)\]$", done.stdout, re.MULTILINE)
    return [(int.from_bytes(bytes(int(byte, 16) for byte in encoding.split(",")), "little"), " ".join(text.split()))
            for text, encoding in found]


def why_not(isa: str, text: str) -> str | None:
    """What is said of a text that is not taken; None of one that is."""
    try:
        ns.assemble(text, isa=isa)
    except NeonsimError as refusal:
        return str(refusal).splitlines()[-1]
    return None


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_word_that_llvm_knows(isa: str, part: int) -> None:
    if shutil.which("llvm-mc") is None:
        pytest.skip("needs llvm-mc (make system-packages)")
    known = disassembled(isa, list(words(isa, part, COUNT // 4)))
    wrong, taken = [], set()
    for word, text in known:
        said = why_not(isa, text)
        if said is None:
            taken.add(text.split(" ")[0])
        elif not any(re.match(form, text) and re.search(sentence, said) for form, sentence, _ in REFUSED[isa]):
            wrong.append(f"{word:08x} {text}: {said}")
    print(f"{len(known):,} of {COUNT // 4:,} words are instructions; {len(taken)} mnemonics are taken")
    assert not wrong, f"{len(wrong)} of {len(known)} words are not taken:\n" + "\n".join(wrong[:40])
    assert len(taken) > 350 or COUNT < 400_000    # conditions of AArch32 make more of them
