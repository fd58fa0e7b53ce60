"""Translated programs leave what the interpreter leaves: memory, registers, counts, errors."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.engines import compiled
from neonsim.arm.machine.translate.to_c import translate_c
from neonsim.arm.machine.translate.to_python import translate_python
from neonsim.errors import LockstepDivergence
from neonsim.ukernel.packing import pack_gemm, pack_gemm_xzp
from tests.tiers import every

needs_compiler = pytest.mark.skipif(compiled.compiler() is None, reason="no C compiler: install gcc or clang")
ENGINES = ["python", pytest.param("compiled", marks=needs_compiler)]
engines = pytest.mark.parametrize("engine", ENGINES)
grids = pytest.mark.parametrize("engine", [ENGINES[1]])


def each(names: Iterable[str], compiled: str) -> pytest.MarkDecorator:
    """(name, engine): Python of all, the compiler of some; of the others at night."""
    return pytest.mark.parametrize(("name", "engine"), [
        pytest.param(name, engine, marks=() if engine == "python" else [needs_compiler] if name in compiled.split() else
                     [needs_compiler, pytest.mark.nightly]) for name in names for engine in ("python", "compiled")])


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Translations of this module in a folder of their own."""
    patch = pytest.MonkeyPatch()
    patch.setenv("NEONSIM_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


def outcome(isa: str, text: str, engine: str, words: tuple[int, ...] = (), size: int = 256, **options: Any) -> Any:
    """Everything that a call leaves: registers, memory, counts or the error's text."""
    machine = ns.Machine(isa=isa, poison=3)
    at = machine.memory.place(np.arange(size, dtype=np.uint8), name="data", reads_before=4, reads_after=8)
    fixed = machine.memory.place(np.arange(64, dtype=np.uint8)[::-1].copy(), name="fixed", readonly=True)
    program = ns.assemble(text, isa=isa)
    plain: dict[str, Any] = {} if engine != "interpreter" else {"trace": False, "sanitize": False}
    try:
        result = machine.call(program, at, fixed, *words, engine=engine, **plain, **options)
        done: Any = (result.returned, result.steps, result.tile_steps, repr(result.returned_float))
    except ns.NeonsimError as problem:
        done = type(problem).__name__, str(problem)
    return done, repr(machine.registers), machine.memory.fetch("data").tolist(), machine.line


def agree(isa: str, text: str, engine: str, *words: int, **options: Any) -> Any:
    expected = outcome(isa, text, "interpreter", words, **options)
    got = outcome(isa, text, engine, words, **options)
    assert got == expected
    return expected[0]


# ---- one tile -------------------------------------------------------------------------------------------------------

LOOP = "mov x9, #0\n0: ldrb w3, [x0, x9]\nadd x10, x10, x3\nadd x9, x9, #1\ncmp x9, x2\nb.lo 0b\nmov x0, x10\nret"
PROGRAMS = {
    "loop": ("aarch64", "mov x10, #0\n" + LOOP, (100,)),
    "calls": ("aarch64", "mov x9, x30\nmov x10, x0\nbl f\nbl f\nmov x30, x9\nret\nf: add x0, x0, #5\nret", ()),
    "flags": ("aarch64", "subs x3, x2, #5\nadcs x4, x2, x2\ncsinc x6, xzr, xzr, hi\ncsel x0, x4, x6, lt\n"
                         "ands x5, x2, #0xff\nret", (4,)),
    "tests": ("aarch64", "cbz x2, 1f\ntbnz x2, #3, 1f\nmov x0, #1\nret\n1: mov x0, #2\ncbnz w2, 2f\nret\n"
                         "2: tbz w2, #3, 1b\nmov x0, #7\nret", (8,)),
    "lanes": ("aarch64", "ld1 {v0.16b, v1.16b, v2.16b}, [x0], #48\nins v0.h[3], w2\nld1 {v1.s}[2], [x1]\n"
                         "sqadd v3.2d, v0.2d, v1.2d\nsqrdmulh v4.8h, v0.8h, v1.8h\next v5.16b, v0.16b, v1.16b, #5\n"
                         "usra v5.2d, v3.2d, #7\nsqxtn v6.4h, v4.4s\nsqxtn2 v6.8h, v5.4s\naddv h7, v6.8h\n"
                         "srshl v16.8h, v4.8h, v6.8h\npmull v17.8h, v0.8b, v1.8b\nuzp2 v18.8h, v0.8h, v4.8h\n"
                         "sadalp v18.4s, v6.8h\nst1 {v16.16b, v17.16b, v18.16b}, [x0]\numov w0, v7.h[0]\nret", (77,)),
    "stack": ("aarch64", "stp x29, x30, [sp, #-32]!\nstp d8, d9, [sp, #16]\nmov v8.16b, v0.16b\nstr x2, [x0, #8]!\n"
                         "ldp d8, d9, [sp, #16]\nldp x29, x30, [sp], #32\nret", (123456789,)),
    "conditions": ("aarch32", "cmp r2, #3\nmovlo r0, #1\naddhs r0, r0, r2, lsl #3\nstrhs r2, [r0, #-4]!\n"
                              "ldrlo r3, [r1]\nbxeq lr\nrsbs r2, r2, #0\nmvnmi r0, r0\nbx lr", (3,)),
    "conditions_below": ("aarch32", "cmp r2, #3\nmovlo r0, #1\naddhs r0, r2, lsl #3\nldrlo r3, [r1]\nbxeq lr\n"
                                    "rsbs r2, r2, #0\nmvnmi r0, r0\nvmov d0, r0, r2\nbx lr", (2,)),
    "push": ("aarch32", "push {r4, r5, r6, lr}\nvpush {d8-d10}\nldm r0, {r4-r6}\nvld1.32 {d16[1]}, [r0]!\n"
                        "vmull.s16 q4, d16, d17\nadds r0, r4, r5, ror #3\nadcs r0, r0, r6, asr r2\nvpop {d8-d10}\n"
                        "pop {r4, r5, r6, pc}", (5,)),
}


@each(PROGRAMS, "loop lanes conditions push")
def test_same_result(name: str, engine: str) -> None:
    isa, text, words = PROGRAMS[name]
    done = agree(isa, text, engine, *words)
    assert isinstance(done[0], int), done


@engines
@pytest.mark.parametrize("limit", [1, 6, 7, 502, 503])
def test_step_limit(limit: int, engine: str) -> None:
    """The limit holds to the step; 100 rounds of the loop take 504 steps."""
    assert agree("aarch64", "mov x10, #0\n" + LOOP, engine, 100, max_steps=limit)[0] == "StepLimit"
    assert isinstance(agree("aarch64", "mov x10, #0\n" + LOOP, engine, 100, max_steps=504)[0], int)


@engines
def test_endless_loop(engine: str) -> None:
    assert agree("aarch64", "0: b 0b", engine, max_steps=1000)[0] == "StepLimit"


FAULTS = {
    "past_the_end": ("aarch64", "add x0, x0, #250\nld1 {v0.16b}, [x0]\nret"),
    "over_read_allowed": ("aarch64", "add x0, x0, #248\nld1 {v0.16b}, [x0]\nret"),
    "read_before_allowed": ("aarch64", "ldur w3, [x0, #-4]\nret"),
    "write_before": ("aarch64", "mov w3, #1\nadd x4, x4, #3\nstur w3, [x0, #-4]\nret"),
    "read_only": ("aarch64", "mov x3, #1\nstr x3, [x0]\nstr x3, [x1]\nret"),
    "nowhere": ("aarch64", "mov x3, #16\nldr x4, [x3]\nret"),
    "far": ("aarch64", "mvn x3, xzr\nldr x4, [x3]\nret"),
    "no_return": ("aarch64", "mov x0, #1\nnop"),
    "wild_branch": ("aarch64", "mov x3, #64\nbr x3"),
    "clobbered": ("aarch64", "mov x19, #1\nmovi v8.16b, #1\nret"),
    "sp_odd": ("aarch64", "sub sp, sp, #8\nldr x3, [sp]\nadd sp, sp, #8\nret"),
    "word_odd": ("aarch32", "add r0, r0, #1\nldm r0, {r2, r3}\nbx lr"),
    "hint": ("aarch32", "add r0, r0, #4\nvld1.8 {d0}, [r0:64]\nbx lr"),
    "thumb": ("aarch32", "add lr, lr, #1\nbx lr"),
}


@each(FAULTS, "past_the_end over_read_allowed read_only wild_branch clobbered word_odd")
def test_same_error(name: str, engine: str) -> None:
    """Errors have the interpreter's words, and leave its state."""
    isa, text = FAULTS[name]
    done = agree(isa, text, engine)
    assert isinstance(done[0], int) == name.endswith("allowed")


@engines
def test_branch_into_a_block(engine: str) -> None:
    """A computed branch may land where no block begins: the interpreter takes over, the engine comes back."""
    agree("aarch64", "bl 1f\n1: add x9, x30, #12\nbr x9\nmov x0, #1\nmov x0, #2\nadd x0, x0, #3\nmov x30, x10\nret"
          .replace("bl 1f", "mov x10, x30\nbl 1f"), engine)


@pytest.mark.nightly
@pytest.mark.parametrize(("engine", "rounds"), [
    ("python", 100), pytest.param("compiled", 12, marks=needs_compiler),    # a compiler is slow on so long a function
    pytest.param("python", 250, marks=pytest.mark.nightly),
    pytest.param("compiled", 40, marks=[needs_compiler, pytest.mark.nightly])])
def test_long_chains(engine: str, rounds: int) -> None:
    """Instructions by the hundred that build on each other."""
    lines = ["ld1 {v0.16b, v1.16b}, [x0]"]
    for i in range(rounds):
        lines += [f"add x2, x2, #{i}", "eor x2, x2, x2, lsl #3", "mla v0.8h, v1.8h, v0.8h",
                  "sqsub v0.16b, v0.16b, v1.16b", "adds w3, w3, w2", "adc x4, x4, x3"]
    agree("aarch64", "\n".join([*lines, "mov x0, x4", "ret"]), engine, 5)


@engines
def test_random_programs(engine: str) -> None:
    """Straight lines of any instructions of the tables of operations: what one leaves the next one takes."""
    rng = random.Random(5)
    for _ in range(3 if engine == "python" else 1):
        lines = ["ld1 {v0.16b, v1.16b, v2.16b, v3.16b}, [x0]", "ld1 {v4.16b, v5.16b}, [x1]"]
        for _ in range(60):
            d, n, m = (f"v{rng.choice((0, 1, 2, 3, 4, 5, 16, 17))}" for _ in range(3))
            t = rng.choice(("8b", "16b", "4h", "8h", "2s", "4s"))
            op = rng.choice(("add", "sub", "mul", "mla", "sqadd", "uqsub", "smax", "umin", "cmgt", "cmhs", "sshl",
                             "urshl", "zip1", "trn2", "addp", "smaxp", "srsra", "sqdmulh", "smlal", "xtn", "bsl"))
            if op == "srsra":
                lines.append(f"srsra {d}.{t}, {n}.{t}, #{rng.randint(1, 7)}")
            elif op == "sqdmulh":
                t = rng.choice(("4h", "8h", "2s", "4s"))
                lines.append(f"{op} {d}.{t}, {n}.{t}, {m}.{t}")
            elif op == "smlal":
                lines.append(f"smlal2 {d}.4s, {n}.8h, {rng.choice(('v1', 'v4'))}.h[{rng.randint(0, 7)}]")
            elif op == "xtn":
                lines.append(f"sqxtn2 {d}.16b, {n}.8h")
            elif op == "bsl":
                lines.append(f"bsl {d}.16b, {n}.16b, {m}.16b")
            else:
                lines.append(f"{op} {d}.{t}, {n}.{t}, {m}.{t}")
        assert isinstance(agree("aarch64", "\n".join([*lines, "ret"]), engine)[0], int)


# ---- kernels, grids -------------------------------------------------------------------------------------------------

PRODUCTS = [k for k in ns.kernels() if k.contract.name in ("qu8_gemm_q31", "qu8_gemm_xzp_q31")]
QUICK = ("qu8_gemm_q31_1x1__aarch64_madd", "qu8_gemm_q31_1x8__aarch32_neon_mlal_lane")
products = pytest.mark.parametrize("kernel", [
    pytest.param(kernel, marks=() if kernel.name in QUICK else pytest.mark.nightly) for kernel in PRODUCTS], ids=str)


def product(kernel: Any, engine: str, k: int, tiles: ns.Grid | None, mr: int, nr: int) -> Any:
    """A kernel on random operands: (result, registers, counts)."""
    rng = np.random.default_rng(k)
    machine = ns.Machine(isa=kernel.isa)
    memory, rows, cols = machine.memory, tiles.rows if tiles else 1, tiles.cols if tiles else 1
    m, n = rows * kernel.tile.mr, cols * kernel.tile.nr
    xzp = "xzp" in kernel.contract.name
    pack = pack_gemm_xzp if xzp else pack_gemm
    packed = pack(rng.integers(0, 256, (n, k), dtype=np.uint8), rng.integers(-9999, 9999, n).astype(np.int32),
                  nr=kernel.tile.nr, kr=kernel.tile.kr, a_zero_point=3, w_zero_point=128,
                  **({"sr": kernel.contract.swizzle} if xzp else {}))
    a = memory.place(rng.integers(0, 256, (m, k), dtype=np.uint8), name="a", reads_before=7, readonly=True)
    w = memory.place(packed.data, name="w", readonly=True)
    block = np.zeros(16, np.uint8)
    block[:8] = np.array([1500000000, -9], np.int32).view(np.uint8)
    block[8:13] = 5, 0, 250, 1, 128
    params = memory.place(block, name="params", readonly=True)
    sums = memory.place(rng.integers(-9999, 0, m).astype(np.int32), name="sums")
    c = memory.place(np.full((m, n), 77, np.uint8), name="c")
    row, column = np.arange(rows)[:, None] * kernel.tile.mr, np.arange(cols)[None, :] * kernel.tile.nr
    where = {"mr": mr, "nr": nr, "kc": k, "a": a + row * k, "a_stride": k, "a_sum": sums + 4 * row, "c_stride": n,
             "w": w + column // packed.nr * packed.layout.block_bytes, "c": c + row * n + column, "params": params}
    values = [where[x.name] for x in kernel.contract.arguments]
    shape = (rows, cols)
    values = [(np.broadcast_to(v, shape) if tiles else int(np.asarray(v).reshape(-1)[0])) if isinstance(v, np.ndarray)
              else v for v in values]
    options = {"trace": False, "sanitize": False} if engine == "interpreter" else {}
    done = machine.call(kernel.program(), *values, entry=kernel.name, tiles=tiles, engine=engine, **options)
    every = None if done.tile_returned is None else done.tile_returned.tolist()
    return (machine.memory.fetch("c").tolist(), repr(machine.registers), done.steps, done.tile_steps, done.returned,
            every)


@engines
@products
def test_kernels_one_tile(kernel: Any, engine: str) -> None:
    for k, mr, nr in ((1, 1, 1), (8, kernel.tile.mr, kernel.tile.nr), (29, 3, 5)):
        assert product(kernel, engine, k, None, mr, nr) == product(kernel, "interpreter", k, None, mr, nr)


@grids
@products
def test_kernels_grid(kernel: Any, engine: str) -> None:
    grid = ns.Grid(3, 4)
    for k, mr, nr in ((16, kernel.tile.mr, kernel.tile.nr), (21, kernel.tile.mr - 1, kernel.tile.nr - 3)):
        assert product(kernel, engine, k, grid, mr, nr) == product(kernel, "interpreter", k, grid, mr, nr)


def grid_call(text: str, engine: str, step: int, **options: Any) -> Any:
    """Four tiles with one address each, ``step`` bytes apart."""
    machine = ns.Machine()
    at = machine.memory.place(np.arange(256, dtype=np.uint8), name="data")
    other = machine.memory.place(np.zeros(64, np.uint8), name="other")
    addresses = at + step * np.arange(4).reshape(2, 2)
    done = machine.call(ns.assemble(text, isa="aarch64"), addresses, other, tiles=ns.Grid(2, 2), trace=False,
                        engine=engine, **options)
    return machine.memory.fetch("data").tolist(), done.tile_returned.tolist(), done.tile_steps


@grids
def test_grid_reads_what_it_writes(engine: str) -> None:
    """In place, each tile its own bytes: allowed; the whole grid starts again with readers noted."""
    text = "ldr x3, [x0]\nadd x3, x3, x3\nstr x3, [x0]\nldr x0, [x0]\nstr x0, [sp, #-16]!\nldr x0, [sp], #16\nret"
    assert grid_call(text, engine, 8) == grid_call(text, "interpreter", 8)


@grids
@pytest.mark.parametrize("text, step", [
    ("str x1, [x0]\nret", 4), ("str x1, [x1]\nret", 8), ("str x1, [x0]\nldr x3, [x0, #8]\nret", 8)],
    ids=["overlap", "same_byte", "neighbor_read"])
def test_grid_overlap(text: str, step: int, engine: str) -> None:
    with pytest.raises(LockstepDivergence):
        grid_call(text, engine, step)


@needs_compiler
def test_grid_errors_name_the_tile() -> None:
    with pytest.raises(ns.MemoryFault, match=r"tile \(1, 1\).*offset 300.* of buffer \"data\""):
        grid_call("ldr x3, [x0]\nret", "compiled", 100)
    with pytest.raises(ns.StepLimit, match=r"tile \(0, 0\): still running after 50 steps"):
        grid_call("0: b 0b", "compiled", 8, max_steps=50)


@needs_compiler
def test_tiles_may_take_different_ways() -> None:
    """Compiled tiles run one after the other: steps are counted for each."""
    text = "ldrb w3, [x0]\n0: add x9, x9, #1\nsubs w3, w3, #1\nb.ne 0b\nldrb w0, [x0]\nret"
    machine = ns.Machine()
    at = machine.memory.place(np.array([3, 1, 5, 2], np.uint8), name="data")
    done = machine.call(ns.assemble(text, isa="aarch64"), at + np.arange(4).reshape(2, 2), tiles=ns.Grid(2, 2),
                        engine="compiled")
    assert done.steps == 3 + 3 * 3
    assert done.tile_steps == sum(3 + 3 * n for n in (3, 1, 5, 2))
    assert done.tile_returned.tolist() == [[3, 1], [5, 2]]


# ---- the engine itself ----------------------------------------------------------------------------------------------

def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, program = ns.Machine(), ns.assemble("mov x0, #3\nret", isa="aarch64")
    with pytest.raises(ns.NeonsimError, match=r"engine must be .*; got 'fast'"):
        machine.call(program, engine="fast")
    with pytest.raises(ns.NeonsimError, match='engine="python" runs one tile'):
        machine.call(program, engine="python", tiles=ns.Grid(2))
    watched: tuple[dict[str, Any], ...] = ({"trace": True}, {"sanitize": True})
    for options in watched:
        with pytest.raises(ns.NeonsimError, match="records no trace and has no sanitizer"):
            machine.call(program, engine="compiled", **options)
    monkeypatch.setenv("NEONSIM_CC", "no-such-compiler")
    with pytest.raises(ns.NeonsimError, match="needs a C compiler: install gcc or clang"):
        machine.call(program, engine="compiled")


@needs_compiler
def test_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By content, bounded, and never from a folder that others may write."""
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(compiled, "KEPT", 2)
    for number in (1, 2, 3, 1):
        library = compiled.build(translate_c(ns.assemble(f"mov x0, #{number}\nret", isa="aarch64")))
        assert library.parent == tmp_path / "kept"
    assert len(list((tmp_path / "kept").glob("*"))) == 2
    before = library.stat().st_ino
    assert compiled.build(translate_c(ns.assemble("mov x0, #1\nret", isa="aarch64"))).stat().st_ino == before
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    monkeypatch.setenv("NEONSIM_CACHE", str(open_to_all))
    compiled.build(translate_c(ns.assemble("mov x0, #4\nret", isa="aarch64")))
    assert not list(open_to_all.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="homes are not named by HOME there")
def test_the_cache_has_a_place_of_its_own_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative HOME would fill working folders; a link leads where somebody else wants it."""
    for name in ("NEONSIM_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    session = compiled._session_folder()
    for name, value in (("HOME", "here"), ("HOME", "."), ("XDG_CACHE_HOME", "here")):
        monkeypatch.setenv(name, value)
        assert compiled.cache_folder() == session
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compiled.cache_folder().is_relative_to(tmp_path)     # XDG_CACHE_HOME, still relative, names nothing
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    if sys.platform != "darwin":
        assert compiled.cache_folder() == tmp_path / "caches" / "neonsim"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "link"))
    assert compiled.cache_folder() == session
    program = translate_c(ns.assemble("mov x0, #5\nret", isa="aarch64"))
    if compiled.compiler() is not None:
        assert compiled.find_or_build(program, tmp_path / "link")[0].parent == session
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "link"]
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the translation of a function that returns 77, from which each test takes a copy."""
    folder, before = tmp_path_factory.mktemp("sound") / "kept", os.umask(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEONSIM_CACHE", str(folder))
        try:
            compiled.build(translate_c(ns.assemble("mov x0, #77\nret", isa="aarch64")))
        finally:
            os.umask(before)
    return folder


def _foreign(library: Path) -> None:
    """A library of another kind of processor, whole and under its right name."""
    data = bytearray(library.read_bytes())
    data[18:20] = (243).to_bytes(2, "little")  # e_machine: RISC-V
    digest = hashlib.sha256(data).hexdigest()[:32]
    library.unlink()
    library.with_name(f"{library.stem[:32]}-{digest}.so").write_bytes(data)


def _link(library: Path) -> None:
    library.rename(library.parent / "elsewhere")
    library.symlink_to("elsewhere")


def _another(library: Path) -> None:
    """A library of this processor which holds something else."""
    path = library.with_name("other.c")
    path.write_text("int other;")
    subprocess.run([str(compiled.compiler()), "-shared", "-fPIC", "-o", path.with_suffix(".o"), path], check=True)
    library.unlink()
    data = path.with_suffix(".o").read_bytes()
    library.with_name(f"{library.stem[:32]}-{hashlib.sha256(data).hexdigest()[:32]}.so").write_bytes(data)


@needs_compiler
@pytest.mark.parametrize("spoil", [
    lambda library: library.write_bytes(library.read_bytes()[:-600]), lambda library: library.write_bytes(b""),
    lambda library: library.write_bytes(b"\x7fELF garbage" * 99), _foreign, _link, _another,
    lambda library: library.chmod(0o722), lambda library: (library.unlink(), library.mkdir()),
    pytest.param(lambda library: os.chown(library, 12345, -1), marks=pytest.mark.skipif(
        not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away"))],
    ids=["cut", "empty", "garbage", "foreign", "link", "another", "writable", "folder", "owner"])
def test_what_may_not_be_loaded_is_built_again(spoil: Any, kept: Path, tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "kept"))
    shutil.copytree(kept, tmp_path / "kept")
    (library,) = (tmp_path / "kept").glob("*.so")
    made = translate_c(ns.assemble("mov x0, #77\nret", isa="aarch64"))
    assert compiled.build(made) == library and compiled._sound(library)
    spoil(library)
    assert ns.Machine().call(ns.assemble("mov x0, #77\nret", isa="aarch64"), engine="compiled").returned == 77
    (found,) = (tmp_path / "kept").glob(f"{library.stem[:32]}*.so")
    assert compiled._sound(found)


@needs_compiler
def test_what_never_loads_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(compiled, "_options", lambda *_: ["-c"])  # an object, which no loader takes
    with pytest.raises(ns.BackendError, match=r"was built but does not load .* set NEONSIM_CACHE to another folder"):
        ns.Machine().call(ns.assemble("mov x0, #78\nret", isa="aarch64"), engine="compiled")
    assert not list((tmp_path / "kept").iterdir())


@needs_compiler
@pytest.mark.slow
def test_processes_build_the_same_at_once(tmp_path: Path) -> None:
    script = ("import neonsim as ns; print(ns.Machine().call(ns.assemble('mov x0, #79\\nret', isa='aarch64'), "
              "engine='compiled').returned)")
    environment = {**os.environ, "NEONSIM_CACHE": str(tmp_path / "k")}
    running = [subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [one.communicate() for one in running] == [("79\n", "")] * 3
    found = list((tmp_path / "k").iterdir())
    assert found and all(compiled._sound(one) for one in found)


@needs_compiler
def test_a_wrong_translation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from neonsim.arm.semantics.codegen import to_c

    monkeypatch.setitem(to_c._TESTS, "eq", "!{z}")
    with pytest.raises(ns.NeonsimError, match="differs from the interpreter after 3 steps: x0"):
        ns.Machine().call(ns.assemble("cmp x1, x1\ncsel x0, x1, xzr, eq\nret", isa="aarch64"), 1, 1,
                          engine="compiled")


def test_text_is_readable() -> None:
    """The assembly line stands beside its statement."""
    text = translate_c(ns.assemble("double:\n add v1.4s, v0.4s, v0.4s\n ret", isa="aarch64"), "double").text
    line = next(x for x in text.splitlines() if x.endswith("// add v1.4s, v0.4s, v0.4s"))
    assert "v1 = (u8x16)((u32x4)v0 + (u32x4)v0);" in line
    assert "int double(struct state *s" not in text  # a word of C is no name


# ---- programs with data ---------------------------------------------------------------------------------------------

SUMS = {"aarch64": """
        .global f
