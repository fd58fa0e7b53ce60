"""Kernel choice by core, threads that move between cores, tasks for threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.arm.timing import cores, load_core
from neonsim.cli import main
from neonsim.errors import BackendError, BadArgument
from neonsim.nn import ops
from neonsim.nn.backends import Implementation
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.ops.explain.task_split import TASKS_PER_THREAD, chip_table, migrate, simulate, split_tasks, tile_width
from neonsim.nn.ops.lowering.kernel_selection import (
    choose,
    dispatch_table,
    dual_issue_depth,
    features_of,
    migration_classes,
    narrower,
    rules,
)
from neonsim.quant import Quantized, Scheme
from neonsim.render.pictures.networks.task_grid import task_grid_picture

RNG = np.random.default_rng(9)


def kernels_of(*names: str) -> list[Implementation]:
    return [Implementation(f"qs8_gemm_rndnu_{n}", "qs8_gemm_rndnu", "aarch64", int(n.split("x")[0]), 16) for n in names]


def test_the_table() -> None:
    """Every core is known, every rule names its fact, the first one that fits decides."""
    assert all("neon" in features_of(name) for name in cores())
    assert all(rule.source and rule.isa in ("aarch32", "aarch64") for rule in rules())
    real = EmulatedBackend("aarch64").find("qs8_gemm_rndnu")
    for core, tile, words in (("cortex-a53", "4x16__", "cortex_a53"), ("cortex-a72", "2x8c8__", "padal_prfm"),
                              ("cortex-a76", "4x16c4__", "neondot_ld64"), ("ideal-1", "4x16c8__", "i8mm"),
                              (None, "2x8c8__", "mlal_padal")):
        found = choose(real, "aarch64", core)
        assert tile in found.kernel.name and words in found.kernel.name, (core, found)
    few = EmulatedBackend("aarch64").find("qs8_qc8w_gemm_fp32")
    assert "the catalogue has no 2x8c8 neon_mlal_padal_prfm" in choose(few, "aarch64", "cortex-a72").reason
    assert dispatch_table("cortex-a53", "aarch64").count("*") == 3
    assert features_of(None) == {"neon"}
    with pytest.raises(BadArgument, match="There is no core 'cortex-a9000'"):
        features_of("cortex-a9000")
    with pytest.raises(BadArgument, match=r"There is no core 'Cortex-A74' \(did you mean 'cortex-a7'"):
        EmulatedBackend("aarch64", "Cortex-A74")
    dots = [k for k in real if "neondot" in k.name]
    with pytest.raises(BackendError, match="runs on cortex-a53"):
        choose(dots, "aarch64", "cortex-a53")
    assert "needs dotprod" in choose(dots, "aarch64", None).reason


def test_depth_of_dual_issue_is_the_cores_own() -> None:
    assert {name: dual_issue_depth(name) for name in cores() if dual_issue_depth(name)} == {
        "cortex-a72": 64, "cortex-a73": 256, "cortex-a75": 32, "cortex-a76": 16}
    assert dual_issue_depth(None) is None and dual_issue_depth("cortex-a55r0") is None


def test_a_core_file_of_ones_own_brings_its_choice(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = Path(load_core("ideal-1").path).read_text(encoding="utf-8")
    path.write_text(text.replace("ideal-1", "mine").replace('"aarch32", ', "").replace('"i8mm", ', "").replace(
        "[issue]", '[[kernel]]\nisa = "aarch64"\ntile = "4x16"\ntechnique = "neon_mlal_lane"\nfeature = "dotprod"\n'
        'source = "ideal"\n[issue]'), encoding="utf-8")
    backend = EmulatedBackend("aarch64", str(path))
    found = choose(backend.find("qs8_gemm_rndnu"), "aarch64", backend.core)
    assert found.kernel.name == "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane" and "mine with dotprod" in found.reason
    assert "* mine with dotprod" in dispatch_table(str(path), "aarch64") and "mine" not in dispatch_table()
    with pytest.raises(BackendError, match="mine runs aarch64, but"):
        choose(EmulatedBackend("aarch32").find("qs8_gemm_rndnu"), "aarch32", str(path))


def test_one_row_asks_for_a_kernel_of_one_row() -> None:
    found = kernels_of("4x16__aarch64_neon_mlal_lane", "1x16__aarch64_neon_mlal_lane")
    assert choose(found, "aarch64", "cortex-a72", rows=1).kernel.mr == 1
    assert choose(found, "aarch64", "cortex-a72", rows=2).kernel.mr == 4


def test_operators_say_why() -> None:
    w = Quantized(RNG.integers(-127, 128, (20, 9), dtype=np.int8), 1.0)
    layer = ops.FullyConnected(Scheme(1.0, 0, "int8"), w, out=Scheme(300.0, 0, "int8"), requantization="rndnu")
    text = layer.explain((7, 9), backend=EmulatedBackend("aarch64", "cortex-a53"))
    assert "4x16__aarch64_neon_mlal_lane_cortex_a53" in text and "(as XNNPACK 2021), for cortex-a53" in text


def plan_on(core: str, m: int = 23, n: int = 35, k: int = 29) -> tuple[Any, np.ndarray]:
    w = Quantized(RNG.integers(-127, 128, (n, k), dtype=np.int8), 1.0)
    layer = ops.FullyConnected(Scheme(1.0, -5, "int8"), w, RNG.integers(-99, 99, n, dtype=np.int32),
                               out=Scheme(500.0, 3, "int8"), requantization="rndnu")
    x = Quantized(RNG.integers(-128, 128, (m, k), dtype=np.int8), 1.0, -5)
    plan = layer.plan((m, k), backend=EmulatedBackend("aarch64", core))
    return plan, np.array(plan.run(x).values)


@pytest.mark.nightly
@pytest.mark.parametrize(("chip", "count"), [(("cortex-a53", "cortex-a72", "cortex-a57"), 2),
                                             (("cortex-a55", "cortex-a76"), 2)])
def test_any_migration_gives_the_same_bytes(chip: tuple[str, ...], count: int) -> None:
    """Threads move after every tile of rows, at random: results do not tell (D15)."""
    plan, straight = plan_on(chip[0])
    decisions = migration_classes(plan.backend.find("qs8_gemm_rndnu"), "aarch64", chip)
    assert len({d.kernel.name for d in decisions.values()}) == count
    for seed in range(2):
        moves = np.random.default_rng(seed).choice(list(chip), 64)
        used: list[str] = []
        def on(row: int, moves: Any = moves, used: list[str] = used) -> Implementation:
            used.append(decisions[str(moves[row])].kernel.name)
            return decisions[str(moves[row])].kernel
        np.testing.assert_array_equal(migrate(plan, on), straight)
        assert len(set(used)) == count


def test_another_packing_is_refused() -> None:
    plan, _ = plan_on("cortex-a53")
    other = next(k for k in plan.backend.find("qs8_gemm_rndnu") if k.kr == 8)
    with pytest.raises(BadArgument, match="cannot take over"):
        migrate(plan, lambda row: other)
    with pytest.raises(BadArgument, match="at least one core"):
        migration_classes(plan.backend.find("qs8_gemm_rndnu"), "aarch64", [])


def test_a_chip() -> None:
    """Every tile is done once; each core on its own kernel is never slower than all on the first one's."""
    plan, _ = plan_on("cortex-a55", 8, 32, 64)
    chip = simulate(plan, ["cortex-a55", "cortex-a55", "cortex-a76"], clocks=[1, 1, 1.4], tiles=60)
    for run in (chip.fixed, chip.switching):
        assert sum(run.tiles.values()) == 60 and run.cycles == max(end for _, _, end, _ in run.spans)
        by: dict[int, float] = {}
        for core, start, end, _ in run.spans:
            assert start >= by.get(core, 0.0) - 1e-9 and end > start
            by[core] = end
    assert chip.gain >= 1 and chip.switching.tiles[2] > chip.switching.tiles[0]
    assert "modelled" in chip_table(chip)
    with pytest.raises(BadArgument, match="clocks must be 2 positive numbers"):
        simulate(plan, ["cortex-a55", "cortex-a76"], clocks=[1])


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_width_of_tasks(threads: int) -> None:
    rng = np.random.default_rng(threads)
    for _ in range(200):
        n, nr, other = int(rng.integers(1, 2000)), int(rng.choice([4, 8, 16])), int(rng.integers(1, 400))
        width = tile_width(n, nr, other, threads)
        assert width == n or width % nr == 0
        if threads == 1:
            assert width == n
        else:
            # Written again from the rule.
            most = -(-n * other // (threads * TASKS_PER_THREAD))
            assert width == (min(n, -(-n // (most * nr)) * nr) if most < n else n)
        cached = tile_width(n, nr, other, threads, k=100, mr=4, l1=32768, l2=1 << 20)
        assert cached == n or cached % nr == 0
        if cached > nr:
            assert cached * 104 + 4 * cached + 400 <= 1 << 20
    with pytest.raises(BadArgument, match="k and mr are needed"):
        tile_width(8, 8, 1, 1, l1=1000)


def test_tasks_cover_the_product() -> None:
    found = split_tasks(50, 200, 64, mr=4, nr=16, threads=4)
    assert found.owner.shape == (13, -(-200 // found.width)) and set(found.owner.reshape(-1).tolist()) == {0, 1, 2, 3}
    assert sum(found.work) == 13 * 4 * 208 * 64 and 0.8 < found.balance <= 1
    assert f"{found.tasks} tasks on 4 threads" in task_grid_picture(found).description


def test_narrower_kernels() -> None:
    for n in range(1, 300):
        def waste(w: int, n: int = n) -> float:
            return (-(-n // w) * w - n) / (-(-n // w) * w)
        taken = narrower(n, 16, 8)
        assert taken == (8 if n < 16 or (waste(8) < waste(16) and waste(16) > 0.01) else 16)
    with pytest.raises(BadArgument, match="fewer columns"):
        narrower(10, 8, 16)


def test_commands(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    picture = tmp_path / "tasks.svg"
    assert main(["explain", "task-split", "40x100x32", "--nr2", "8", "--svg", str(picture)]) == 0
    assert main(["explain", "dispatch", "--core", "cortex-a55,cortex-a76"]) == 0
    assert main(["explain", "requant", "0.0117", "--value", "12345", "--svg", str(tmp_path / "n.svg")]) == 0
    assert main(["explain", "requant", "0.5", "--differ", "precise", "rndnu"]) == 0
    out = capsys.readouterr().out
    assert "16 is taken" in out or "8 is taken" in out
    assert "every tile on the kernel of the core" in out and "fp32_lrint   144" in out and "acc -1, scale 0.5" in out
    assert picture.read_text().startswith("<svg")
    assert main(["explain", "requant", "--value", "3"]) == 2 and main(["explain", "task-split", "4x5"]) == 2
