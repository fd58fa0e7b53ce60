"""QEMU as the judge: GNU as gives the words of a list of lines, a guest program runs each word on many states.

    words = assemble("aarch64", ["add v0.4s, v1.4s, v2.4s", "nonsense"])      # [0x4ea28420, None]
    with Qemu("aarch64", folder) as qemu:
        after = qemu.run(words[0], states)                                     # states: zeros(n, qemu.dtype), filled
        qemu.keep(pool)
        qemu.ask_changes(words[0], 0, 1024)
        changed = qemu.changes(1024)                                           # {("v", 0): uint8 [1024, 16]}

Needs (Debian names): qemu-user, gcc-aarch64-linux-gnu, gcc-arm-linux-gnueabihf with their binutils and libc.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from states import ADDRESS, CHUNK, WINDOW

SIGSEGV: Final = 11

PREFIX: Final = {"aarch64": "aarch64-linux-gnu-", "aarch32": "arm-linux-gnueabihf-"}
_AS: Final = {"aarch64": ["-march=armv8.6-a+fp16+fp16fml+crypto+sha3+sm4"],
              "aarch32": ["-march=armv8.6-a+fp16+i8mm+simd", "-mfpu=crypto-neon-fp-armv8"]}
_GCC: Final = {"aarch64": ["-O2", "-static"], "aarch32": ["-O2", "-static", "-marm", "-mfpu=neon"]}
QEMU: Final = {"aarch64": "qemu-aarch64", "aarch32": "qemu-arm"}
# Pointer authentication does nothing on the cores that are simulated here: its hints are NOPs.
CPU: Final = {"aarch64": "max,pauth=off", "aarch32": "max"}
RESERVED: Final = {"aarch64": (27, 28), "aarch32": (10, 11)}  # general registers that the guest needs itself
FELL_THROUGH: Final = {"aarch64": 27, "aarch32": 11}  # ... of which this one counts the instruction behind

DTYPE: Final = {
    "aarch64": np.dtype([("v", "u1", (32, 16)), ("x", "<u8", 31), ("sp", "<u8"), ("nzcv", "<u8"), ("fpsr", "<u8"),
                         ("own_sp", "<u8"), ("fault", "<u8"), ("window", "<u8"), ("mem", "u1", WINDOW)]),
    "aarch32": np.dtype([("v", "u1", (16, 16)), ("x", "<u4", 16), ("nzcv", "<u4"), ("fpsr", "<u4"),
                         ("own_sp", "<u4"), ("fault", "<u4"), ("window", "<u4"), ("mem", "u1", WINDOW)]),
}  # fmt: skip


def missing(isa: str) -> str | None:
    """What has to be installed before this oracle can speak; None if nothing."""
    for tool in (PREFIX[isa] + "gcc", PREFIX[isa] + "as", QEMU[isa]):
        if shutil.which(tool) is None:
            return f"{tool} is not installed (Debian: qemu-user gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf)"
    return None


def assemble(isa: str, lines: list[str]) -> list[int | None]:
    """The word of each line by GNU as, None where it refuses the line. One instruction per line."""
    words: list[int | None] = [None] * len(lines)
    with tempfile.TemporaryDirectory() as folder:
        good = list(range(len(lines)))
        # Some complaints come only when all earlier ones are gone.
        while refused := _attempt(isa, {i: lines[i] for i in good}, folder):
            good = [i for i in good if i not in refused]
        subprocess.run([PREFIX[isa] + "objcopy", "-O", "binary", "-j", ".text", f"{folder}/a.o", f"{folder}/a.bin"],
                       check=True)
        code = Path(folder, "a.bin").read_bytes() if good else b""
    assert len(code) == 4 * len(good), "GNU as made more or less than one word of some line"
    for index, word in zip(good, struct.unpack(f"<{len(good)}I", code), strict=True):
        words[index] = word
    return words


def assembled(isa: str, source: Path, into: Path) -> None:
    """An object file made of a whole source text by GNU as."""
    subprocess.run([PREFIX[isa] + "as", *_AS[isa], str(source), "-o", str(into)], check=True)


def text_bytes(isa: str, source: str) -> bytes:
    """The code bytes GNU as makes of a whole source text."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.s").write_text(source)
        assembled(isa, Path(folder, "a.s"), Path(folder, "a.o"))
        subprocess.run([PREFIX[isa] + "objcopy", "-O", "binary", "-j", ".text", f"{folder}/a.o", f"{folder}/a.bin"],
                       check=True)
        return Path(folder, "a.bin").read_bytes()


