"""Finding, loading and refusing: what is missing is said, and no argument can crash the library."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import get
from neonsim.nn.backends.native import backend
from neonsim.nn.backends.native import library as native_library
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.packing import block_of, pack, pack_gemm, pack_gemm_xzp

needs_library = pytest.mark.skipif(backend.available() is not None, reason=f"native backend: {backend.available()}")

P = Q31Params.from_scale(0.01, a_zero_point=3, w_zero_point=5, output_zero_point=7)
A = np.arange(4 * 6, dtype=np.uint8).reshape(4, 6)
W = np.arange(8 * 6, dtype=np.uint8).reshape(8, 6)
BIAS = np.zeros(8, np.int32)
PACKED = pack_gemm(W, BIAS, nr=8, a_zero_point=3, w_zero_point=5)
PACKED_XZP = pack_gemm_xzp(W, BIAS, a_zero_point=3, w_zero_point=5)


# ---- without the library ---------------------------------------------------------------------------------------------

@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As if this file of neonsim lay in another, empty place and nothing were loaded yet."""
    package = tmp_path / "neonsim" / "nn" / "backends" / "native"
    package.mkdir(parents=True)
    monkeypatch.setattr(native_library, "__file__", str(package / "library.py"))
    monkeypatch.setattr(native_library, "_library", None)
    native_library._variants.cache_clear()
    yield tmp_path
    native_library._variants.cache_clear()


def as_checkout(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in ("native/src/contracts", "native/include", "kernels", "build/native"):
        (root / folder).mkdir(parents=True)
    (root / "native" / "CMakeLists.txt").touch()
    (root / "native" / "src" / "entry.c").touch()
    return root / "build" / "native" / native_library._FILE


def test_import_does_not_load_it() -> None:
    code = "import neonsim, neonsim.nn.backends.native.library as n; assert n._library is None"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})


def test_installed_without_a_library(elsewhere: Path) -> None:
    assert "installed without its C library" in str(backend.available())
    with pytest.raises(BackendError, match="installed without its C library"):
        backend.variants()
    with pytest.raises(BackendError, match="installed without its C library"):
        backend.gemm(A, PACKED, P)
    assert backend.NativeBackend().kernels() == ()
    assert backend.NativeBackend().find("qu8_gemm_q31") == ()


def test_a_missing_compiler_is_named(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(elsewhere))
    monkeypatch.delenv("CC", raising=False)
    assert "no C compiler" in str(backend.available())
    assert "apt-get install gcc" in str(backend.available())


