"""What holds for every command: JSON and nothing else, a text beside it, paths looked at first, exit statuses."""

from __future__ import annotations

import argparse
import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from neonsim import cli
from neonsim.bench.board import simulated_board, some_probes
from neonsim.cli import main, options
from neonsim.cli.options import _File, _Folder
from neonsim.cli.words import WORDS
from neonsim.common.extras import install
from neonsim.nn.formats import write_tflite
from neonsim.nn.graph import Graph
from neonsim.nn.ops import Softmax
from neonsim.nn.ops.float32.operators import Float32Conv2d
from neonsim.quant import Scheme

SUMS = "qu8_sumrows_4x__aarch64_neon"
GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"
TEXT = "f: add x0, x0, #1\n ret\n"

# Of every command, with its words, what it answers in a moment. FILE, TEXT.s and FOLDER are made for the test.
QUICK = [
    "run TEXT.s 3", "models MODEL.tflite", "run MODEL.tflite --runs 1", "run MODEL.tflite --arithmetic tflite",
    "models MODEL.tflite --arithmetic ruy", "models MODEL.onnx --dimension batch=2", "models MODEL.onnx --batch 2",
    "run MODEL.onnx --runs 1 --external", "bench model MODEL.tflite --quick",
    "quantize REAL.tflite --calibrate INPUTS.npy --out FILE.tflite",
    "quantize REAL.tflite --flow ncnn-fused --per tensor --calibrate INPUTS.npy --out FILE.npz",
    f"trace {SUMS}", f"trace {SUMS} --html FILE --live", f"run {SUMS} --emit-c program",
    f"step {SUMS} --at 3", "check rules",
    f"prove kernels {GEMM} {GEMM} --shapes 1x8x9", f"prove overflow {GEMM} --shapes 1x8x9",
    f"sweep {GEMM} --measure cycles,proofs --core a53 --shape 1x8x1..9 --output-dir FOLDER --dry-run",
    f"sweep kernels/gemm/{GEMM}.S --contract qu8_gemm_q31 --tile 1x8 --core a53 --shape 1x8x1..9 --dry-run",
    "check limits", "check contracts", "check schema", "check catalogue", "course", "course add-two-vectors",
    "course hint add-two-vectors", "course notebook grey -o FILE",
    "course new mine -o FILE", "course check add-two-vectors TEXT.s",
    f"time {GEMM} --core a53,a72", "time TEXT.s 3 --calls 4", f"time {SUMS} --lines --ports --path", "study",
    "study anomaly",
    "study three-in-two --core a53,a72", "run digits --runs 1 --seed 3",
    "explain MODEL.tflite --at 0:2,3,1", "explain model MODEL.tflite --against xnnpack --seed 1",
    "explain model MODEL.tflite --against xnnpack --inputs 2",
    "explain operator conv2d --x 1x6x6x8 --w 8x3x3x8", "explain packing --n 8 --k 16 --kr 2",
    "explain packing --at 34", "explain indirection --rows", "explain indirection --at 3",
    f"kernels registers {GEMM}", f"kernels mix {GEMM}", "explain traffic --k 16 --block 8",
    "explain requant 0.0117 --value 12345", "explain requant --differ q31 rndnu 0.25", "explain requant --rates 0.5",
    "explain dispatch --core a55,a75", "explain dispatch --core a55", "explain task-split 196x512x512 --threads 3",
    f"kernels pressure {GEMM}", "explain cache-sets", "isa", "isa smlal",
    "isa page simd/multiply", "isa coverage", "isa coverage bfloat16", "kernels",
    "kernels sumrows --isa aarch32", f"kernels {SUMS}", f"kernels explain {SUMS}", "cores", "cores a53",
    "cores validate", "completion bash", "measure --core a75 --tests queue", "measure --tests smlal -o FOLDER",
    "measure --core a55 --simulate FILE --tests smlal --no-kernels --no-memory",
    "lab FOLDER --copy-only",
]
SLOW = [
    "quantize REAL.tflite --flow ncnn --method eq --calibrate INPUTS.npy",
    f"prove requant {GEMM} --multiplier 1527099520 --shift 6",
    "cores derive RESULT.json --based-on a53 --name my-a55 -o FILE",
    "prove requant qs8_gemm_fp32_4x16__aarch64_neon_mlal_lane --scale 0.5 --zero-point 3 --limits 0..127",
    "prove requant qu8_requantize_fp32_16x__aarch64_neon --native",
    "prove magic", "prove code FIRST.s SECOND.s --registers x0",
    "prove catalogue --contract qs8_vadd --output-dir FOLDER --page FILE",
    f"prove safe {GEMM} --timeout 60 --solver z3", f"prove safe {GEMM} --size kc --invariant x2>=0",
    f"prove kernels {GEMM} qu8_gemm_q31_1x1__aarch32_mla --shapes quick",
    f"sweep {GEMM} --core a53,a72 --shape 1x8x9 --output-dir FOLDER",
    f"sweep {GEMM} --core a53 --shape 1x8x8..24/8 --plot FOLDER",
    f"sweep {GEMM} --preset network-layers --network squeezenet --core a53 --output-dir FOLDER",
    f"sweep {SUMS} --measure bugs --bugs 2",
    f"check {SUMS} --quick", "isa pages FOLDER", "isa card FILE", "demo",
    "run mobilenet_v1 --size 64 --width 0.25 --runs 1 --profile",
    "run mobilenet_v1 --size 64 --width 0.25 --runs 1 --profile --threads 2", "study dual-issue",
    "study ladder", "study ladder --no-host", "study neon-rate", "study order",
    "study flows --core a72 --network squeezenet", "study ends-only", "study red-line", "study scales",
    "study tengine", "study three-in-two", "measure --core a55 --simulate FILE --tests smlal --no-kernels",
    "cores derive STREAMS.json --based-on a53 --name my-a55 -o FILE", "study schedules", "study shapes", "study digits",
    "study cliff --no-host", "study mnn --no-host", "study networks --core a53 --network squeezenet",
    "study families --core a55 --network squeezenet",
    "run mobilenet_v1 --size 64 --width 0.25 --backend emulated --core a72 --threads 2",
    "run MODEL.tflite --backend emulated,reference --engine interpreter",
    "run squeezenet --size 64 --dtype int8 --runs 1 --strategy mnn",
    "explain requant", "explain dispatch --core a55,a75 --simulate 64x64x64", "cores validate --instructions",
    "cores validate --loops",
    "cores validate --memory", "cores fit a55", "study phones --core a73",
    "cores validate a55 --plot FILE",
    "explain conv-lowerings --x 1x14x14x32 --w 32x3x3x32 --padding 1", "kernels mix", f"time {GEMM} --core all --slots",
    f"check catalogue kernels/gemm/{GEMM}.S", "bench timing --quick", "bench emulator --quick",
    "bench scaling --quick --only blank", "bench gemm --quick --only pw_196", "bench dwconv --quick --only dw",
    "bench network --quick --only mobilenet_v1 --isa-variant all",
    "bench model MODEL.tflite --quick --isa-variant all",
    "run mobilenet_v1 --size 64 --width 0.25 --dtype float32 --runs 1 --profile",
    "bench network --dtype float32 --quick --only squeezenet --strategy mnn",
    "bench gemm --dtype float32 --quick --only pw_49",
    "bench two-pass --quick --only squeezenet --layers",
]