def _attempt(isa: str, lines: dict[int, str], folder: str) -> set[int]:
    """Assemble; the numbers of lines that were refused."""
    lines = {number: word_of(line) if isa == "aarch32" else line for number, line in lines.items()}
    keys = list(lines)
    head = ".syntax unified" if isa == "aarch32" else ".text"
    Path(folder, "a.s").write_text("\n".join([head, *lines.values()]) + "\n")
    done = subprocess.run([PREFIX[isa] + "as", *_AS[isa], f"{folder}/a.s", "-o", f"{folder}/a.o"],
                          capture_output=True, text=True, check=False)
    refused = {keys[int(n) - 2] for n in re.findall(r"a\.s:(\d+): Error", done.stderr)}
    # "unpredictable" is a warning to GNU as; nothing of that kind is ours to simulate.
    refused |= {keys[int(n) - 2] for n in re.findall(r"a\.s:(\d+): Warning", done.stderr) if int(n) - 2 < len(keys)}
    assert refused or done.returncode == 0, done.stderr
    return refused


def word_of(line: str) -> str:
    """The line; as a word if it is VCVT between half precision and fixed point of 16 bits, which GNU as 2.40 has not
    (LLVM has). DDI 0487 F6.1 VCVT (between floating-point and fixed-point, floating-point), A1."""
    found = re.fullmatch(r"vcvt\.(?:f16\.([su])16|([su])16\.f16) s(\d+), s\3, #(\d+)", line)
    if found is None or int(found[4]) > 16:
        return line
    number, below = int(found[3]), 16 - int(found[4])
    kind = (4 if found[2] else 0) | ((found[1] or found[2]) == "u")
    word = 0xEEBA0940 | kind << 16 | (number & 1) << 22 | number >> 1 << 12 | (below & 1) << 5 | below >> 1
    return f".inst {word:#x}"


Changes = dict[tuple[str, int], NDArray[Any]]


class Qemu:
    """One guest process, its memory from states.ADDRESS on; `slot` is the address of the tested instruction."""

    def __init__(self, isa: str, folder: Path) -> None:
        self.isa, self.dtype = isa, DTYPE[isa]
        guest = folder / f"harness.{isa}"
        if not guest.exists():
            source = Path(__file__).with_name("harness.c")
            subprocess.run([PREFIX[isa] + "gcc", *_GCC[isa], str(source), "-o", str(guest)], check=True)
        self._process = subprocess.Popen([QEMU[isa], "-cpu", CPU[isa], str(guest), hex(ADDRESS), str(CHUNK * WINDOW)],
                                         stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)
        [self.slot] = struct.unpack("<Q", self._read(8))

    def __enter__(self) -> Qemu:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def _read(self, nbytes: int) -> bytes:
        assert self._process.stdout
        data = self._process.stdout.read(nbytes)
        assert len(data) == nbytes, "the guest died"
        return data

    def _ask(self, kind: int, word: int, first: int, count: int, data: bytes = b"") -> None:
        assert self._process.stdin
        self._process.stdin.write(struct.pack("<4I", kind, word, first, count) + data)
        self._process.stdin.flush()

    def run(self, word: int, states: NDArray[np.void]) -> NDArray[np.void]:
        """The states after the word, each run on its own."""
        assert states.dtype == self.dtype
        parts = []
        for start in range(0, len(states), CHUNK):
            part = states[start:start + CHUNK]
            self._ask(0, word, 0, len(part), part.tobytes())
            parts.append(np.frombuffer(self._read(part.nbytes), self.dtype))
        return np.concatenate(parts)

    def keep(self, pool: NDArray[np.void]) -> None:
        """The states that `changes` runs on."""
        assert pool.dtype == self.dtype
        self._ask(1, 0, 0, len(pool), pool.tobytes())

    def ask_changes(self, word: int, first: int, count: int) -> None:
        """Begin what `changes` ends: QEMU works while we do."""
        self._ask(2, word, first, count)

    def changes(self, count: int) -> Changes:
        """What the word did to `count` states of the pool, all places that changed in any of them.

        (field, index) -> the values afterwards, [count, bytes] for ("v", 3), [count] for ("x", 5), ("sp", 0) and flags;
        ("mem", 16) -> [count, bytes] from byte 16 of each window.
        """
        v, x, others, low, high = struct.unpack("<5I", self._read(20))
        found: Changes = {}
        for number in _bits(v):
            found["v", number] = self._array(np.dtype("u1"), count, 16)
        word = self.dtype["x"].base
        for number in _bits(x):
            found["x", number] = self._array(word, count)
        for bit in _bits(others):
            found[("sp", "nzcv", "fpsr", "fault")[bit], 0] = self._array(word, count)
        if low < high:
            found["mem", low] = self._array(np.dtype("u1"), count, high - low)
        return found

    def _array(self, dtype: np.dtype[Any], *shape: int) -> NDArray[Any]:
        return np.frombuffer(self._read(dtype.itemsize * int(np.prod(shape))), dtype).reshape(shape)


def _bits(mask: int) -> list[int]:
    return [i for i in range(32) if mask >> i & 1]
