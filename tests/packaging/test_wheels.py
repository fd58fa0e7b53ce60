"""Wheels made by `python -m native.wheels`: libraries of other machines load and compute where something runs them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from native.wheels import __main__ as wheels
from neonsim.nn.backends.native import library as native_library

ROOT = Path(__file__).parents[2]
TARGETS = wheels.TARGETS
full = pytest.mark.nightly


def test_libraries_bear_the_names_that_are_loaded() -> None:
    for target in TARGETS.values():
        assert target.library == native_library.file_name(target.system), target.name
    assert native_library.file_name("FreeBSD") == "libneonsim.so"


@pytest.mark.parametrize(("system", "name"), [("Windows", "libneonsim.dll"), ("Darwin", "libneonsim.dylib")])
def test_what_a_damaged_library_of_another_system_says(system: str, name: str, tmp_path: Path) -> None:
    """Found under its name; what cannot be loaded is refused in a sentence, and the emulator needs none."""
    package = tmp_path / "lib" / "neonsim"
    shutil.copytree(ROOT / "neonsim", package, ignore=shutil.ignore_patterns("__pycache__", "static"))
    (package / "nn" / "backends" / "native" / name).write_bytes(b"no library")
    code = (f"import platform; platform.system = lambda: {system!r}\n"
            "from neonsim.nn.backends.native import library as n\nprint(n.__file__, n.available())")
    path = [str(tmp_path / "lib"), *sys.path]
    done = subprocess.run([sys.executable, "-P", "-S", "-c", f"import sys; sys.path[:] = {path!r}\n{code}"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(package) in done.stdout
    assert f"{name} cannot be loaded" in done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every wheel, by its target."""
    needed = ("ziglang", "auditwheel", "twine", "build", "wheel")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: run it through `make nightly`")
    folder = tmp_path_factory.mktemp("wheels")
    assert wheels.main(["--into", str(folder)]) == 0
    found = {name: next(folder.glob(f"*-{target.tag}.whl")) for name, target in TARGETS.items()}
    return found | {wheels.PURE: next(folder.glob("*-none-any.whl"))}


def library(wheel: Path, target: wheels.Target, folder: Path) -> Path:
    """The C library of a wheel, unpacked."""
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(f"neonsim/nn/backends/{target.library}", folder))


@full
def test_the_same_python_in_every_wheel(made: dict[str, Path]) -> None:
    def contents(path: Path) -> dict[str, int]:
        with zipfile.ZipFile(path) as archive:
            return {entry.filename: entry.CRC for entry in archive.infolist() if ".dist-info/" not in entry.filename}

    plain = contents(made[wheels.PURE])
    for name, target in TARGETS.items():
        inside = contents(made[name])
        assert set(inside) - set(plain) == {f"neonsim/nn/backends/{target.library}"}
        assert {key: inside[key] for key in plain} == plain
        with zipfile.ZipFile(made[name]) as archive:
            (said,) = [entry for entry in archive.namelist() if entry.endswith(".dist-info/WHEEL")]
            text = archive.read(said).decode()
        assert re.findall("^Tag: (.*)$", text, re.M) == [f"py3-none-{target.tag}"]
        assert "Root-Is-Purelib: false" in text


