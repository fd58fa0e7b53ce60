"""The program for boards: built by cross compilers and run under QEMU for what it does, not for its times; and its
statistics and refusals with a clock that is simulated (`simulated.c`), built for this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from neonsim.bench.board import read_measurement, some_probes, write_program
from neonsim.bench.board.kernel_probes import calls_of
from neonsim.bench.board.memory_probes import SIZES, STREAMS
from neonsim.bench.board.probes import probes
from neonsim.errors import BadArgument

HERE = Path(__file__).parent
COMPILER = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
CROSS = {"aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64"), "aarch32": ("arm-linux-gnueabihf-gcc", "qemu-arm")}
STRICT = ["-O1", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wconversion", "-std=gnu11"]


def test_the_folder_is_whole(tmp_path: Path) -> None:
    """Every file that one names is there; nothing leads out of it."""
    write_program(tmp_path / "board", some_probes(words=["smlal"]))
    found = {str(path.relative_to(tmp_path / "board")) for path in (tmp_path / "board").rglob("*") if path.is_file()}
    makefile = (tmp_path / "board" / "Makefile").read_text()
    (objects,) = [line for line in makefile.splitlines() if line.startswith("OBJECTS")]
    for word in objects.split()[2:]:
        assert {word.replace(".o", ".c"), word.replace(".o", ".S")} & found, word
    for name in found:
        for line in (tmp_path / "board" / name).read_text().splitlines():
            if line.startswith('#include "'):
                assert line.split('"')[1] in found, (name, line)


def test_nothing_to_measure(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="nothing to measure"):
        write_program(tmp_path / "board", (), kernels=False, memory=False)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadArgument, match="a file has this name"):
        write_program(tmp_path / "file", some_probes(words=["smlal"]))


# ---- a simulated clock -----------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if COMPILER is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("simulated")
    write_program(folder, some_probes(words=["smlal"]), kernels=False)
    subprocess.run([COMPILER, *STRICT, f"-I{folder}", str(folder / "measure.c"), str(HERE / "simulated.c"),
                    "-o", str(folder / "measure")], check=True)
    return folder / "measure"


def run(program: Path, *words: str, **told: str) -> tuple[int, str, Path]:
    out = program.parent / "out.json"
    out.unlink(missing_ok=True)
    done = subprocess.run([str(program), "-o", str(out), *words], capture_output=True, text=True, check=False,
                          env={**os.environ, **told}, timeout=60)
    return done.returncode, done.stderr, out


def test_a_quiet_board(program: Path) -> None:
    """The file says what the machine took; text of the machine cannot break it."""
    status, said, out = run(program, "--repeats", "7")
    assert (status, said) == (0, "")
    found = read_measurement(out)
    assert found.refusals() == () and found.midr == 0x410FD034 and found.mhz == pytest.approx(1000)
    assert {name: row.median for name, row in found.rows.items()} == pytest.approx(
        {"latency add.8h": 96, "latency smlal.4s": 128, "a kernel 64": 128}, rel=1e-3)
    assert all(len(row.samples) == 7 for row in found.rows.values())
    assert "\x1b" not in out.read_text()


def test_time_is_calibrated_by_additions(program: Path) -> None:
    """A clock of 24 ticks a microsecond gives the same cycles."""
    _, said, out = run(program, TICKS="0.024")
    assert said == ""
    assert read_measurement(out).rows["latency add.8h"].median == pytest.approx(96, rel=0.02)


@pytest.mark.parametrize(("words", "told", "sentence", "ours"), [
    ([], {"NOISE": "0.6"}, "The noise is too large: 3 of 3 rows", "The noise is too large"),
    ([], {"DRIFT": "0.2"}, "The frequency changed", "The frequency changed"),
    (["--repeats", "40"], {"MOVES": "0.9"}, "The thread was moved between processors", "moved between processors"),
    (["--repeats", "3"], {}, "Too few repetitions: a row has 3 samples", "Too few repetitions"),
    (["--sample", "1"], {"TICKS": "0.01"}, "is too coarse", "is too coarse"),
    ([], {"EMULATED": "1"}, "This is an emulator", "under an emulator"),
    (["--emulated"], {}, "This is an emulator", "under an emulator"),
])
def test_refused_here_and_there(program: Path, words: list[str], told: dict[str, str], sentence: str, ours: str
                                ) -> None:
    """The program says why, with status 1; Python says the same of the samples."""
    status, said, out = run(program, *words, **told)
    assert status == 1 and sentence in said and "not accepted as a measurement" in said
    assert any(ours in refusal for refusal in read_measurement(out).refusals())


def test_no_counter(program: Path) -> None:
    status, said, out = run(program, COUNTER="0")
    assert (status, said) == (1, "No counter: this machine has none.\n") and not out.exists()


def test_wrong_bytes_are_not_measured(program: Path) -> None:
    status, said, out = run(program, WRONG="1")
    assert status == 1 and "a kernel 64: other bytes than its definition gives" in said
    assert "a kernel 64" not in read_measurement(out).rows


@pytest.mark.parametrize("words", [["--repeats", "0"], ["--repeats", "x"], ["--repeats", "100000"], ["--sample", "0"],
                                   ["--what"], ["-o"], ["--sample", "nan"]])
def test_wrong_usage(program: Path, words: list[str]) -> None:
    done = subprocess.run([str(program), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("usage: ")


def test_a_processor_that_is_not_there(program: Path) -> None:
    status, said, _ = run(program, "--cpu", "9")
    assert status == 2 and "cannot be kept on processor 9" in said


def test_a_file_that_cannot_be_written(program: Path) -> None:
    done = subprocess.run([str(program), "-o", "/no/where.json"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "/no/where.json cannot be written" in done.stderr


# ---- Arm, under QEMU: what it does, no measurement -------------------------------------------------------------------

@pytest.mark.nightly
@pytest.mark.parametrize("isa", CROSS)
def test_under_qemu(isa: str, tmp_path: Path) -> None:
    """Every row runs, kernels give the bytes of their definition, and nobody takes it for a measurement."""
    compiler, qemu = CROSS[isa]
    absent = [tool for tool in (compiler, qemu, "make") if shutil.which(tool) is None]
    if absent:
        pytest.skip(f"needs {' and '.join(absent)}: run `make system-packages`")
    tests = probes(isa)
    write_program(tmp_path, tests, isa=isa)
    built = subprocess.run(["make", "-C", str(tmp_path), f"CC={compiler}", "CFLAGS=-O2 -Wall -Wextra -Werror",
                            "LDFLAGS=-static"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    done = subprocess.run([qemu, str(tmp_path / "measure"), "--quick", "-o", str(tmp_path / "out.json")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "This is an emulator" in done.stderr and "other bytes" not in done.stderr
    found = read_measurement(tmp_path / "out.json")
    wanted = {probe.name for probe in tests} | set(calls_of(isa)) | {f"load {size}" for size in SIZES} | set(STREAMS)
    assert set(found.rows) == wanted
    assert found.kind == "emulated" and any("emulator" in sentence for sentence in found.refusals())


@pytest.mark.nightly
@pytest.mark.parametrize("compiler", ["aarch64-linux-gnu-gcc", "clang --target=aarch64-linux-gnu"])
def test_plain_and_with_clang(compiler: str, tmp_path: Path) -> None:
    """PLAIN=1 leaves out what old assemblers do not know; clang's assembler takes the text too."""
    if shutil.which(compiler.split()[0]) is None:
        pytest.skip(f"needs {compiler.split()[0]}")
    write_program(tmp_path, probes())
    objects = ["probes.o", *(f"kernels/{path.stem}.o" for path in (tmp_path / "kernels").glob("*.S"))]
    for plain in ("", "1"):
        done = subprocess.run(["make", "-B", "-C", str(tmp_path), f"CC={compiler}", f"PLAIN={plain}", *objects],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