@pytest.fixture
def words(tmp_path: Path, request: pytest.FixtureRequest) -> list[str]:
    (tmp_path / "TEXT.aarch64.s").write_text(TEXT)
    root = Path(__file__).parents[2]
    for name, text in (("FIRST.s", "add x0, x1, x2\n"), ("SECOND.s", "add x0, x2, x1\n")):
        (tmp_path / name).write_text(text)
    places = {"FIRST.s": str(tmp_path / "FIRST.s"), "SECOND.s": str(tmp_path / "SECOND.s"),
              "TEXT.s": str(tmp_path / "TEXT.aarch64.s"), "FILE": str(tmp_path / "made"),
              "FILE.tflite": str(tmp_path / "made.tflite"), "FILE.npz": str(tmp_path / "made.npz"),
              "FOLDER": str(tmp_path / "m"),
              "MODEL.tflite": str(tmp_path / "MODEL.tflite"), "MODEL.onnx": str(tmp_path / "MODEL.onnx"),
              "REAL.tflite": str(tmp_path / "REAL.tflite"), "INPUTS.npy": str(tmp_path / "INPUTS.npy"),
              "RESULT.json": str(tmp_path / "RESULT.json"), "STREAMS.json": str(tmp_path / "STREAMS.json")}
    # The boards of AArch64 have streams through memory among their rows, which take most of the time.
    for name, isa, word in (("RESULT.json", "aarch32", "vmlal"), ("STREAMS.json", "aarch64", "smlal")):
        if name in request.param:
            (tmp_path / name).write_text(json.dumps(simulated_board(
                "cortex-a55", isa=isa, tests=some_probes(isa, words=[word]), kernels=False)))
    if "completion" in request.param:
        pytest.importorskip("shtab", reason="needs packages: pip install 'neonsim[completion]'")
    if "cores fit" in request.param:
        pytest.importorskip("ortools", reason="needs packages: pip install 'neonsim[search]'")
    if "MODEL.onnx" in request.param:
        _write_onnx(places["MODEL.onnx"])
    if "REAL.tflite" in request.param:
        pytest.importorskip("tflite", reason="needs packages: pip install 'neonsim[models]'")
        real = Graph("real", (1, 4, 4, 2), dtype="float32")
        real.add_node("conv", Float32Conv2d(np.ones((3, 1, 1, 2)), low=0.0), "input")
        write_tflite(real, places["REAL.tflite"])
        np.save(places["INPUTS.npy"], np.random.default_rng(0).normal(size=(3, 4, 4, 2)))
    if "MODEL.tflite" in request.param:
        pytest.importorskip("tflite", reason="needs packages: pip install 'neonsim[models]'")
        graph = Graph("small", (1, 6, 6, 3), Scheme(0.05, 128))
        graph.add_node("shares", Softmax(graph.scheme("input")), "input")
        write_tflite(graph, places["MODEL.tflite"])
    return [places.get(word, str(root / word) if word.startswith("kernels/") else word)
            for word in request.param.split()]


