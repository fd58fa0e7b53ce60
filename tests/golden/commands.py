"""What commands answer with `--json`, where that depends neither on the machine nor on the folder.

Seconds are left out, and folders get a name.
"""

from __future__ import annotations

import io
import json
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.cli import main
from neonsim.nn.formats import write_tflite
from neonsim.nn.graph import Graph
from neonsim.nn.ops import Softmax
from neonsim.nn.ops.float32.operators import Float32Conv2d
from neonsim.quant import Scheme

from . import Row, digest

SUMS = "qu8_sumrows_4x__aarch64_neon"
GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"
ROOT = Path(__file__).parents[2]
# TEXT.aarch64.s, MODEL.tflite, REAL.tflite and INPUTS.npy are made; MADE is a file or a folder that is not there.
QUICK = (
    "run TEXT.aarch64.s 3", "models MODEL.tflite", "models MODEL.tflite --arithmetic ruy",
    "quantize REAL.tflite --calibrate INPUTS.npy --out MADE.tflite",
    "quantize REAL.tflite --flow ncnn-fused --per tensor --calibrate INPUTS.npy --out MADE.npz",
    f"trace {SUMS}", "trace qs8_vadd_16x__aarch32_neon --first 3 --count 20", f"run {SUMS} --emit-c program",
    f"step {SUMS} --at 3",
    "check rules", "check limits", "check contracts", "check catalogue",
    f"prove kernels {GEMM} {GEMM} --shapes 1x8x9", f"prove overflow {GEMM} --shapes 1x8x9",
    f"sweep {GEMM} --measure cycles,proofs --core a53 --shape 1x8x1..9 --output-dir MADE --dry-run",
    f"sweep kernels/gemm/{GEMM}.S --contract qu8_gemm_q31 --tile 1x8 --core a53 --shape 1x8x1..9 --dry-run",
    "course", "course add-two-vectors", "course hint add-two-vectors",
    "course check add-two-vectors TEXT.aarch64.s --seed 1",
    f"time {GEMM} --core a53,a72", "time TEXT.aarch64.s 3 --calls 4", f"time {SUMS} --lines --ports --path",
    "study", "study anomaly", "study three-in-two --core a53,a72",
    "explain MODEL.tflite --at 0:2,3,1", "explain model MODEL.tflite --against xnnpack --seed 1",
    "explain operator conv2d --x 1x6x6x8 --w 8x3x3x8", "explain packing --n 8 --k 16 --kr 2", "explain packing --at 34",
    "explain indirection --rows", "explain indirection --at 3", f"kernels registers {GEMM}", f"kernels mix {GEMM}",
    "explain traffic --k 16 --block 8", "explain requant 0.0117 --value 12345",
    "explain requant --differ q31 rndnu 0.25", "explain requant --rates 0.5", "explain dispatch --core a55,a75",
    "explain task-split 196x512x512 --threads 3", f"kernels pressure {GEMM}", "explain cache-sets",
    "isa", "isa smlal", "isa coverage bfloat16", "kernels",
    "kernels sumrows --isa aarch32", f"kernels {SUMS}", f"kernels explain {SUMS}", "cores", "cores a53", "cores a9",
    "measure --core a75 --tests queue", "measure --tests smlal -o MADE")
LONG = (
    "cores validate", "cores validate --loops", "cores validate --memory",
    f"time {GEMM} --core all --slots", "kernels mix",
    "explain requant", "explain conv-lowerings --x 1x14x14x32 --w 32x3x3x32 --padding 1", "study order", "study shapes",
    "study scales", "study neon-rate", "study mnn --no-host", "study red-line", "study tengine",
    "study ladder --no-host", "isa coverage", f"check {SUMS} --quick")
MEASURED = ("seconds", "plan_seconds", "run_seconds")


def rows() -> list[Row]:
    """One of each line."""
    return [Row(line, {"json": partial(_answer, line)}, ("json",) if line in QUICK else ()) for line in (*QUICK, *LONG)]


def _answer(line: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        made = _made(Path(folder), line)
        words = [str(made / word) if word.startswith(("TEXT", "MODEL", "REAL", "INPUTS", "MADE")) else
                 str(ROOT / word) if word.startswith("kernels/") else word for word in line.split()]
        shown = io.StringIO()
        with redirect_stdout(shown), redirect_stderr(io.StringIO()):
            status = main([*words, "--json"])
        said = shown.getvalue().replace(folder, "FOLDER").replace(str(ROOT), "ROOT")
    return digest(status, json.dumps(_without(json.loads(said)), sort_keys=True))


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(one) for name, one in value.items() if name not in MEASURED}
    return [_without(one) for one in value] if isinstance(value, list) else value


def _made(folder: Path, line: str) -> Path:
    (folder / "TEXT.aarch64.s").write_text("f: add x0, x0, #1\n ret\n")
    if "MODEL" in line:
        graph = Graph("small", (1, 6, 6, 3), Scheme(0.05, 128))
        graph.add_node("shares", Softmax(graph.scheme("input")), "input")
        write_tflite(graph, folder / "MODEL.tflite")
    if "REAL" in line:
        graph = Graph("real", (1, 4, 4, 2), dtype="float32")
        graph.add_node("conv", Float32Conv2d(np.ones((3, 1, 1, 2)), low=0.0), "input")
        write_tflite(graph, folder / "REAL.tflite")
        np.save(folder / "INPUTS.npy", np.random.default_rng(0).integers(-9, 9, (3, 4, 4, 2)).astype(np.float32))
    return folder
