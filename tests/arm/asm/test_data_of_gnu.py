"""Every data directive over its whole range has the bytes of GNU as; what has not is refused by name."""

from __future__ import annotations

import math
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.asm.parse.data_values import float_bytes
from neonsim.errors import AssemblyError

AS = {"aarch64": "aarch64-linux-gnu-as", "aarch32": "arm-linux-gnueabihf-as"}
WIDTHS = {".byte": 1, ".hword": 2, ".short": 2, ".2byte": 2, ".word": 4, ".long": 4, ".int": 4, ".4byte": 4, ".quad": 8,
          ".8byte": 8, ".octa": 16, ".dc": 2, ".dc.b": 1, ".dc.w": 2, ".dc.l": 4}
NUMBERS = sorted({sign * (1 << bits) + near for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128)
                  for near in (-1, 0, 1) for sign in (1, -1)})
EXPRESSIONS = ["1+1", "~0", "'a'", "'a", r"'\n'", "0b101", "017", "1==1", "-(1)", "!0", "3-5", "1<<2+1", "7&5|8",
               "-7/2"]
REALS = ["1", "1.5", "-1.5", "0.1", "1e4", "1.e2", ".5", "-.5", "+1.5", "-0.0", "1,2,3", "0f1.5", "0d1.5", "0e1.5",
         "0r2.5", "0f-2.5", "nan", "-nan", "NaN", "snan", "-snan", "qnan", "inf", "-inf", "Inf", "infinity", "0f-inf",
         "1.0000000596046448", "1.000000059604644", "0.33333333333333333333333333333333333333", "65504", "6.1e-5"]
WIDER = ["1e10", "1e-10", "3.4028234e38", "1e38", "1.17549435e-38", "1e-40", "1.5e-45"]
OTHERS = [
    ".fill 2, 8, -1", ".fill 2, 4, -1", ".fill 2, 2, -1", ".fill 1, 8, 0x55667788", ".fill 1, 5, -1", ".fill 1, 8, -2",
    ".fill 1, 7, 0x44556677", ".fill 1, 0, 5", ".fill 3", ".fill 3, 2", ".fill 0, 4, 1", ".fill 2, 8, 0xffffffff",
    ".zero 4", ".zero 0", ".space 4, 255", ".skip 4, -1", ".space 2 + 2", ".skip 3, 0x1ff",
    ".uleb128 0, 127, 128, 255, 300, 0xffffffffffffffff",
    ".sleb128 0, 63, 64, -64, -65, 127, -128, -9223372036854775808",
    r'.ascii "a"', r'.ascii "a", "b"', r'.ascii "a" "b"', r'.asciz "a" "b", "c"', r'.string "\n\t\r\b\f\\\"\v\q"',
    r'.ascii "\101\0\7\8\1234"', r'.ascii "\x41\x4142\xg"', '.string ""', r""".ascii "\'" """, r'.string8 "ab"',
    r'.string16 "ab", "c"', r'.string32 "a\n"', r'.string64 "z"',
    ".balign 8", ".balign 8, 1", ".balign 8, 0x1ff", ".balign 8, , 3", ".balign 4, 1, 1", ".p2align 3", ".p2align 3, 5",
    ".p2align 3, , 2", ".align 3", ".align 2, 7", ".even\n.balignw 8, 0x1234", ".balign 4\n.balignl 8, 0x12345678",
    ".even\n.p2alignw 3, 0x1234", ".balign 4\n.p2alignl 3, 0x12345678",
    ".ds 3", ".ds.b 3, 1", ".ds.w 3, 1", ".ds.l 3, -1", ".ds.s 1", ".ds.d 2, 1", ".ds.p 2", ".ds.x 1",
    ".dcb 3, 1", ".dcb.b 3, -1", ".dcb.w 3, 300", ".dcb.l 2, 70000", ".dcb.s 2, 1.5", ".dcb.d 2, -0.1", ".dc.a 1, 2",
    ".dc.s 1.5", ".dc.d 0.1", ".org . + 3", ".org . + 3, 5",
]


def fits(number: int, width: int) -> bool:
    return -(1 << 8 * width - 1) <= number < 1 << 8 * width


