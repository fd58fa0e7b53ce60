"""Wheels of neonsim for every kind of machine, made on this one: `make wheels`, `python -m native.wheels TARGET ...`.

One wheel of Python alone is built first; the others are that wheel with the C library of their system in it, compiled
by the package ziglang. So there is no container, and every wheel has the same Python. Those for Linux need a C library
of 2018 or newer (glibc 2.28), and auditwheel must find nothing in them that needs a newer one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from native.wheels import notices

__all__ = ["TARGETS", "Target", "main"]

ROOT = Path(__file__).parents[2]
GLIBC = (2, 28)


@dataclass(frozen=True)
class Target:
    """A kind of machine: its names for Zig and for CMake, the tag of its wheel, and the name of its library."""

    name: str
    zig: str
    system: str
    processor: str
    tag: str
    library: str


TARGETS = {target.name: target for target in (
    Target("linux-x86_64", "x86_64-linux-gnu.2.28", "Linux", "x86_64", "manylinux_2_28_x86_64", "libneonsim.so"),
    Target("linux-aarch64", "aarch64-linux-gnu.2.28", "Linux", "aarch64", "manylinux_2_28_aarch64", "libneonsim.so"),
    Target("windows-x86_64", "x86_64-windows-gnu", "Windows", "AMD64", "win_amd64", "libneonsim.dll"),
    Target("macos-x86_64", "x86_64-macos.11.0", "Darwin", "x86_64", "macosx_11_0_x86_64", "libneonsim.dylib"),
    Target("macos-arm64", "aarch64-macos.11.0", "Darwin", "arm64", "macosx_11_0_arm64", "libneonsim.dylib"),
)}
PURE = "pure"


class Refused(Exception):
    """A step failed; the text says which and why."""


def run(*command: str | Path) -> str:
    """What a command printed. Zig keeps what it compiled in build/ here, not in the user's home."""
    cache = str(ROOT / "build" / "wheels" / "zig")
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache,
                   "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def library(target: Target, goal: str = "neonsim") -> Path:
    """The folder with the C library of a target, or with another goal of native/CMakeLists.txt, compiled now."""
    folder = ROOT / "build" / "wheels" / target.name
    words = [f"-DNEONSIM_ZIG_{key}={value}" for key, value in (
        ("TARGET", target.zig), ("SYSTEM", target.system), ("PROCESSOR", target.processor),
        ("PYTHON", sys.executable))]
    run("cmake", "-S", ROOT / "native", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        f"-DPython3_EXECUTABLE={sys.executable}",
        f"-DCMAKE_TOOLCHAIN_FILE={Path(__file__).with_name('zig.cmake')}", *words)
    run("cmake", "--build", folder, "--target", goal)
    return folder


def pure(into: Path) -> Path:
    """The wheel without C, for machines that no other one is for."""
    before = set(into.glob("*-none-any.whl"))
    for old in before:
        old.unlink()
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", into, "-C", "wheel.cmake=false", ROOT)
    (wheel,) = into.glob("*-none-any.whl")
    return wheel


def with_library(wheel: Path, target: Target, built: Path) -> Path:
    """The same wheel with a target's C library in it, under the target's tag."""
    scratch = ROOT / "build" / "wheels" / "unpacked"
    shutil.rmtree(scratch, ignore_errors=True)
    run(sys.executable, "-m", "wheel", "unpack", "--dest", scratch, wheel)
    (tree,) = scratch.iterdir()
    shutil.copy(built, tree / "neonsim" / "nn" / "backends" / "native" / target.library)
    (said,) = tree.glob("*.dist-info/WHEEL")
    text = re.sub(r"^Root-Is-Purelib: .*$", "Root-Is-Purelib: false", said.read_text("utf-8"), flags=re.M)
    said.write_text(re.sub(r"^Tag: .*$", f"Tag: py3-none-{target.tag}", text, flags=re.M), "utf-8")
    notices.add(said.parent, target.system)
    run(sys.executable, "-m", "wheel", "pack", "--dest-dir", wheel.parent, tree)
    shutil.rmtree(scratch)
    return wheel.with_name(wheel.name.replace("-none-any", f"-none-{target.tag}"))


def audited(wheel: Path) -> str:
    """The oldest tag that auditwheel allows. Raises Refused where it needs a newer glibc than the wheel's name says."""
    told = run(sys.executable, "-m", "auditwheel", "show", wheel)
    tag = re.search(r'following platform tag:\s*"(manylinux_(\d+)_(\d+)_\w+)"', " ".join(told.split()))
    if tag is None or (int(tag[2]), int(tag[3])) > GLIBC:
        raise Refused(f"auditwheel does not take {wheel.name} for one of glibc {GLIBC[0]}.{GLIBC[1]}:\n{told}")
    return tag[1]


def main(words: list[str] | None = None) -> int:
    """Build the wheels that are asked for; 0 done, 1 a step failed, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m native.wheels", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join([PURE, *TARGETS])} (all)")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder of the wheels (dist)")
    options = parser.parse_args(words)
    unknown = [name for name in options.targets if name not in (PURE, *TARGETS)]
    if unknown:
        parser.error(f"there is no target {unknown[0]!r}: {', '.join([PURE, *TARGETS])}")
    into = options.into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    try:
        begun = time.monotonic()
        wheels = [plain := pure(into)]
        print(f"{plain.name}: {plain.stat().st_size / 1e6:.1f} MB, {time.monotonic() - begun:.0f} s", flush=True)
        for name, target in TARGETS.items():
            if options.targets and name not in options.targets:
                continue
            begun = time.monotonic()
            wheels.append(wheel := with_library(plain, target, library(target) / target.library))
            checked = f", auditwheel: {audited(wheel)}" if target.system == "Linux" else ""
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {time.monotonic() - begun:.0f} s{checked}",
                  flush=True)
        run(sys.executable, "-m", "twine", "check", "--strict", *wheels)
    except Refused as problem:
        print(problem, file=sys.stderr)
        return 1
    if options.targets and PURE not in options.targets:
        plain.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
