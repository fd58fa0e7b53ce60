"""Built-in functions: exact ones against Python's integers and numpy, the others within what docs/library.md states."""

from __future__ import annotations

import importlib.util
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.arm.asm.library import built_in
from tests.tiers import every

HERE = Path(__file__).parent / "library"
PAGE = (Path(__file__).parents[3] / "docs" / "library.md").read_text()
RETURN = {"aarch64": "ret", "aarch32": "bx lr"}
ISAS = list(RETURN)


def call(isa: str, name: str, *arguments: Any, **options: Any) -> ns.CallResult:
    program = assemble(f".global f\nf: b {name}", isa)
    assert program.undefined == ()
    return ns.Machine(isa).call(program, *arguments, entry="f", **options)


def words(*values: int) -> list[int]:
    """64-bit numbers as arguments of AArch32: low and high word."""
    return [part for value in values for part in (value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF)]


@pytest.mark.parametrize("isa", ISAS)
def test_a_name_is_enough(isa: str) -> None:
    program = assemble(f".global f\nf: b sqrtf\n{RETURN[isa]}\n.data\np: .word 1", isa)
    assert program.text_length == 2 and list(program.built_in) == ["sqrtf"] and program.undefined == ()
    assert str(program).count("sqrtf") == 1 and assemble(str(program), isa) == program
    done = ns.Machine(isa).call(program, np.float32(2), entry="f")
    assert done.returned_single == np.sqrt(np.float32(2))
    assert done.trace is not None
    where = done.trace.program.instructions[int(done.trace.pc[1])].position
    assert where.path == "<built in: sqrtf>" and done.trace.program.lines[where.line - 1] == where.text


def test_its_cost_is_not_known() -> None:
    done = call("aarch64", "expf", np.float32(1))
    timing = ns.time(done.trace, "cortex-a53")
    assert timing.unknown["expf (built in)"] + timing.unknown["exponential (built in)"] == done.steps - 1
    assert "expf (built in)" in str(timing)


@pytest.mark.parametrize("isa", ISAS)
def test_ones_own_comes_first(isa: str) -> None:
    give = "mov w0, #7" if isa == "aarch64" else "mov r0, #7"
    program = assemble(f".global f\nf: b strlen\nstrlen: {give}\n{RETURN[isa]}", isa)
    assert program.text_length is None and ns.Machine(isa).call(program, 0).returned == 7
    user, other = assemble(".global f\nf: b strlen", isa), assemble(f".global strlen\nstrlen: {give}\n{RETURN[isa]}",
                                                                     isa)
    both = ns.link(user, other)
    assert both.text_length is None and ns.Machine(isa).call(both, 0, entry="f").returned == 7
    twice = ns.link(user, assemble(".global g\ng: b strlen", isa))
    assert list(twice.built_in) == ["strlen"] and twice.text_length == 2
    constant = assemble(f".set round, 3\nmov {'x0' if isa == 'aarch64' else 'r0'}, #round\n{RETURN[isa]}", isa)
    assert constant.text_length is None


@pytest.mark.parametrize("isa", ISAS)
def test_its_address(isa: str) -> None:
    """A table of functions: the listing keeps the name."""
    text = {"aarch64": ".global f\nf: adrp x1, t\nldr x1, [x1, :lo12:t]\nbr x1\n.data\nt: .xword sqrtf",
            "aarch32": ".global f\nf: ldr r1, =sqrtf\nbx r1"}[isa]
    program = assemble(text, isa)
    assert assemble(str(program), isa) == program
    assert ns.Machine(isa).call(program, np.float32(9), entry="f").returned_single == 3


@pytest.mark.parametrize("isa", ISAS)
def test_memory_is_checked_as_for_code(isa: str) -> None:
    machine = ns.Machine(isa)
    program = assemble(".global f\nf: b memcpy", isa)
    to, source = machine.memory.alloc(20, name="to"), machine.memory.place(np.arange(40, dtype=np.uint8), name="from")
    machine.call(program, to, source, 20)
    assert machine.memory.fetch("to").tobytes() == bytes(range(20))
    with pytest.raises(ns.MemoryFault, match=r'built in: memcpy(.|\n)*"to"'):
        machine.call(program, to, source, 21)
    with pytest.raises(ns.MachineError, match="`bl nowhere` goes to `nowhere`"):
        machine.call(assemble("f: bl nowhere\nnop", isa))