def test_checkout_that_was_not_built(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_checkout(elsewhere, monkeypatch)
    assert "not built" in str(backend.available())
    assert "make native" in str(backend.available())


def test_a_library_older_than_its_sources_is_refused(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = as_checkout(elsewhere, monkeypatch)
    library.touch()
    os.utime(library, (1, 1))
    assert "older than native" in str(backend.available())
    assert "entry.c" in str(backend.available())


def test_a_library_older_than_an_assembled_kernel_is_refused(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = as_checkout(elsewhere, monkeypatch)
    for name in ("gemm/assembled.S", "lessons/not_part_of_it.S"):
        (elsewhere / "kernels" / name).parent.mkdir()
        (elsewhere / "kernels" / name).touch()
    (library.parent / "kernels").mkdir()
    (library.parent / "kernels" / "assembled.S").touch()
    library.touch()
    os.utime(elsewhere / "native" / "src" / "entry.c", (1, 1))
    os.utime(elsewhere / "kernels" / "gemm" / "assembled.S", (1, 1))
    assert "cannot be loaded" in str(backend.available())     # an empty file, but not an old one
    os.utime(library, (2, 2))
    os.utime(elsewhere / "kernels" / "gemm" / "assembled.S", (3, 3))
    assert "older than kernels" in str(backend.available())


def test_a_file_that_is_no_library(elsewhere: Path) -> None:
    (elsewhere / "neonsim" / "nn" / "backends" / "native" / native_library._FILE).write_bytes(b"no ELF")
    assert "cannot be loaded" in str(backend.available())


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("text", "message"), [
    ("unsigned neonsim_abi_version(void) { return 999; }", "ABI version 999"),
    (f"unsigned neonsim_abi_version(void) {{ return {native_library.ABI_VERSION}; }}", "cannot be loaded"),
], ids=["other_version", "function_missing"])
def test_a_library_of_another_version(elsewhere: Path, text: str, message: str) -> None:
    source = elsewhere / "other.c"
    source.write_text(text)
    library = elsewhere / "neonsim" / "nn" / "backends" / "native" / native_library._FILE
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    assert message in str(backend.available())


# ---- choosing --------------------------------------------------------------------------------------------------------

@needs_library
def test_variants_are_listed_with_what_is_missing() -> None:
    names = [v.name for v in backend.variants()]
    assert len(names) == len(set(names))
    assert {"qu8_gemm_q31_4x8__scalar", "qu8_gemm_q31_8x8__neon_mlal_lane",
            "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"} <= set(names)
    for v in backend.variants():
        left, right = v.name.split("__")
        assert left.startswith(v.contract)
        assert right.split("_")[0] == v.isa
        assert (v.missing is None) or v.missing.startswith("not compiled in") or "no NEON" in v.missing
    assert {v.contract for v in backend.variants() if v.missing is None} == set(backend.contracts())


@needs_library
def test_the_table_has_no_rows_of_files_that_are_gone() -> None:
    # That every file has its row is a rule of the catalogue (tests/ukernel/test_catalog.py).
    folder = Path(backend.__file__).parents[4] / "kernels"
    files = {path.stem for path in folder.rglob("*.S") if "__" in path.stem}
    assembly = {v.name for v in backend.variants() if v.isa.startswith("aarch")}
    assert not assembly - files


@needs_library
def test_cpu_info() -> None:
    info = backend.cpu_info()
    assert info["default"].keys() == set(backend.contracts())
    assert Path(info["library"]).is_file()


def isa(value: str) -> subprocess.CompletedProcess[str]:
    code = ("from neonsim.nn.backends.native import backend\n"
            "print(backend.default_variant('qu8_gemm_q31').name)")
    environment = os.environ | {"NEONSIM_ISA": value, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


@needs_library
def test_neonsim_isa_restricts_the_choice() -> None:
    assert isa("scalar").stdout.strip() == "qu8_gemm_q31_4x8__scalar"


@pytest.mark.nightly
@needs_library
def test_neonsim_isa_that_is_not_there_is_an_error() -> None:
    result = isa("sve9")
    assert result.returncode != 0
    assert "NEONSIM_ISA is 'sve9'" in result.stderr
    assert "scalar" in result.stderr


@needs_library
def test_unknown_and_unavailable_variants() -> None:
    with pytest.raises(BackendError, match="no such kernel") as error:
        backend.gemm(A, PACKED, P, variant="qu8_gemm_q31_9x9__scalar")
    assert "qu8_gemm_q31_4x8__scalar" in str(error.value)
    for v in backend.variants():
        if v.missing is not None and v.contract == "qu8_gemm_q31":
            with pytest.raises(BackendError, match="not compiled in"):
                backend.qu8_gemm_q31(A, PACKED, P, variant=v.name)
    with pytest.raises(BadArgument, match="no contract"):
        backend.variants("qs8_gemm")


@needs_library
def test_what_it_finds() -> None:
    chosen = get("native")
    assert chosen.find("qu8_gemm_q31")[0].name == backend.default_variant("qu8_gemm_q31").name
    assert [one.name for one in chosen.find("qu8_sumrows", "qu8_sumrows_4x__scalar")] == ["qu8_sumrows_4x__scalar"]
    assert chosen.find("qu8_gemm_q31", "nonsense") == ()


# ---- arguments -------------------------------------------------------------------------------------------------------

def overlapping() -> Any:
    buffer = np.zeros((4, 16), np.uint8)
    return backend.gemm(buffer[:, :6], PACKED, P, out=buffer[:, 4:12])


def read_only() -> Any:
    out = np.zeros((4, 8), np.uint8)
    out.flags.writeable = False
    return backend.gemm(A, PACKED, P, out=out)


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "lhs_list": (lambda: backend.gemm([[1]], PACKED, P), "lhs must be a numpy array"),       # type: ignore[arg-type]
    "lhs_int8": (lambda: backend.gemm(A.view(np.int8), PACKED, P), "uint8 with two axes"),
    "lhs_one_axis": (lambda: backend.gemm(A[0], PACKED, P), "two axes"),
    "lhs_no_rows": (lambda: backend.gemm(A[:0], PACKED, P), "neither of length 0"),
    "lhs_depth": (lambda: backend.gemm(A[:, :5].copy(), PACKED, P), "must have 6 columns"),
    "lhs_every_other_byte": (lambda: backend.gemm(np.zeros((4, 12), np.uint8)[:, ::2], PACKED, P),
                             "next to each other"),
    "lhs_transposed": (lambda: backend.gemm(np.zeros((6, 4), np.uint8).T, PACKED, P), "next to each other"),
    "lhs_upside_down": (lambda: backend.gemm(A[::-1], PACKED, P), "ascending"),
    "lhs_broadcast": (lambda: backend.gemm(np.broadcast_to(A[0], (4, 6)), PACKED, P), "0 bytes apart"),
    "weights_not_packed": (lambda: backend.gemm(A, W, P), "packed"),                         # type: ignore[arg-type]
    "weights_of_the_other_kernel": (lambda: backend.gemm(A, PACKED_XZP, P), "kr 1"),
    "weights_int8": (lambda: backend.gemm(A, pack_gemm(W.view(np.int8), BIAS, nr=8, a_zero_point=3, w_zero_point=5), P),
                     "uint8 weights"),
    "weights_nr_4": (lambda: backend.gemm(A, pack(W, BIAS, nr=4, a_zero_point=3, w_zero_point=5, padding=5), P),
                     "nr 8"),
    "zero_point_of_a": (lambda: backend.gemm(A, pack_gemm(W, BIAS, nr=8, a_zero_point=4, w_zero_point=5), P),
                        "zero points"),
    "zero_point_of_w": (lambda: backend.gemm(A, pack_gemm(W, BIAS, nr=8, a_zero_point=3, w_zero_point=6), P),
                        "zero points"),
    "params": (lambda: backend.gemm(A, PACKED, b"0123456789abcdef"), "Q31Params"),           # type: ignore[arg-type]
    "threads_zero": (lambda: backend.gemm(A, PACKED, P, threads=0), "threads must be in 1"),
    "threads_float": (lambda: backend.gemm(A, PACKED, P, threads=1.5), "integer"),           # type: ignore[arg-type]
    "out_shape": (lambda: backend.gemm(A, PACKED, P, out=np.zeros((4, 7), np.uint8)), "must have 8 columns"),
    "out_rows": (lambda: backend.gemm(A, PACKED, P, out=np.zeros((3, 8), np.uint8)), "must have 4 rows"),
    "out_overlaps": (overlapping, "overlaps"),
    "out_read_only": (read_only, "read-only"),
    "tile_too_high": (lambda: backend.qu8_gemm_q31(np.zeros((9, 6), np.uint8), PACKED, P), "asked for 9"),
    "tile_too_wide": (lambda: backend.qu8_gemm_q31(
        A, pack_gemm(np.vstack([W, W]), np.zeros(16, np.int32), nr=8, a_zero_point=3, w_zero_point=5), P), "by 16"),
    "a_sum_short": (lambda: backend.qu8_gemm_xzp_q31(A, np.zeros(3, np.int32), PACKED_XZP, P), r"int32 \[4\]"),
    "a_sum_int64": (lambda: backend.qu8_gemm_xzp_q31(A, np.zeros(4, np.int64), PACKED_XZP, P),
                    "int64"),
    "sumrows_rows": (lambda: backend.qu8_sumrows(np.zeros((5, 2), np.uint8), 1), "4 rows"),
    "sumrows_multiplier": (lambda: backend.qu8_sumrows(A, 2**31), "multiplier"),
    "sumrows_out": (lambda: backend.qu8_sumrows(A, 1, out=np.zeros(8, np.int32)[::2]), "contiguous"),
}


@needs_library
@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(BadArgument, match=message):
        call()


@needs_library
def test_one_row_may_have_any_stride() -> None:
    whole = backend.gemm(A, PACKED, P)
    for row in range(4):
        np.testing.assert_array_equal(backend.gemm(A[::-1][3 - row : 4 - row], PACKED, P), whole[row : row + 1])


@needs_library
def test_entry_points_refuse_instead_of_crashing() -> None:
    """NULL, zero, too large and overflowing sizes straight into the C functions, past the checks of the wrapper."""
    library = native_library.require()
    name, block = b"qu8_gemm_q31_4x8__scalar", block_of(P)
    a, w, c = A.ctypes.data, PACKED.data.ctypes.data, np.zeros(32, np.uint8)
    top = ctypes.c_size_t(-1).value
    null, zero, large, stride, invalid, unknown = 1, 2, 3, 4, 5, 6
    rows = (
        ((name, 4, 8, 6, a, 6, w, c.ctypes.data, 8, block), 0),
        ((name, 4, 8, 6, None, 6, w, c.ctypes.data, 8, block), null),
        ((name, 4, 8, 6, a, 6, None, c.ctypes.data, 8, block), null),
        ((name, 4, 8, 6, a, 6, w, None, 8, block), null),
        ((name, 4, 8, 6, a, 6, w, c.ctypes.data, 8, None), null),
        ((name, 0, 8, 6, a, 6, w, c.ctypes.data, 8, block), zero),
        ((name, 4, 0, 6, a, 6, w, c.ctypes.data, 8, block), zero),
        ((name, 4, 8, 0, a, 6, w, c.ctypes.data, 8, block), zero),
        ((name, 5, 8, 6, a, 6, w, c.ctypes.data, 8, block), large),
        ((name, top, 8, 6, a, 6, w, c.ctypes.data, 8, block), large),
        ((name, 4, top, 6, a, 6, w, c.ctypes.data, top, block), large),
        ((name, 4, 8, top, a, top, w, c.ctypes.data, 8, block), large),
        ((name, 4, 8, 6, a, 5, w, c.ctypes.data, 8, block), stride),
        ((name, 4, 8, 6, a, 6, w, c.ctypes.data, 7, block), stride),
        ((name, 4, 8, 6, a, 6, w, c.ctypes.data, 8, bytes(16)), invalid),
        ((b"no such thing", 4, 8, 6, a, 6, w, c.ctypes.data, 8, block), unknown),
    )
    for arguments, status in rows:
        assert library.neonsim_qu8_gemm_q31(*arguments) == status, arguments
        if status not in (0, large) or arguments[3] == top:
            assert library.neonsim_gemm_qu8_q31(*arguments, 1) == status, arguments
    assert library.neonsim_gemm_qu8_q31(name, 4, 8, 6, a, 6, w, c.ctypes.data, 8, block, 0) == zero
    assert library.neonsim_gemm_qu8_q31(name, top, 8, 6, a, 6, w, c.ctypes.data, 8, block, 1) == large
    assert library.neonsim_qu8_sumrows(None, a, 4, 6, 6, 1, None) == null
    assert library.neonsim_qu8_sumrows(None, a, 4, 6, 5, 1, c.ctypes.data) == stride


# ---- what the processor has ------------------------------------------------------------------------------------------

EVERY_FEATURE = ("neon,sse2,sse41,avx2,avxvnni,avx512bw,avx512vnni,amxint8,"
                 "dotprod,i8mm,neonv8,simd128,nonsense,,NEON, amxint8")
RUN_EVERYTHING = """
import numpy as np
from neonsim.nn.backends.native import backend
from neonsim.nn.backends.native.network import NetworkLayer, NativeNetwork, families
from neonsim.errors import UnsupportedHardware
from neonsim.ukernel.packing import pack_gemm
from neonsim.quant.params.gemm_steps import Q31Params

rng = np.random.default_rng(1)
conv = NetworkLayer.create("conv", input_height=9, input_width=9, input_channels=70, output_height=9, output_width=9,
                           output_channels=40, kernel_height=3, kernel_width=3, pad_top=1, pad_left=1, input_stride=70,
                           output_stride=40, output=8192, multiplier=2**30, shift=9,
                           weights=rng.integers(-9, 9, (40, 3, 3, 70), np.int8))
depthwise = NetworkLayer.create("depthwise", input_height=9, input_width=9, input_channels=40, output_height=9,
                                output_width=9, output_channels=40, groups=40, kernel_height=3, kernel_width=3,
                                pad_top=1, pad_left=1, input_stride=40, output_stride=40, input=8192, output=16384,
                                multiplier=2**30, shift=3, weights=rng.integers(-9, 9, (40, 3, 3, 1), np.int8))
image, seen = rng.integers(0, 256, 8192, np.uint8), {}
for name, missing in families().items():
    network = NativeNetwork([conv, depthwise], 32768, name)
    network.arena[:8192] = image
    try:
        network.run()
    except UnsupportedHardware as refused:
        assert missing and missing in str(refused)
        continue
    assert missing is None
    seen[name] = network.arena.tobytes()
assert len(set(seen.values())) == 1
p = Q31Params.from_scale(0.01, a_zero_point=3, w_zero_point=5, output_zero_point=7)
w = pack_gemm(np.ones((8, 6), np.uint8), np.zeros(8, np.int32), nr=8, a_zero_point=3, w_zero_point=5)
for variant in backend.variants("qu8_gemm_q31"):
    if variant.missing is None and (variant.mr, variant.nr) in ((4, 8), (8, 8)):
        backend.gemm(np.ones((4, 6), np.uint8), w, p, variant=variant.name)
print(*backend.cpu_info()["features"])
"""


@pytest.mark.slow
@needs_library
def test_no_wish_gives_the_processor_what_it_lacks() -> None:
    """NEONSIM_WITH names every feature there is, and rubbish: nothing dies, nothing is promised that is not there."""
    def features(**environment: str) -> list[str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("NEONSIM_WITH")}
        done = subprocess.run([sys.executable, "-c", RUN_EVERYTHING], capture_output=True, text=True, check=False,
                              env={**plain, **environment})
        assert done.returncode == 0, done.stderr or done.returncode
        return done.stdout.split()

    there = features()
    assert features(NEONSIM_WITH=EVERY_FEATURE) == there
    assert features(NEONSIM_WITHOUT=",".join(there)) == []
    assert features(NEONSIM_WITHOUT=",".join(there), NEONSIM_WITH=EVERY_FEATURE) == there