@full
def test_licenses_of_what_the_compiler_adds_travel_with_it(made: dict[str, Path]) -> None:
    own = ["BSD-3-Clause", "CC-BY-SA-3.0"]
    added = {"Windows": (["MIT", "ZPL-2.1"], {"LICENSE-zig": "MIT License", "COPYING-mingw-w64": "Zope Public License",
                                              "COPYING-winpthreads": "Lockless Inc."}),
             "Linux": (["MIT"], {"LICENSE-zig": "MIT License"}), "Darwin": (["MIT"], {"LICENSE-zig": "MIT License"})}
    for name, wheel in made.items():
        licenses, texts = added[TARGETS[name].system] if name in TARGETS else ([], {})
        with zipfile.ZipFile(wheel) as archive:
            (metadata,) = [entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA")]
            head = archive.read(metadata).decode().partition("\n\n")[0]
            inside = {entry.rpartition("/")[2]: archive.read(entry).decode() for entry in archive.namelist()
                      if ".dist-info/licenses/" in entry}
        (expression,) = re.findall("^License-Expression: (.*)$", head, re.M)
        assert expression.split(" AND ") == own + licenses
        files = set(re.findall("^License-File: (.*)$", head, re.M))
        assert files == set(inside) == {"LICENSE", "THIRD-PARTY.md", *texts}
        assert "MNIST" in inside["THIRD-PARTY.md"] and inside["LICENSE"].startswith("BSD 3-Clause")
        for file, words in texts.items():
            assert words in inside[file], file


MACHINES = {"linux-x86_64": (b"\x7fELF", 18, "<H", 62), "linux-aarch64": (b"\x7fELF", 18, "<H", 183),
            "macos-x86_64": (b"\xcf\xfa\xed\xfe", 4, "<I", 0x01000007),
            "macos-arm64": (b"\xcf\xfa\xed\xfe", 4, "<I", 0x0100000C)}


@full
@pytest.mark.parametrize("name", TARGETS)
def test_libraries_are_of_their_machines(made: dict[str, Path], name: str, tmp_path: Path) -> None:
    content = library(made[name], TARGETS[name], tmp_path).read_bytes()
    if name in MACHINES:
        magic, place, form, machine = MACHINES[name]
        assert content.startswith(magic)
        assert struct.unpack_from(form, content, place) == (machine,)
    else:
        (place,) = struct.unpack_from("<I", content, 0x3C)
        assert content.startswith(b"MZ") and content[place:place + 4] == b"PE\0\0"
        assert struct.unpack_from("<H", content, place + 4) == (0x8664,)
    assert b"neonsim_network_run" in content


@full
@pytest.mark.parametrize(("name", "runner", "options"), [
    ("linux-x86_64", None, ()), ("linux-aarch64", "qemu-aarch64", ("-L", "/usr/aarch64-linux-gnu")),
    ("windows-x86_64", "/usr/lib/wine/wine64", ())])
def test_libraries_load_and_compute(made: dict[str, Path], name: str, runner: str | None, options: tuple[str, ...],
                                    tmp_path: Path) -> None:
    if runner is not None and shutil.which(runner) is None:
        pytest.skip(f"needs {runner}: `make system-packages`, and of Windows Debian's wine64")
    target, windows = TARGETS[name], name.startswith("windows")
    program = tmp_path / ("load.exe" if windows else "load")
    wheels.run(sys.executable, "-m", "ziglang", "cc", "-O1", "-target", target.zig, "-I", ROOT / "native" / "include",
               ROOT / "tests" / "packaging" / "load.c", "-o", program)
    path = str(library(made[name], target, tmp_path))
    command = [runner, *options] if runner else []
    done = subprocess.run([*command, str(program), path.replace("/", "\\") if windows else path],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all"})
    said = rf"^abi {native_library.ABI_VERSION}, variants [1-9]\d*, wrong 0"
    assert re.search(said, done.stdout), done.stdout + done.stderr


@full
def test_wheels_in_environments_of_their_own(made: dict[str, Path], tmp_path: Path) -> None:
    """The one for this machine has the native backend, the one without C all the rest."""
    for name in ("linux-x86_64", wheels.PURE):
        folder = tmp_path / name
        wheels.run(sys.executable, "-m", "virtualenv", "--quiet", folder)
        python = folder / "bin" / "python"
        wheels.run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", made[name])
        code = "from neonsim.nn.backends.native import library as n; print(n.__file__, n.available())"
        said = wheels.run(python, "-P", "-c", code)
        assert str(folder) in said
        assert said.strip().endswith(" None") == (name != wheels.PURE)
        assert "native" in wheels.run(folder / "bin" / "neonsim", "demo")
        network = ("run", "mobilenet_v2", "--size", "64", "--runs", "1")
        wheels.run(folder / "bin" / "neonsim", *network, "--backend", "emulated" if name == wheels.PURE else "native")


def test_wrong_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        wheels.main(["solaris"])
    assert "there is no target 'solaris': pure, linux-x86_64" in capsys.readouterr().err