@pytest.mark.parametrize("isa", ISAS)
def test_memory_and_text(isa: str) -> None:
    data = np.random.default_rng(3).integers(1, 256, 64, np.uint8)
    for n in (0, 1, 16, 37):
        for name, to, start in (("memcpy", 0, 40), ("memmove", 5, 0), ("memmove", 0, 5), ("memmove", 3, 20)):
            machine = ns.Machine(isa)
            at = machine.memory.place(data, name="a")
            n = min(n, 24) if name == "memcpy" else n
            expected = data.copy()
            expected[to:to + n] = data[start:start + n]
            assert machine.call(assemble(f"b {name}", isa), at + to, at + start, n).returned == at + to
            assert machine.memory.fetch("a").tobytes() == expected.tobytes(), (name, n)
        machine = ns.Machine(isa)
        at = machine.memory.place(data, name="a")
        machine.call(assemble("b memset", isa), at, 0x1A5, n)
        assert machine.memory.fetch("a").tobytes() == b"\xa5" * n + data[n:].tobytes()
    machine = ns.Machine(isa)
    a, b = (machine.memory.place(np.frombuffer(text, np.uint8), name=name) for name, text in (
        ("a", b"needles\0"), ("b", b"needlf\0")))
    assert machine.call(assemble("b strlen", isa), a).returned == 7
    assert machine.call(assemble("b strcmp", isa), a, b).returned & 1 << 31
    assert machine.call(assemble("b memcmp", isa), b, a, 7).returned == 1
    assert machine.call(assemble("b memcmp", isa), b, a, 5).returned == 0


EDGES = [0, 1, 2, 3, 10, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x123456789ABCDEF, (1 << 53) + 1,
         (1 << 54) + 3, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFF8000000001, 0xFFFFFFFFFFFFFFFF]


def signed(value: int) -> int:
    return value - ((value >> 63 & 1) << 64)


def test_numbers_of_64_bits_on_aarch32() -> None:
    programs = {name: assemble(f".global f\nf: push {{r4, lr}}\nbl {name}\npush {{r0, r1, r2, r3}}\nldr r4, [sp, #16]\n"
                               "pop {r0, r1, r2, r3}\npop {r4, pc}", "aarch32") for name in
                ("__aeabi_uldivmod", "__aeabi_ldivmod", "__aeabi_lmul")}
    machine = ns.Machine("aarch32")

    def result(name: str, a: int, b: int) -> tuple[int, int]:
        machine.call(programs[name], *words(a, b), entry="f", trace=False, sanitize=False)
        r = [int(machine.registers[f"r{i}"]) for i in range(4)]
        return r[0] | r[1] << 32, r[2] | r[3] << 32

    for i, a in enumerate(EDGES[1::2]):
        for b in (EDGES[i * 7 % 16],):
            assert result("__aeabi_lmul", a, b)[0] == a * b % (1 << 64)
            if b:
                assert result("__aeabi_uldivmod", a, b) == (a // b, a % b)
                x, y = signed(a), signed(b)
                quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                assert result("__aeabi_ldivmod", a, b) == (quotient % (1 << 64), (x - quotient * y) % (1 << 64)), (x, y)
    with pytest.raises(ns.MachineError, match="built in: divided"):
        result("__aeabi_uldivmod", 1, 0)


def test_conversions_of_64_bits_on_aarch32() -> None:
    def base(name: str, *arguments: int) -> int:
        """What comes back in r0 and r1."""
        machine = ns.Machine("aarch32")
        machine.call(assemble(f"b {name}", "aarch32"), *arguments, trace=False, sanitize=False)
        return int(machine.registers["r0"]) | int(machine.registers["r1"]) << 32

    for value in EDGES[1::3]:
        assert base("__aeabi_ul2d", *words(value)) == int.from_bytes(np.float64(value).tobytes(), "little")
        assert base("__aeabi_l2d", *words(value)) == int.from_bytes(np.float64(signed(value)).tobytes(), "little")
        single = {name: base(f"__aeabi_{name}", *words(value)) & 0xFFFFFFFF for name in ("l2f", "ul2f")}
        assert single["ul2f"] == int(np.uint64(value).astype(np.float32).view(np.uint32)), value
        assert single["l2f"] == int(np.int64(signed(value)).astype(np.float32).view(np.uint32)), value
    for x in (0.0, 0.75, -0.75, 4294967296.5, -1e15, 2.0 ** 62, -(2.0 ** 63)):
        bits = int.from_bytes(np.float64(x).tobytes(), "little")
        assert signed(base("__aeabi_d2lz", *words(bits))) == int(x)
        if x >= 0:
            assert base("__aeabi_d2ulz", *words(bits)) == int(x)
    assert base("__gnu_f2h_ieee", 0x3F800000) & 0xFFFF == 0x3C00 and base("__gnu_h2f_ieee", 0xC000) % (1 << 32) == \
        0xC0000000


@pytest.mark.parametrize("isa", ISAS)
def test_exact_ones(isa: str) -> None:
    for x in (2.5, -2.5, 0.49999999, 1e300):
        for name, right in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc), ("rint", round),
                            ("round", lambda v: math.copysign(math.floor(abs(v) + 0.5), v))):
            if x != 0.49999999 or name != "round":
                assert call(isa, name, x, trace=False).returned_float == right(x), name
        assert call(isa, "fabs", x, trace=False).returned_float == abs(x)
    assert call(isa, "sqrt", 2.0).returned_float == math.sqrt(2)
    assert call(isa, "fma", 1 + 2.0 ** -52, 1 - 2.0 ** -52, -1.0).returned_float == -(2.0 ** -104)
    for a, b in ((1e20, 7.7), (-5.5, 2.0), (5e-324, 3.0), (9.0, 3.0), (3e-290, 1.5e-310)):
        assert call(isa, "fmod", a, b, trace=False).returned_float == math.fmod(a, b), (a, b)
    assert call(isa, "fmin", math.nan, 2.0).returned_float == 2
    assert call(isa, "fmaxf", np.float32(-1), np.float32(3)).returned_single == 3