def _write_onnx(path: str) -> None:
    onnx = pytest.importorskip("onnx", reason="needs packages: pip install 'neonsim[models]'")
    node, value = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["y"])], "small",
        [value("x", onnx.TensorProto.FLOAT, ["batch", 3, 4, 4])], [value("y", onnx.TensorProto.FLOAT, None)],
        [onnx.helper.make_tensor("s", onnx.TensorProto.FLOAT, [], [0.5]),
         onnx.helper.make_tensor("z", onnx.TensorProto.UINT8, [], [7])])
    Path(path).write_bytes(onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)]).SerializeToString())


def leaves(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()
           ) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Every command that does something, with the words that lead to it."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield path, parser
    for action in below:
        for name, sub in action.choices.items():
            yield from leaves(sub, (*path, name))


def written(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command with the sub-command that they are short for."""
    action = next((one for one in parser._actions if isinstance(one, argparse._SubParsersAction)), None)
    if action is None:
        return words
    if (not words or words[0] not in action.choices) and (short := getattr(parser, "shorthand", None)):
        words = (short(words) or "", *words)
    if not words or words[0] not in action.choices:
        return words
    return words[:1] + written(action.choices[words[0]], words[1:])


def test_every_command_is_tried_here() -> None:
    tried = [written(cli.parser(), tuple(line.split())) for line in QUICK + SLOW]
    # Of files that are not made here; of answers and of exercises: tests/cli/test_course.py, tests/learn/course.
    elsewhere = {("models",), *(("course", word) for word in ("score", "grade", "validate", "handout"))}
    for path, _ in leaves(cli.parser()):
        assert path in elsewhere or any(line[:len(path)] == path for line in tried), path


def test_every_command_takes_json_and_looks_at_its_paths() -> None:
    """--json, an example in --help, and every option that names a file to write made by `add_output`."""
    read = {"-I", "program", "file", "files", "answer", "--image", "--npy", "--labels"}
    for path, parser in leaves(cli.parser()):
        flags = {flag: action for action in parser._actions for flag in action.option_strings or [action.dest]}
        assert "--json" in flags, path
        assert f"neonsim {path[0]}" in (parser.description or "").partition("examples:")[2], path
        for flag, action in flags.items():
            if str(action.metavar).startswith(("FILE", "FOLDER")) and flag not in read:
                assert action.type in (_File, _Folder), (path, flag)


class Watched(argparse.Namespace):
    """Options that say where it matters, beside `answer`, whether JSON is asked for."""

    asking: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        if name == "json" and (who := sys._getframe(1).f_code.co_name) not in ("_main", "answer", "wrote"):
            self.asking.append(who)
        return super().__getattribute__(name)


def run_for_both(words: list[str], patch: pytest.MonkeyPatch) -> tuple[int, str | None]:
    """Run the command for JSON; its status, and the text that it would print.

    None: it does not say both in one `answer`, so that only another run can tell the text.
    """
    told: list[str] = []
    options_of, real = cli._options, options.answer

    def answer(text: object, value: Any, asked: argparse.Namespace) -> None:
        real(text, value, asked)
        with redirect_stdout(io.StringIO()) as page:
            real(text, value, argparse.Namespace(json=False))
        told.append(page.getvalue())

    cli.parser([words[0]])      # its modules are loaded
    with patch.context() as now:
        for name, module in list(sys.modules.items()):
            if name.startswith("neonsim.cli.") and getattr(module, "answer", None) is real:
                now.setattr(module, "answer", answer)
        now.setattr(cli, "_options", lambda given: Watched(**vars(options_of(given))))
        now.setattr(Watched, "asking", [])
        status = main([*words, "--json"])
        return status, told[0] if len(told) == 1 and not Watched.asking else None


@pytest.mark.parametrize("words", QUICK, indirect=True, ids=lambda line: line.replace(" ", "_")[:50])
def test_json_and_nothing_else_and_text(words: list[str], capsys: pytest.CaptureFixture[str],
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    """In one run, where a command makes its text and its JSON of one answer."""
    wanted = words[:2] == ["course", "check"]
    status, text = run_for_both(words, monkeypatch)
    shown = capsys.readouterr()
    assert status == wanted, shown.err
    assert shown.out and json.loads(shown.out) is not None
    if words[0] == "step":      # it reads commands
        return
    if text is None:
        if words[0] == "course" and "-o" in words:      # whose files are not written over: they may be a teacher's
            Path(words[-1]).unlink()
        assert main(words) == wanted
        text = capsys.readouterr().out
    assert text.strip()


@pytest.mark.parametrize("line", ["check limits", f"kernels pressure {GEMM}", "isa page simd/multiply"])
def test_one_run_tells_what_two_print(line: str, capsys: pytest.CaptureFixture[str],
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    """The text beside the JSON is what the command prints, byte for byte, whatever the terminal's width."""
    status, text = run_for_both(line.split(), monkeypatch)
    value = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "40")
    assert main(line.split()) == status == 0 and capsys.readouterr().out == text
    assert main([*line.split(), "--json"]) == 0 and capsys.readouterr().out == value


