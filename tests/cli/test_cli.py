"""The command line, as a user types it."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neonsim
from neonsim import cli
from neonsim.cli import main, network_options
from neonsim.cli.words import WORDS, Parser
from neonsim.nn.backends.emulated import ENGINES
from neonsim.nn.formats import ARITHMETICS, SUFFIXES
from neonsim.nn.graph import MODELS
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.select.strategy import POLICIES

ADD = """// twice
twice:
        ld1     {v0.4s}, [x0]
        add     v0.4s, v0.4s, v0.4s
        st1     {v0.4s}, [x1]
        ret
"""


@pytest.fixture
def add(tmp_path: Path) -> str:
    path = tmp_path / "add.s"
    path.write_text(ADD)
    return str(path)


def out(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(list(words)) == status
    shown = capsys.readouterr()
    return shown.out if status == 0 else shown.err


def test_every_command_is_found_in_its_room(capsys: pytest.CaptureFixture[str]) -> None:
    # Only the room of the command that is asked for is imported: a command that its room does not add would be lost.
    for word in WORDS:
        with pytest.raises(SystemExit) as left:
            main([word, "--help"])
        assert left.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: neonsim {word}")
    added = Parser().add_subparsers()
    for room in {word.module for word in WORDS.values()}:
        importlib.import_module(f"neonsim.cli.{room}").add_commands(added)
    assert set(added.choices) == set(WORDS)


@pytest.mark.parametrize(("words", "status"), [("--version", 0), ("--help", 0), ("", 2), ("nosuch", 2), ("--no", 2)])
def test_words_alone_load_no_command(words: str, status: int) -> None:
    """Help, version, wrong usage: neither numpy nor a command is imported."""
    script = (f"import sys\nsys.argv[1:] = {words.split()}\nfrom neonsim.__main__ import main\ntry:\n    main()\n"
              "finally:\n    print(*sorted(n for n in sys.modules if n.partition('.')[0] in ('neonsim', 'numpy')))")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert done.stdout.splitlines()[-1].split() == ["neonsim", "neonsim.__main__", "neonsim.cli", "neonsim.cli.words",
                                                    "neonsim.common", "neonsim.common.terminal", "neonsim.errors"]


# Packages that a program of two lines, a list, and the stepper have no use for.
_NETWORKS = {"nn"}
_KERNELS = {"quant", "ukernel", "verify.checking"}
_NO_NUMPY = "; assert 'numpy' not in sys.modules"


@pytest.mark.parametrize(("script", "left", "most"), [
    ("main(['isa', 'smlal'])" + _NO_NUMPY,
     {"arm.asm", "arm.machine", "arm.timing", "render"} | _NETWORKS | _KERNELS, 94),
    ("main(['run', TINY, '3']); assert not {'tqdm', 'multiprocessing'} & set(sys.modules)",
     _NETWORKS | _KERNELS | {"arm.timing", "arm.machine.engines.compiled", "learn.course", "studies"}, 227),
    ("main(['trace', TINY, '3']); main(['step', TINY, '3', '--json'])",
     _NETWORKS | _KERNELS | {"learn.course", "studies"}, 259),
    ("main(['time', TINY, '--core', 'a53'])", _NETWORKS | _KERNELS | {"bench.board", "render"}, 246),
    ("main(['cores'])" + _NO_NUMPY, _NETWORKS | _KERNELS | {"arm.asm", "arm.machine", "bench.board", "render"}, 103),
    ("main(['kernels'])" + _NO_NUMPY, _NETWORKS | {"arm.isa", "arm.machine", "arm.timing", "bench.board", "render",
                                                  "verify.checking", "ukernel.header", "ukernel.contract"}, 31),
    ("import neonsim; neonsim.Stepper", _NETWORKS | _KERNELS | {"arm.timing", "learn.course", "verify.proving"}, 216),
    ("import neonsim; neonsim.load_ipython_extension" + _NO_NUMPY, {"arm", "render"}, 10),
    ("import neonsim.learn.notebook" + _NO_NUMPY, {"arm", "render"}, 8),
], ids=["isa", "run", "trace, step", "time", "cores", "kernels", "Stepper", "load_ext", "ui"])
def test_what_is_not_needed_is_not_loaded(script: str, left: set[str], most: int, tmp_path: Path) -> None:
    """`most`: modules of neonsim, of some 700."""
    tiny = tmp_path / "tiny.s"
    tiny.write_text("//! isa: aarch64\nf: subs x0, x0, #1\n b.ne f\n ret\n")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nfrom neonsim.cli import main\nTINY = {str(tiny)!r}\n{script}\nprint()\n"
         "print(*(name for name in sys.modules if name.startswith('neonsim.')))"],
        capture_output=True, text=True, check=True)
    modules = done.stdout.splitlines()[-1].split()
    assert not [name for name in modules if any(f"{name}.".startswith(f"neonsim.{one}.") for one in left)]
    assert len(modules) <= most


def test_words_of_networks_are_those_of_the_package() -> None:
    """`neonsim run` reads them from a table, so that a program loads no network."""
    assert tuple(MODELS) == network_options.NETWORKS
    assert POLICIES == network_options.STRATEGIES
    assert tuple(ARITHMETICS) == network_options.ARITHMETICS
    assert network_options.SUFFIXES == SUFFIXES
    assert network_options.ENGINES == ENGINES
    assert network_options.DTYPES["float32"] == F32


def test_a_command_is_told_its_own_mistakes_behind_an_option_of_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--nosuch", "run", "--isa", "mips"])
    assert "argument --isa: invalid choice: 'mips'" in capsys.readouterr().err


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"neonsim {neonsim.__version__}\n"


def test_names_nobody_knows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "Do you mean mobilenet_v" in out(capsys, "run", "mobilenet_v9", status=2)
    assert "`neonsim kernels`" in out(capsys, "run", "nosuch", status=2)
    missing = tmp_path / "folder" / "x.html"
    text = out(capsys, "trace", "qu8_sumrows_4x__aarch64_neon", "--html", str(missing), status=2)
    assert text == (f"neonsim: {missing} cannot be written, because there is no folder {missing.parent}. Create it "
                    "first, or name another.\n")


@pytest.mark.parametrize("command", ["run", "trace", "time", "check", "step"])
def test_files_that_are_none(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
                             monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, folders, empty, no text: one sentence each, whatever the suffix says."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    more = ["--isa", "aarch64"]
    if command == "check":
        more += ["--contract", "qu8_gemm_q31", "--tile", "4x8"]
    for suffix in (".s", ".o", ".c"):
        missing, folder, empty, odd = (tmp_path / f"{name}{suffix}" for name in ("missing", "folder", "empty", "odd"))
        folder.mkdir()
        empty.write_bytes(b"")
        odd.write_bytes(b"\xff\xfe\0f\0")
        for path, words in ((missing, "there is no file"), (folder, "is a folder"),
                            (empty, "no instruction|no ELF file|no C compiler"),
                            (odd, "NUL byte|no ELF file|stray|error: |no C compiler")):
            text = out(capsys, command, str(path), *more, status=2)
            assert re.search(words, text), text
            assert text.startswith("neonsim: ") and "Traceback" not in text
    assert "is a folder" in out(capsys, "run", str(tmp_path), status=2)


def test_other_files_that_are_none(capsys: pytest.CaptureFixture[str], add: str, tmp_path: Path) -> None:
    assert "there is no file" in out(capsys, "course", "check", "dot-product", str(tmp_path / "x.S"), status=2)
    assert "is a folder. Name a file" in out(capsys, "course", "check", "dot-product", str(tmp_path), status=2)
    (tmp_path / "odd.json").write_bytes(b"\xff")
    text = out(capsys, "course", "grade", str(tmp_path / "odd.json"), status=2)
    assert "is not a file of results: byte 0 is not UTF-8. Exercise.export" in text
    for name, words in ((str(tmp_path / "no"), "there is no file"), (str(tmp_path), "is a folder"),
                        ("/dev/zero", "is a pipe or a device")):
        text = out(capsys, "run", add, "--isa", "aarch64", f"@{name}", status=2)
        assert text.startswith(f"neonsim: '@{name}': ") and words in text
    with pytest.raises(neonsim.BadArgument, match="there is no file"):
        neonsim.check(tmp_path / "missing.c")


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8 there")
def test_a_name_that_is_not_utf8(add: str, tmp_path: Path) -> None:
    page = os.fsencode(tmp_path) + b"/n\xff.html"
    done = subprocess.run([sys.executable, "-m", "neonsim", "trace", add, "--isa", "aarch64", "u32:1,2,3,4", "c=out:16",
                           "--html", page], env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"}, capture_output=True,
                          check=False)
    assert (done.returncode, done.stderr) == (0, b"") and b"n\\udcff.html" in done.stdout and os.path.exists(page)


def test_run(capsys: pytest.CaptureFixture[str], add: str) -> None:
    text = out(capsys, "run", add, "--isa", "aarch64", "u32:1,2,3,4", "c=out:16")
    assert "after 4 steps (counted)" in text
    assert "c        u32 [4], as used\n  2 4 6 8\n" in text


def test_run_json(capsys: pytest.CaptureFixture[str], add: str) -> None:
    answer = json.loads(out(capsys, "run", add, "u32:1,2,3,4", "c=out:16", "--isa", "aarch64", "--json"))
    assert answer["buffers"]["c"] == [2, 4, 6, 8]
    assert answer["steps"] == 4


def test_include_folders_and_definitions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc/n.h").write_text("#define ADD(r) add r, r, N\n")
    file = tmp_path / "f.S"
    file.write_text("#include <n.h>\nADD(x0)\nret\n")
    assert main(["run", str(file), "--isa", "aarch64", "3"]) == 2
    assert "-I folder" in capsys.readouterr().err
    assert main(["run", str(file), "--isa", "aarch64", "-I", str(tmp_path / "inc"), "-DN=4", "3"]) == 0
    assert "returned 7" in capsys.readouterr().out


def test_an_object_file(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[1] / "arm/asm/objects/aarch64.o"
    assert "returned 21" in out(capsys, "run", str(path), "--entry", "apply", "1", "7")


def test_negative_numbers_are_arguments(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "sum_aarch32.s"
    path.write_text("sum: add r0, r0, r1\n bx lr\n")
    assert json.loads(out(capsys, "run", str(path), "--json", "-3", "5"))["returned"] == 2


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """It, and those of all commands below."""
    below = [one for action in parser._actions if isinstance(action, argparse._SubParsersAction)
             for one in action.choices.values()]
    return [parser, *(found for one in below for found in _parsers(one))]


@pytest.mark.parametrize(("words", "option", "value"), [
    ("prove overflow A --weights -128..127", "weights", "-128..127"),
    ("prove requant A --limits -5..9 --zero-point -3", "limits", "-5..9"),
    ("quantize A --calibrate B --pixels -1e-3 1", "pixels", [-1e-3, 1.0])])
def test_values_may_begin_with_a_minus(words: str, option: str, value: object) -> None:
    given = cli.parser([words.split()[0]]).parse_args(words.split())
    assert getattr(given, option) == value


def test_every_command_takes_such_values() -> None:
    assert {type(one) for one in _parsers(cli.parser())} == {Parser}


def test_trace(capsys: pytest.CaptureFixture[str], add: str, tmp_path: Path) -> None:
    text = out(capsys, "trace", add, "--isa", "aarch64", "u32:1,2,3,4", "c=out:16")
    assert "add v0.4s, v0.4s, v0.4s" in text and "v0 = u32 8 6 4 2" in text
    rows = json.loads(out(capsys, "trace", add, "--isa", "aarch64", "u32:1,2,3,4", "c=out:16", "--json",
                          "--first", "2", "--count", "1"))["steps"]
    assert [(r["step"], r["writes"]["v0"]) for r in rows] == [(2, "00000008000000060000000400000002")]
    page = tmp_path / "steps.html"
    out(capsys, "trace", add, "--isa", "aarch64", "u32:1,2,3,4", "c=out:16", "--html", str(page))
    assert page.read_text().lstrip().lower().startswith("<!doctype html>")


def test_time(capsys: pytest.CaptureFixture[str]) -> None:
    name = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
    text = out(capsys, "time", name, "--core", "cortex-a53,cortex-a72")
    assert "cortex-a53" in text and "modelled" in text and "counted" in text
    answers = json.loads(out(capsys, "time", name, "--core", "cortex-a53", "--json"))
    # A 128-bit multiply a cycle is all this core does: 160 NEON instructions are the bound.
    assert answers[0]["counted"]["neon"] == 160 * 100
    assert answers[0]["modeled"]["cycles_per_iteration"] >= 160


@pytest.mark.nightly
def test_isa(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Multiply long and accumulate" in out(capsys, "isa", "smlal")
    assert "VMLAL.<dt>" in out(capsys, "isa", "vmlal")
    assert "instructions" in out(capsys, "isa").splitlines()[-1]
    assert "Traps" in out(capsys, "isa", "page", "simd/multiply")
    assert "index inside the table" in out(capsys, "isa", "page", "table")
    assert json.loads(out(capsys, "isa", "vext", "--json"))[0]["name"] == "ext"


@pytest.mark.nightly
def test_coverage(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "isa", "coverage")
    row = next(line for line in text.splitlines() if line.startswith("multiply "))
    assert row.split()[1] == row.split()[3] and row.split().count("of") == 4
    row = next(line for line in text.splitlines() if line.startswith("half-precision arithmetic"))
    assert row.count("not yet") == 0
    row = next(line for line in text.splitlines() if line.startswith("extensions after"))
    assert "not yet" in row
    assert "Thumb" in text
    one = out(capsys, "isa", "coverage", "bfloat16", "--isa", "aarch64")
    assert one.index("BFCVTN ") < one.index("BFDOT") and "not yet" not in one
    answer = json.loads(out(capsys, "isa", "coverage", "--json"))["families"]["multiply"]["aarch32"]
    assert answer["forms"] == answer["of_forms"]
    assert main(["isa", "coverage", "nothing"]) == 2
    assert "unknown family" in capsys.readouterr().err


def test_kernels_and_cores(capsys: pytest.CaptureFixture[str]) -> None:
    names = [k["name"] for k in json.loads(out(capsys, "kernels", "--json"))]
    assert len(names) >= 4
    for name in names[::24]:
        assert name in out(capsys, "kernels", "explain", name)
        assert "//!" in out(capsys, "kernels", name)
    assert set(json.loads(out(capsys, "cores", "--json"))) >= {"cortex-a53", "cortex-a72"}
    assert "sources" in out(capsys, "cores", "cortex-a72")


@pytest.mark.parametrize(("words", "needles"), [
    (["run", "nowhere.s"], ["no file nowhere.s"]),
    (["run", "qu8_gemm_q31_8x8"], ["qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"]),
    (["isa", "smlla"], ["did you mean", "smlal"]),
    (["isa", "page", "muls"], ["unknown family", "simd/multiply"]),
    (["isa", "page", "multiply"], ["simd/multiply and base/multiply"]),
    (["cores", "cortex-a54"], ["cortex-a53"]),
    (["time", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "--core", "a54"], ["cortex-a53"]),
], ids=lambda v: "-".join(v)[:40])
def test_refusals_say_what_to_do(capsys: pytest.CaptureFixture[str], words: list[str], needles: list[str]) -> None:
    text = out(capsys, *words, status=2)
    assert text.startswith("neonsim: ") and "Traceback" not in text
    assert all(n in text for n in needles), text


def test_lanes_that_wrapped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "f.s"
    file.write_text("ldr d0, [x0]\nadd v0.8b, v0.8b, v0.8b\nstr d0, [x1]\nret")
    words = [str(file), "--isa", "aarch64", "u8:200,100,0,0,0,0,0,0", "out:8", "--report", "wraps"]
    for command in ("run", "trace"):
        said = out(capsys, command, *words)
        assert ("line 2, add v0.8b, v0.8b, v0.8b: wrapped as u8 in 1 of 1 steps, first in step 2, lane 0: 144 for 400\n"
                in said)
        assert [row["type"] for row in json.loads(out(capsys, command, *words, "--json"))["wraps"]] == ["u8", "s8"]
        assert "wrapped" not in out(capsys, command, *words[:-2])


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_scalars_with_a_type(capsys: pytest.CaptureFixture[str], tmp_path: Path, isa: str) -> None:
    text = ("fadd s0, s0, s1; str s0, [x1]; ldr w5, [x2]; str w5, [x1, #4]; str w0, [x1, #8]; ret"
            if isa == "aarch64" else
            "vadd.f32 s0, s0, s1; vstr s0, [r1]; ldr r3, [r2]; str r3, [r1, #4]; str r0, [r1, #8]; bx lr")
    file = tmp_path / "f.s"
    file.write_text(text)
    words = ["f32:1.5", "u32:8", "o=out:u32*3", "a+4", "f32:2", "a=u32:5,6,7"]
    said = json.loads(out(capsys, "run", str(file), "--isa", isa, *words, "--json"))
    assert said["buffers"]["o"] == [0x40600000, 6, 8]
    assert "a Python float is a double" in out(capsys, "run", str(file), "--isa", isa, "1.5", *words[1:], status=1)
    assert "no buffer 'b'" in out(capsys, "run", str(file), "--isa", isa, *words[:3], "b+4", status=2)
    if isa == "aarch64":  # the upper half of a register that holds 32 bits is junk
        file.write_text("str x0, [x1]; ret")
        assert "uninitialized" in out(capsys, "run", str(file), "--isa", isa, "u32:8", "out:u64*1", status=1)
        out(capsys, "run", str(file), "--isa", isa, "u64:8", "out:u64*1")


@pytest.mark.parametrize("word", ["u8:1,300", "f8:1", "u8*x", "out:", "u8*99999999999", "@/no/such/file", "u8:"])
def test_bad_call_arguments(capsys: pytest.CaptureFixture[str], add: str, word: str) -> None:
    text = out(capsys, "run", add, "--isa", "aarch64", word, "c=out:16", status=2)
    assert text.startswith("neonsim: ") and text.count("\n") == 1


def test_a_file_that_does_not_say_its_isa(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "clear.s").write_text("umov w0, v1.s[0]\nret")
    (tmp_path / "unclear.s").write_text("nop")
    assert "returned" in out(capsys, "run", str(tmp_path / "clear.s"), "--no-sanitize")
    assert "--isa" in out(capsys, "run", str(tmp_path / "unclear.s"), status=2)


def test_wrong_usage_exits_with_2() -> None:
    with pytest.raises(SystemExit) as stop:
        main(["run", "x.s", "--nonsense"])
    assert stop.value.code == 2


@pytest.mark.parametrize("name", ["demo", "run", "trace", "time", "isa", "kernels", "cores"])
def test_help_has_an_example(capsys: pytest.CaptureFixture[str], name: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"neonsim {name}" in capsys.readouterr().out.partition("examples:")[2]


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(f"{sys.executable} -m neonsim isa | head -1", shell=True, capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr and "Broken" not in done.stderr


@pytest.mark.slow
def test_demo(capsys: pytest.CaptureFixture[str]) -> None:
    """The main job: every kernel gives the reference's bytes."""
    answer = json.loads(out(capsys, "demo", "--json"))
    assert (answer["m"], answer["k"], answer["n"]) == (196, 512, 512)
    emulated = [r for r in answer["rows"] if r["backend"] == "emulated"]
    assert len(emulated) >= 3 and all(r["equal"] for r in answer["rows"])
    assert all(t["modeled_cycles"].keys() == {"cortex-a53", "cortex-a72"} for t in answer["tiles"])


def test_emit_c(add: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """C with the assembly beside it, also of a program with data; of several entries one is chosen."""
    assert main(["run", add, "--isa", "aarch64", "--emit-c", "program"]) == 0
    assert "add v0.4s, v0.4s, v0.4s" in capsys.readouterr().out
    path = tmp_path / "table.s"
    path.write_text(".global f, g\nf: adrp x1, t\n add x1, x1, :lo12:t\n ldr q0, [x1]\n ret\ng: ret\n.data\n"
                    "t: .quad 1, 2\n")
    assert main(["run", str(path), "--isa", "aarch64", "--entry", "f", "--emit-c", "program"]) == 0
    assert "adrp x1, t" in capsys.readouterr().out
    assert main(["run", str(path), "--isa", "aarch64", "--emit-c", "program"]) == 2
    assert "--entry f" in capsys.readouterr().err