def stated() -> dict[str, float]:
    """{function: most ulp} as the page says."""
    rows = re.findall(r"^\| `(\w+)` +\| [^|]*\| (0\.\d+|\d\.\d+) ", PAGE, re.MULTILINE)
    return {name: float(ulp) for name, ulp in rows}


def test_the_page_names_them_all() -> None:
    for isa in ISAS:
        for name in built_in(isa):
            assert f"`{name}`" in PAGE, name


@pytest.mark.parametrize(("name", "isa"), every(3, ((name, isa) for name in ("exp", "log", "sin", "cos", "tanh", "pow")
                                                    for isa in ISAS)))
def test_within_what_is_stated(name: str, isa: str) -> None:
    """Both precisions, at ordinary and far points; numpy's extended precision is the judge."""
    rng = np.random.default_rng(5)
    points = [*rng.uniform(0.01, 9, 2), 1.0, 1e-9, 700.0] + ([1e22] if name in "sincos" else [])
    for kind in (np.float64, np.float32):
        suffix = "f" if kind is np.float32 else ""
        program, machine = assemble(f".global f\nf: b {name}{suffix}", isa), ns.Machine(isa)
        for point in points:
            given = [kind(point)] + ([kind(1.75)] if name == "pow" else [])
            with np.errstate(over="ignore"):
                extended = [np.longdouble(x) for x in given]
                right = np.longdouble(extended[0] ** extended[1] if name == "pow" else getattr(np, name)(extended[0]))
                if point > 1e20:  # numpy's argument reduction is not judged, Python's is
                    right = np.longdouble(getattr(math, name)(float(given[0])))
                rounded: Any = kind(right)
            done = machine.call(program, *given, entry="f", trace=False)
            got = kind(done.returned_float if kind is np.float64 else done.returned_single)
            if np.isinf(rounded):
                assert got == rounded
            else:
                most = stated()[name + suffix] + 0.01 + (point > 1e20)
                assert abs(np.longdouble(got) - right) <= most * np.spacing(abs(rounded)), (point, got, right)


@pytest.mark.parametrize(("name", "arguments", "right"), [
    ("exp", [math.inf], math.inf), ("exp", [-math.inf], 0), ("exp", [math.nan], math.nan), ("log", [0.0], -math.inf),
    ("log", [-1.0], math.nan), ("log", [math.inf], math.inf), ("sin", [math.inf], math.nan), ("pow", [-2.0, 3.0], -8),
    ("pow", [-2.0, 0.5], math.nan), ("pow", [0.0, -1.0], math.inf), ("pow", [math.nan, 0.0], 1),
    ("exp", [-745.1], 5e-324),
    ("pow", [-0.0, 3.0], -0.0), ("pow", [math.inf, -2.0], 0), ("tanh", [-50.0], -1), ("tanh", [-0.0], -0.0),
    ("log", [5e-324], math.log(5e-324))])