def test_commands_that_ask_whether_it_is_json_are_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_for_both(["isa", "smlal"], monkeypatch) == (0, None)
    assert run_for_both(["check", "limits"], monkeypatch)[1]


@pytest.mark.nightly
@pytest.mark.parametrize("words", SLOW, indirect=True, ids=lambda line: line.replace(" ", "_")[:50])
def test_of_the_slow_ones_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--json"]) == 0
    json.loads(capsys.readouterr().out)
    assert main(words) == 0
    assert capsys.readouterr().out.strip()


# ---- paths

@pytest.mark.parametrize("line", ["demo --html", "study ladder --svg", f"trace {SUMS} --save", "bench two-pass --svg",
                                  "run mobilenet_v1 --roofline", "explain cache-sets --html", "course notebook grey -o",
                                  f"time {GEMM} --konata", "isa pages", "isa card"])
def test_paths_come_first(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
                          monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be written is said before the command itself is called; nothing is left."""
    (tmp_path / "file").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    bad = {"no/x": "no folder", "link": "symbolic link", "folder": "is a folder", "file/x": "Not a directory"}
    if line == "isa pages":
        bad = {"file": "a file has this name", "file/x": "Not a directory"}
    options_of = cli._options

    def computes(_: argparse.Namespace) -> int:
        raise AssertionError(f"{line} has begun")

    monkeypatch.setattr(cli, "_options",
                        lambda given: argparse.Namespace(**{**vars(options_of(given)), "run": computes}))
    for name, said in bad.items():
        assert main([*line.split(), str(tmp_path / name)]) == 2
        error = capsys.readouterr().err
        assert said in error and error.startswith("neonsim: ") and error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "link"]
    assert (tmp_path / "file").read_text() == "kept"


def test_one_file_for_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = str(tmp_path / "x")
    assert main(["explain", "cache-sets", "--svg", both, "--html", both]) == 2
    assert "the output of two options" in capsys.readouterr().err and not list(tmp_path.iterdir())


# ---- exit statuses

@pytest.mark.parametrize(("line", "status"), [
    ("kernels", 0), ("run TEXT.s 3", 0),
    ("course check add-two-vectors TEXT.s", 1), ("run LOST.s", 1), ("run JUNK.s c=out:16", 1), ("run LOOP.s", 1),
    ("trace LOST.s", 1), ("time LOST.s 3", 1), ("check TEXT.s --contract u8_clamp --tile 16x", 1),
    ("run nowhere.s", 2), ("run BAD.s", 2), ("run TEXT.s nonsense", 2), ("trace BAD.s", 2), ("step TEXT.s --at 99", 2),
    ("trace TEXT.s 3 --live", 2), ("demo --live", 2), ("course check grey x --live", 2),
    ("run BAD.s --emit-c program", 2), ("time TEXT.s --core a54", 2), ("check nowhere.S", 2), ("check BAD.s", 2),
    ("study order --core x", 2),
    ("explain packing --tile 3", 2), ("isa smlla", 2), ("isa page x", 2),
    ("kernels zz zz", 2), ("kernels explain zz", 2), ("cores a54", 2), ("course nothing", 2),
    ("course check nothing x", 2), ("course grade nowhere.json", 2), ("bench gemm --threads x", 2),
    ("bench timing --layers", 2), ("bench network --dtype int16", 2),
    ("bench two-pass --dtype float32", 2), ("demo --nonsense", 2), ("nonsense", 2), ("study nonsense", 2),
    ("run digits --strategy best", 2), ("run digits --backend reference --strategy autotune", 2),
    ("run digits --size 28", 2), ("run digits --labels x", 2), ("run digits --image nowhere.png", 2),
    ("study digits --core a53", 2),
    ("completion csh", 2), ("run", 2), ("", 2), (f"trace {SUMS} --first 0", 2), (f"trace {SUMS} --count -1", 2),
    ("study shapes --core a53", 2), ("study anomaly --core a53", 2),
    ("run mobilenet_v1 --engine numpy", 2), ("run mobilenet_v1 --backend native --core a53", 2),
    ("run mobilenet_v1 --backend emulate", 2), ("run mobilenet_v1 --backend emulated --core a530", 2),
    ("study networks --network lenet", 2), ("study shapes --network squeezenet", 2),
    ("study order --columns 4", 2),
])
def test_exit_statuses(line: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 done, 1 something was found wrong, 2 wrong usage or bad input; one message, without a traceback."""
    for name, text in (("TEXT", TEXT), ("LOST", "f: add x0, x0, #1\n"), ("BAD", "f: ad x0, x0\n"),
                       ("JUNK", "f: str q9, [x0]\n ret\n"), ("LOOP", "f: b f\n")):
        (tmp_path / f"{name}.aarch64.s").write_text(text)
    words = [str(tmp_path / word.replace(".s", ".aarch64.s")) if word.isupper() or word[:-2].isupper() else word
             for word in line.split()]
    try:
        found = main(words)
    except SystemExit as stop:
        found = int(str(stop.code))
    shown = capsys.readouterr()
    assert found == status, shown.err
    assert "Traceback" not in shown.err
    if status == 2:
        assert "neonsim" in shown.err and not shown.out


def test_a_word_that_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in ((["kernls"], "unknown command 'kernls'. Did you mean kernels?"),
                        (["explain", "paking"], "unknown command 'paking'. Did you mean packing?"),
                        (["study", "oder"], "unknown command 'oder'. Did you mean order")):
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert stop.value.code == 2 and said in capsys.readouterr().err


@pytest.mark.nightly
@pytest.mark.parametrize("words", ["isa", "kernels --json", "check rules"])
def test_a_reader_that_stops_is_no_error(words: str) -> None:
    done = subprocess.run(f"{sys.executable} -m neonsim {words} | head -1; exit ${{PIPESTATUS[0]}}", shell=True,
                          executable="/bin/bash", capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr and done.stdout.count("\n") == 1


SAYS_WHEN_IT_RUNS = """
import signal, sys, threading, time
from neonsim.cli import main
from neonsim.arm.machine import Machine

def say(machine):
    while not machine.steps:
        time.sleep(0.01)
    print("it runs", flush=True)

def call(machine, *arguments, real=Machine.call, **more):
    threading.Thread(target=say, args=(machine,), daemon=True).start()
    return real(machine, *arguments, **more)

signal.signal(signal.SIGINT, signal.default_int_handler)    # a job in the background of a shell ignores it
Machine.call = call
sys.exit(main())
"""


@pytest.mark.nightly
def test_ctrl_c(tmp_path: Path) -> None:
    """130 and a word, no traceback, in the middle of a run."""
    loop = tmp_path / "f.aarch64.s"
    loop.write_text("f: add x1, x1, #1\n b f\n")
    running = subprocess.Popen([sys.executable, "-c", SAYS_WHEN_IT_RUNS, "run", str(loop), "--max-steps", "9" * 15,
                                "--no-sanitize"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "it runs\n"
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=300)[1] == "neonsim: interrupted\n" and running.returncode == 130


def test_ctrl_c_in_a_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("neonsim.cli.cores.cores", stop)
    assert main(["cores"]) == 130 and capsys.readouterr().err == "neonsim: interrupted\n"


# ---- a page that computes

def test_live_pages_hold_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--live, of a call, of one that does not return, of an exercise; what no page can compute is said, and where."""
    page, text = tmp_path / "page.html", tmp_path / "f.aarch64.s"
    for body, line, status in ((TEXT, "trace {} 3", 0),
                               ("f: add x0, x0, #1\n ldr x1, [x9]\n", "trace {} 3", 1),
                               (TEXT, "course check add-two-vectors {}", 1)):
        text.write_text(body)
        assert main([*line.format(text).split(), "--html", str(page), "--live"]) == status
        assert 'id="neonsim-program"' in page.read_text() and page.stat().st_size < 400_000
        page.unlink()
    text.write_text("f: fdiv d0, d0, d1\n ret\n")
    assert main(["trace", str(text), "--html", str(page), "--live"]) == 2
    assert "line 1: fdiv d0, d0, d1:" in capsys.readouterr().err and not page.exists()
    assert main(["trace", SUMS, "--html", str(page), "--live", "--compare", SUMS]) == 0
    assert all(f'id="neonsim-{part}"' in page.read_text() for part in ("program", "beside"))


# ---- a trace that does not show all

def test_a_trace_cut_short_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The step limit, on the command line, in the page, in the printed trace, in the file; what was not kept too."""
    loop, page, kept = tmp_path / "f.aarch64.s", tmp_path / "x.html", tmp_path / "x.neontrace"
    loop.write_text("f: mov x1, #0\n1: add x1, x1, #1\n b 1b\n")
    why = "the call has not returned, the trace ends here: still running after 20 steps"
    line = ["trace", str(loop), "--max-steps", "20", "--no-sanitize"]
    assert main(line) == 1
    assert why in capsys.readouterr().out
    assert main([*line, "--count", "3"]) == 1
    shown = capsys.readouterr().out
    assert "17 more steps are not listed (--count 3)" in shown and why in shown
    assert main([*line, "--html", str(page), "--save", str(kept)]) == 1
    assert capsys.readouterr().out.count(why) == 2
    assert main(["trace", str(kept)]) == 0
    assert why in capsys.readouterr().out
    assert main([*line, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert not said["returns"] and why in said["notices"][0]

    from neonsim import Machine, assemble

    machine = Machine()
    trace = machine.call(assemble("f: mov x1, #9\n1: subs x1, x1, #1\n b.ne 1b\n ret", isa="aarch64"),
                         trace="last 5").trace
    assert trace is not None and "of 20 steps it has the last 5" in trace.to_text()


# ---- shells

def bash(script: str, *lines: str) -> list[list[str]]:
    """What bash itself would offer for the last word of each of these lines; words are apart by one blank."""
    asked = [script]
    for words in (line.split(" ") for line in lines):
        asked += [f"COMP_WORDS=({' '.join(map(repr, words))})", f"COMP_CWORD={len(words) - 1}", "_shtab_neonsim",
                  'echo "${COMPREPLY[@]}"']
    done = subprocess.run(["bash", "--norc"], input="\n".join(asked), capture_output=True, text=True, check=True)
    assert not done.stderr
    return [offered.split() for offered in done.stdout.splitlines()]


def test_completion(capsys: pytest.CaptureFixture[str]) -> None:
    """Of commands, options, kernels, cores, contracts and networks in bash; a script for every other shell."""
    pytest.importorskip("shtab", reason="needs packages: pip install 'neonsim[completion]'")
    wanted = {f"neonsim kernels explain {GEMM[:30]}": [GEMM], "neonsim k": ["kernels"],
              f"neonsim time {GEMM} --core neo": ["neoverse-n1", "neoverse-n2", "neoverse-v1"],
              "neonsim run --isa ": ["aarch64", "aarch32"], "neonsim explain packing --ti": ["--tile"],
              "neonsim check kernel --contract qu8_gemm_x": ["qu8_gemm_xzp_q31"],
              "neonsim check mine.S --contract qu8_gemm_x": ["qu8_gemm_xzp_q31"], "neonsim cores a53 --js": ["--json"],
              "neonsim cores fit --js": ["--json"], "neonsim explain m.tflite --ag": ["--against"],
              "neonsim cores va": ["validate"]}
    assert main(["completion", "bash"]) == 0
    commands, kernels, *found = bash(capsys.readouterr().out, "neonsim ", "neonsim time qu8_gemm_q31_1x8__aarch64",
                                     *wanted)
    assert set(commands) == set(WORDS) and GEMM in kernels
    assert dict(zip(wanted, found, strict=True)) == wanted
    for shell in ("fish", "zsh"):
        assert main(["completion", shell]) == 0
        text = capsys.readouterr().out
        assert GEMM in text and "cortex-a53" in text and all(word in text for word in WORDS)


def test_completion_without_shtab(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err == f"neonsim: completion needs shtab: {install('neonsim[completion]')}\n"