def lines() -> list[str]:
    found = [f"{word} {form}" for word, width in WIDTHS.items() for number in NUMBERS if fits(number, width)
             for form in (str(number), hex(number))]
    found += [f"{word} {text}" for word, width in WIDTHS.items() if width < 16 for text in EXPRESSIONS]
    found += [f"{word} {text}" for word in (".float", ".single", ".double", ".float16") for text in REALS]
    found += [f"{word} {text}" for word in (".float", ".double") for text in WIDER]
    return [*found, *OTHERS]


def of_gnu(isa: str, text: str, folder: Path) -> bytes:
    if shutil.which(AS[isa]) is None:
        pytest.skip(f"needs {AS[isa]}: make system-packages")
    (folder / "a.s").write_text(text)
    subprocess.run([AS[isa], "a.s", "-o", "a.o"], cwd=folder, check=True)
    subprocess.run([AS[isa].replace("-as", "-objcopy"), "-O", "binary", "-j", ".data", "a.o", "a.bin"], cwd=folder,
                   check=True)
    return (folder / "a.bin").read_bytes()


@pytest.mark.parametrize("isa", AS)
def test_all(isa: str, tmp_path: Path) -> None:
    text = ".data\n" + "".join(f"{line}\n.byte 0xee\n" for line in lines())
    theirs, (ours,) = of_gnu(isa, text, tmp_path), assemble(text, isa).data
    if ours.contents != theirs:
        for line in lines():     # which it is
            text = f".data\n.byte 0xee\n{line}\n"
            assert assemble(text, isa).data[0].contents == of_gnu(isa, text, tmp_path), line
    assert ours.contents == theirs


@pytest.mark.parametrize("isa", AS)
def test_reals_by_chance(isa: str, tmp_path: Path) -> None:
    """Decimals of usual sizes: beyond, GNU as 2.40 computes with too few digits at times."""
    rng = random.Random(3)
    digits = [f"{rng.choice(('', '-'))}{rng.random() * 9 + 1:.{rng.randrange(1, 16)}f}e{rng.randrange(-6, 7)}"
              for _ in range(400)]
    text = ".data\n" + "".join(f".float {number}\n" for number in digits)
    assert assemble(text, isa).data[0].contents == of_gnu(isa, text, tmp_path)


def test_reals_are_rounded_once() -> None:
    """Beside Python's, whose doubles are right, and on halves of the last place of a float."""
    rng = random.Random(4)
    for _ in range(2000):
        bits = rng.getrandbits(64)
        (number,) = struct.unpack("<d", bits.to_bytes(8, "little"))
        if math.isfinite(number):
            assert float_bytes(repr(number), 8) == struct.pack("<d", number)
    assert float_bytes("16777217", 4) == struct.pack("<f", 16777216)           # a half: to the even one
    assert float_bytes("16777217.0000000000001", 4) == struct.pack("<f", 16777218)
    assert float_bytes("7e-46", 4) == bytes(4) and float_bytes("7.1e-46", 4) == b"\1\0\0\0"


@pytest.mark.parametrize(("line", "words"), [
    (".float 1e39", "fits here"), (".float 1e999999", "fits here"), (".float 1_0", "fits here"),
    (".float 1.5x", "fits here"),
    (".float16 65520", "fits here"), (".float " + "1" * 2000, "fits here"), (".float 0f:3f80", "fits here"),
    (".octa ~0", "loses its sign in 128"), (".octa 1 << 63", "loses its sign"),
    (".ds.x 4, -1", "that .fill repeats"),
    (".byte 256", "does not fit 1 byte"), (".fill 1, 9, 1", "1 to 8 bytes"), (".ascii <65>", "in quotes"),
    (".byte 1\n.balignw 8, 0x1234", "7 bytes are missing, which is not a multiple of 2"),
    (".byte 1\n.org 0", "cannot go back to 0"), (".org f", "label of this section"), (".org", "is `.org 64`"),
    (".dcb.s 1", r"is `\.dcb\.s 4, 1\.5`"),
])
def test_refused(line: str, words: str) -> None:
    with pytest.raises(AssemblyError, match=words):
        assemble(f"f: ret\n.data\n{line}", "aarch64")