def test_ends(name: str, arguments: list[float], right: float) -> None:
    found = call("aarch64", name, *arguments, trace=False).returned_float
    assert repr(found) == repr(float(right))


def record() -> Any:
    spec = importlib.util.spec_from_file_location("library_record", HERE / "record.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ISAS)
def test_the_text_is_what_gcc_makes_of_the_definitions(isa: str) -> None:
    module = record()
    tool = module.COMPILERS[isa][0]
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}: make system-packages")
    if not subprocess.run([tool, "-dumpversion"], capture_output=True, text=True, check=True).stdout.startswith("12"):
        pytest.skip("recorded with GCC 12")
    assert module.recorded(isa) == (module.HERE / f"{isa}.s").read_text()



@pytest.mark.parametrize("isa", ISAS)
def test_helpers_of_compilers(isa: str) -> None:
    assert call(isa, "__popcountsi2", 0xF0F0, trace=False).returned == 8
    assert call(isa, "__ffssi2", 8, trace=False).returned == 4
    assert call(isa, "__powisf2", np.float32(3), 4, trace=False).returned_single == 81
    assert call(isa, "nextafterf", np.float32(1), np.float32(2), trace=False).returned_single == \
        np.nextafter(np.float32(1), np.float32(2))
    assert call(isa, "__mulsc3", *map(np.float32, (1, 2, 3, 4)), trace=False).returned_single == -5
    assert call(isa, "scalbn", 1.5, -1074, trace=False).returned_float == math.ldexp(1.5, -1074)
    assert call(isa, "remainder", 5.0, 3.0, trace=False).returned_float == -1
    assert call(isa, "lrintf", np.float32(2.5), trace=False).returned == 2


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ISAS)
def test_exact_ones_beside_glibc_and_libgcc(isa: str, tmp_path: Path) -> None:
    """20,000 inputs of each under QEMU: not one bit differs."""
    module, ours, run = record(), tmp_path / "ours.o", tmp_path / "compare"
    gcc, qemu = module.COMPILERS[isa][0], {"aarch64": "qemu-aarch64", "aarch32": "qemu-arm"}[isa]
    for tool in (gcc, qemu):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}: make system-packages")
    subprocess.run([*module.COMPILERS[isa], *(one for one in module.OPTIONS if one != "-S"), "-c",
                    str(module.HERE / "library.c"), "-o", str(ours)], check=True)
    subprocess.run([gcc.replace("gcc", "objcopy"), "--prefix-symbols=ours_", str(ours)], check=True)
    subprocess.run([gcc, "-w", "-O1", "-fno-builtin", "-static", str(HERE / "compare.c"), str(ours), "-lm", "-o",
                    str(run)], check=True)
    lines = subprocess.run([qemu, str(run), "20000"], capture_output=True, text=True, check=True, timeout=300).stdout
    assert lines == "0 differ\n"


@pytest.mark.nightly
def test_errors_against_quadruple_precision(tmp_path: Path) -> None:
    """200,000 inputs of every function under QEMU: none is farther off than the page says."""
    for tool in ("aarch64-linux-gnu-gcc", "qemu-aarch64"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}: make system-packages")
    module, ours, run = record(), tmp_path / "ours.o", tmp_path / "measure"
    options = [one for one in module.OPTIONS if one != "-S"]
    subprocess.run([*module.COMPILERS["aarch64"], *options, "-c", str(module.HERE / "library.c"), "-o", str(ours)],
                   check=True)
    subprocess.run(["aarch64-linux-gnu-objcopy", "--prefix-symbols=ours_", str(ours)], check=True)
    subprocess.run(["aarch64-linux-gnu-gcc", "-O2", "-static", str(HERE / "measure.c"), str(ours), "-lm", "-o",
                    str(run)], check=True)
    lines = subprocess.run(["qemu-aarch64", str(run), "200000"], capture_output=True, text=True, check=True).stdout
    found = {line.split()[0]: float(line.split()[1]) for line in lines.splitlines()}
    assert found.keys() == stated().keys()
    for name, ulp in found.items():
        assert ulp <= stated()[name], (name, ulp)