f:      adrp    x1, words
        add     x1, x1, :lo12:words
        ldr     x2, =count
        ldr     x3, [x2]                // the address of `total`
        ldr     w4, [x3]
        mov     w5, #4
1:      ldr     w6, [x1], #4
        add     w4, w4, w6
        add     w4, w4, w0
        subs    w5, w5, #1
        b.ne    1b
        str     w4, [x3]
        mov     w0, w4
        ret
        .data
        .balign 8
        .zero   ROOM
count:  .quad   total
total:  .word   100
        .section .rodata
words:  .word   1, 2, 3, 4
""", "aarch32": """
        .global f
f:      movw    r1, #:lower16:words
        movt    r1, #:upper16:words
        ldr     r2, =count
        ldr     r2, [r2]
        ldr     r3, [r2]
        add     r3, r3, r0, lsl #2
        vld1.32 {q0}, [r1]
        vpadd.i32 d0, d0, d1
        vpadd.i32 d0, d0, d0
        vmov    r1, s0
        add     r0, r3, r1
        str     r0, [r2]
        bx      lr
        .data
        .zero   ROOM
count:  .word   total
total:  .word   100
        .section .rodata
words:  .word   1, 2, 3, 4
"""}


@pytest.mark.parametrize("isa", SUMS)
# With so much data it lies behind users' buffers, elsewhere each time.
@pytest.mark.parametrize("room", every(2, [1 << 17, 0]))
def test_one_program_in_many_places(isa: str, room: int) -> None:
    program = ns.assemble(SUMS[isa].replace("ROOM", str(room)), isa=isa)
    again = ns.assemble(SUMS[isa].replace("ROOM", "32768"), isa=isa)
    places = set()
    compiles = compiled.compiler() is not None and not room and isa == "aarch64"
    for engine in ("interpreter", "python", None, *(["compiled"] if compiles else [])):
        for size in (0, 100, 5000, 100):
            machine, total = ns.Machine(isa=isa), 100
            machine.memory.alloc(size)
            if size == 5000:
                machine.call(again, 1, engine=engine)
            for n in (1, 0, 5):
                total += 10 + 4 * n
                assert machine.call(program, n, engine=engine).returned == total
            assert machine.program == program
            places.add(max(b.address for b in machine.memory.buffers if b.name.startswith(".data")))
    assert len(places) == (3 if room else 2)


@pytest.mark.parametrize("isa", SUMS)
def test_what_is_made_of_a_program_with_data_serves_every_machine(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = ns.assemble(SUMS[isa].replace("ROOM", "8"), isa=isa)
    back = "ret" if isa == "aarch64" else "bx lr"
    among = ns.assemble(f"f: {back}\nt: .byte 1f - t\n.p2align 2\n1: {back}", isa=isa)
    ns.Machine(isa=isa).call(program, 1)
    ns.Machine(isa=isa).call(program, 1, engine="python")
    ns.Machine(isa=isa).call(among, 1)

    def refuse(*arguments: Any) -> Any:
        raise AssertionError("made once more")
    monkeypatch.setattr("neonsim.arm.machine.arch.binder.bind", refuse)
    monkeypatch.setattr("neonsim.arm.machine.engines.python_engine.translate_python", refuse)
    for size in (0, 1, 100, 1 << 20):
        for made, engine in ((program, None), (program, "python"), (among, None)):
            machine = ns.Machine(isa=isa, poison=size)
            machine.memory.alloc(size)
            assert machine.call(made, 2, engine=engine).steps > 0


STICKY = [
    ("smuad r0, r0, r1", 0x80008000, 0x80008000, 0, 1), ("smuad r0, r0, r1", 0x80008000, 0x80007FFF, 0, 0),
    ("smlabb r0, r0, r1, r2", 1, 1, 0x7FFFFFFF, 1), ("smlabb r0, r0, r1, r2", 1, 0xFFFF, 0x7FFFFFFF, 0),
    # The whole sum counts, not its parts: 2**31 - 1 is a word.
    ("smlad r0, r0, r1, r2", 0x80008000, 0x80008000, 0xFFFFFFFF, 0), ("qadd r0, r0, r1", 1 << 30, 1 << 30, 0, 1),
    ("smlalbb r3, r2, r0, r1", 1, 1, 0, 0), ("ssat r0, #4, r0", 8, 0, 0, 1), ("qadd8 r0, r0, r1", 127, 1, 0, 0)]


@pytest.mark.parametrize(("line", "n", "m", "a", "q", "engine"), [
    *((*case, engine) for case in STICKY for engine in (None, "interpreter", "python")),
    *(pytest.param(*case, "compiled", marks=[needs_compiler] if at < 2 else [needs_compiler, pytest.mark.nightly])
      for at, case in enumerate(STICKY))])
def test_the_sticky_flag_of_saturation(line: str, n: int, m: int, a: int, q: int, engine: Any) -> None:
    machine = ns.Machine("aarch32")
    machine.call(ns.assemble(f"mov r3, #0\n{line}\nadd r0, r0, #0\nbx lr", isa="aarch32"), n, m, a, engine=engine)
    assert machine.registers["q"] == q


@pytest.mark.parametrize("line", ["frint32z v1.2s, v0.2s", "frint64x d1, d0", "fjcvtzs w0, d0", "urecpe v1.4s, v0.4s"])
def test_each_translation_has_words_of_its_own(line: str) -> None:
    """FPCR is a name of the text that is being written: what was made with another text's name is not used again."""
    for before in ("", "add x9, x9, x8\n", "mul x9, x8, x8\nfadd v3.4s, v3.4s, v2.4s\n"):
        program, results = ns.assemble(f"{before}{line}\nret", "aarch64"), []
        for engine in ("interpreter", "python"):
            machine = ns.Machine()
            machine.registers["v0"] = np.array([2.5, -1e300])
            machine.call(program, engine=engine)
            results.append((bytes(machine.registers["v1"].data), int(machine.registers["x0"])))
        assert results[0] == results[1]


def test_only_what_is_run_often_is_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long code without a loop, once: the interpreter has done it before it is translated. Calls of it add up."""
    begun: list[str | None] = []

    def noted(program: ns.Program, entry: str | None) -> Any:
        begun.append(entry)
        return translate_python(program, entry)
    monkeypatch.setattr(sys.modules["neonsim.arm.machine.engines.python_engine"], "translate_python", noted)
    machine = ns.Machine(isa="aarch64")
    straight = ns.assemble("f:\n" + "add x0, x0, #1\n" * 499 + "ret", isa="aarch64")
    for call in range(25):
        assert machine.call(straight, 5, trace=False, sanitize=False).returned == 504
        assert len(begun) == (call >= 20)
    looping = ns.assemble("f:\nadd x0, x0, #1\nsub x1, x1, #1\ncbnz x1, f\nret", isa="aarch64")
    assert machine.call(looping, 0, 200, trace=False, sanitize=False).returned == 200
    assert len(begun) == 2
