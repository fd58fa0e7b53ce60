"""C to a program: through a cross compiler of the host, with the C lines beside the instructions.

| compiler                                        | found as                                                    |
|-------------------------------------------------|-------------------------------------------------------------|
| GCC                                             | aarch64-linux-gnu-gcc, arm-linux-gnueabihf-gcc, and kin     |
| Clang, built for Arm too, as most are           | clang --target=...                                          |
| Zig's Clang (`pip install ziglang`)             | python -m ziglang cc -target ...                            |

The compiler runs in a folder of its own that is removed afterwards, without a shell, for at most MAX_COMPILE_SECONDS
seconds. What it would include is looked at, then the assembly it makes (`c_reads`); of that it makes a relocatable
object with line information (-g), which is loaded as any other. It is the compiler of this machine, run as this user: C
that makes a compiler itself misbehave is not kept from anything.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from neonsim.arm.asm.c.features import missing_options
from neonsim.arm.asm.c.sandbox import check_assembly, check_included, listed_files, search_folders
from neonsim.arm.asm.object.dwarf_lines import DebugLines, with_lines
from neonsim.arm.asm.program import Program
from neonsim.arm.asm.text.source import decoded, read_bytes
from neonsim.common.extras import install
from neonsim.common.limits import MAX_COMPILE_SECONDS, MAX_COMPILER_BYTES, MAX_OBJECT_BYTES
from neonsim.errors import BadArgument, CompilerError

__all__ = ["compilers", "load_c"]

_GCC: Final = {"aarch64": ("aarch64-linux-gnu-gcc", "aarch64-none-linux-gnu-gcc", "aarch64-none-elf-gcc"),
               "aarch32": ("arm-linux-gnueabihf-gcc", "arm-none-linux-gnueabihf-gcc", "arm-none-eabi-gcc")}
_CLANG: Final = {"aarch64": ("aarch64-linux-gnu", "aarch64"), "aarch32": ("arm-linux-gnueabihf", "arm")}
_ZIG: Final = {"aarch64": "aarch64-linux-musl", "aarch32": "arm-linux-musleabihf"}
_MACHINE: Final = {"aarch64": (), "aarch32": ("-marm", "-mfpu=neon", "-mfloat-abi=hard")}
# What cannot be simulated, or only makes the listing longer, is switched off.
# (With DWARF 5 Clang 14 names a file that stands behind ./ twice, and then does not take its own assembly.)
_ALWAYS: Final = ("-gdwarf-4", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-pic", "-ffreestanding",
                  "-fdiagnostics-color=never")
# GCC reads a line that it shows from the file that #line names, whichever that is: `_shown` shows lines instead.
# With an assembler of its own Clang would read what inline assembly names before there is any assembly to look at.
_CLANG_LAST: Final = ("-fno-verbose-asm", "-fno-integrated-as")
# Zig says of what it adds by itself that it is not used.
_LAST: Final = {"gcc": ("-fno-verbose-asm", "-fno-diagnostics-show-caret"), "clang": _CLANG_LAST,
                "zig": (*_CLANG_LAST, "-fno-sanitize=undefined", "-Wno-unused-command-line-argument")}
# None that names a file, runs something, reads or writes something beside the C, or leaves no assembly.
_ALLOWED: Final = re.compile(
    r"-(O[0-3sgz]?|[DU]\w.*|std=[\w+:]+|w|W(?![alp],)[\w=+-]+|m(?!llvm)[\w=+.-]+|"
    r"f(?!plugin|dump|pass|diagnostics|integrated|(no-)?lto|module|compare|syntax|(auto-)?profile|save|time|stack-usage|"
    r"callgraph|test-cov|opt-|optimization|crash|embed|use-ld|offload|preprocessed)[\w=+-]+|pedantic)", re.DOTALL)
# What a function says of its processor (`target`) is not in Clang's assembly: its assembler takes all that there is.
_EVERYTHING: Final = {"clang": "-march=armv8.6-a+fp16", "zig": "-mcpu=generic+v8_6a+fullfp16"}
# Zig takes an architecture as features of a processor, by LLVM's names.
_ARCHITECTURE: Final = re.compile(r"-march=armv(8|9)(?:\.(\d))?-a((?:\+\w+)*)")
_NEEDS: Final = ("install a cross compiler (Debian, Ubuntu: apt install gcc-aarch64-linux-gnu "
                 "gcc-arm-linux-gnueabihf), or clang, or for this Python: ")
_MAX_SHOWN_LENGTH: Final = 8000  # characters of a compiler's messages that are shown
_MAX_MESSAGE_BYTES: Final = 4 << 20  # bytes of messages behind which it is stopped
# The words of the compiler are arguments here, which a shell does not read. Bounds of a process can otherwise be set
# only behind its start, when it may have started others, or in between, where another thread's lock may hang it.
_BOUNDED: Final = () if os.name != "posix" else (
    "/bin/sh", "-c", f"{{ ulimit -d {MAX_COMPILER_BYTES >> 10}; ulimit -f {MAX_OBJECT_BYTES * 4 >> 9}; ulimit -c 0; }} "
    '2>/dev/null; exec "$@"', "sh")


def load_c(source: str | Path, isa: str = "aarch64", *, options: Sequence[str] = ("-O2",),
           include: Sequence[str | Path] = (), compiler: str | None = None) -> Program:
    """Compile C and load it: functions by their names, `program.origins` says the C line of each instruction.

    source     text, or the Path of a file
    isa        "aarch64" or "aarch32" (Arm state, hard float)
    options    for the compiler: optimisation, warnings, definitions, -m and -f
    include    folders for #include besides the file's own
    compiler   "gcc", "clang" or "zig"; left out, the first one found

    C is compiled by this machine's compiler, as this user. It may include headers of the compiler and files below the
    file's own folder and those given; other files, .incbin, and inline assembly that could hide one are refused.

    Raises CompilerError with the compiler's messages, or, if there is none, with what to install, or for what C may not
    read; BadArgument for options that are not for C; NeonsimError for code that is not simulated.

    >>> load_c("int twice(int x) { return x + x; }").entry("twice")                     # doctest: +SKIP
    0
    """
    if isa not in _GCC:
        raise BadArgument(f'isa must be "aarch64" or "aarch32"; got {isa!r}')
    for option in options:
        if not isinstance(option, str) or not _ALLOWED.fullmatch(option):
            raise BadArgument(f"the compiler option {option!r} is not allowed. Allowed are optimisation (-O2), "
                              f"definitions (-DN=4), warnings, -std, -m and -f")
    folders = [Path(folder) for folder in include]
    if isinstance(source, Path):
        # Zig writes names into files that it reads again, line by line.
        name, data = re.sub(r"[\0-\x1f\x7f]", "_", source.name), read_bytes(source)
        folders.insert(0, source.parent)
    elif isinstance(source, str):
        try:
            name, data = "cell.c", source.encode()
        except UnicodeEncodeError as problem:
            raise BadArgument(f"the C text has half of a surrogate pair at {problem.start}, which UTF-8 cannot "
                              f"encode") from None
    else:
        raise BadArgument(f"source must be C text or the Path of a file; got {type(source).__name__}")
    for folder in folders:
        if "\0" in str(folder) or not folder.is_dir():
            raise BadArgument(f"include: there is no folder {str(folder)!r}")
    text = decoded(data)
    return _beside(_compiled(data, text, name, isa, list(options), folders, compiler), name, text)


@cache
def compilers(isa: str) -> Mapping[str, tuple[str, ...]]:
    """{"gcc" | "clang" | "zig": command} of those that are there, best first."""
    found: dict[str, tuple[str, ...]] = {}
    for name in _GCC[isa]:
        if shutil.which(name):
            found["gcc"] = (name, *_MACHINE[isa])
            break
    target, word = _CLANG[isa]
    if shutil.which("clang"):
        listed = subprocess.run(["clang", "--print-targets"], capture_output=True, text=True,
                                timeout=MAX_COMPILE_SECONDS,
                                check=False, stdin=subprocess.DEVNULL).stdout
        if re.search(rf"^[ \t]+{word}\s", listed, re.MULTILINE):
            found["clang"] = ("clang", f"--target={target}", *_MACHINE[isa])
    if importlib.util.find_spec("ziglang") is not None:
        found["zig"] = (sys.executable, "-m", "ziglang", "cc", "-target", _ZIG[isa], *_MACHINE[isa][:2])
    return found


def _command(isa: str, compiler: str | None) -> tuple[str, tuple[str, ...]]:
    """Which compiler it is, and the words that call it."""
    found = compilers(isa)
    if compiler is None:
        if not found:
            raise CompilerError(f"no C compiler for {isa} was found: {_NEEDS}{install('ziglang')}")
        return next(iter(found.items()))
    if compiler not in ("gcc", "clang", "zig"):
        raise BadArgument(f'there is no compiler {compiler!r}: "gcc", "clang" or "zig"')
    if compiler not in found:
        raise CompilerError(f"{compiler} for {isa} was not found (found: {', '.join(found) or 'none'}): {_NEEDS}"
                            f"{install('ziglang')}")
    return compiler, found[compiler]


class _Ran(NamedTuple):
    """What a compiler left: its exit status, and what it wrote."""

    status: int
    written: str
    messages: str


def _compiled(data: bytes, text: str, name: str, isa: str, options: list[str], folders: list[Path],
              compiler: str | None) -> bytes:
    """The object file's bytes."""
    kind, command = _command(isa, compiler)
    with tempfile.TemporaryDirectory(prefix="neonsim-c-") as folder:
        own = Path(folder, "c")  # only the C file lies there
        own.mkdir()
        (own / name).write_bytes(data)
        # The name stands behind ./ because one that begins with - or @ is otherwise an option.
        taken = [_zig_option(option) for option in options] if kind == "zig" else options
        line = [*command, *_ALWAYS, *taken, *_LAST[kind],
                *(f"-I{path.resolve()}" for path in folders), "-x", "c", f"./{name}"]

        def run(*words: str) -> str:
            """Return a step of the compiler in that folder: what it writes, or its messages as an error."""
            ran = _run(words, own, name)
            if words[-1] == "-H":  # before anything it says is shown
                check_included(name, listed_files(ran.written, ran.messages), own, folders, _own_folders(command))
                ran = ran._replace(messages=re.sub(r"^\.+ .*\n|^Multiple include guards(?s:.*)", "", ran.messages,
                                                   flags=re.MULTILINE))
            if ran.status:
                raise CompilerError((_shown(ran.messages, name, text, kind == "gcc") or f"{command[0]} failed")
                                    + _needed(ran.messages, isa, options))
            return ran.written

        run(*line, "-M", "-H")
        run(*line, "-S", "-o", "../made.s")
        made = Path(folder, "made.s")
        if made.stat().st_size > 4 * MAX_OBJECT_BYTES:
            raise CompilerError(f"{name} compiles to more than {4 * MAX_OBJECT_BYTES:,} bytes of assembly")
        written = made.read_bytes().decode("latin-1")
        check_assembly(name, written)
        if kind in _EVERYTHING:     # its assembler forgets -march=...+fp16 at the line that names the unit
            made.write_bytes(re.sub(r"^\t\.fpu\t.*\n", "", written, flags=re.MULTILINE).encode("latin-1"))
        processor = [option for option in taken if option.startswith("-m")]
        if kind in _EVERYTHING and not any(option.startswith(("-march", "-mcpu")) for option in processor):
            processor.append(_EVERYTHING[kind])
        run(*command, *processor, "-c", "../made.s", "-o", "../made.o")
        with Path(folder, "made.o").open("rb") as file:
            return file.read(MAX_OBJECT_BYTES + 1)


def _zig_option(option: str) -> str:
    """An option as Zig takes it, which reads -march as the name of a processor.

    >>> _zig_option("-march=armv8.2-a+dotprod+fp16"), _zig_option("-O2")
    ('-mcpu=generic+v8_2a+dotprod+fullfp16', '-O2')
    """
    said = _ARCHITECTURE.fullmatch(option)
    if said is None:
        return option
    version = f"v{said[1]}_{said[2]}a" if said[2] and said[2] != "0" else f"v{said[1]}a"
    features = ["fullfp16" if word == "fp16" else word for word in said[3].split("+")[1:]]
    return "+".join(["-mcpu=generic", version, *features])


def _run(words: Sequence[str], folder: Path, name: str) -> _Ran:
    """Run a compiler, within MAX_COMPILE_SECONDS and _MAX_MESSAGE_BYTES of messages, and whatever it has started."""
    # Nothing of the caller's settings for compilers (CPATH, GCC_EXEC_PREFIX, ...) takes part; Zig wants a cache.
    keep = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT") if key in os.environ}
    late = threading.Event()
    with tempfile.TemporaryFile() as written:
        if shutil.which(words[0]) is None:
            raise CompilerError(f"{words[0]} does not start: the file no longer exists")
        try:
            process = subprocess.Popen([*_BOUNDED, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=written,
                                       stderr=subprocess.PIPE, env={**keep, "LC_ALL": "C"}, start_new_session=True)
        except OSError as problem:
            raise CompilerError(f"{words[0]} does not start: {problem.strerror}") from None
        assert process.stderr is not None

        def stop() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(MAX_COMPILE_SECONDS, stop)
        timer.start()
        try:
            messages = process.stderr.read(_MAX_MESSAGE_BYTES + 1)
            if len(messages) > _MAX_MESSAGE_BYTES:
                raise CompilerError(f"{name}: the compiler printed more than {_MAX_MESSAGE_BYTES:,} bytes and was "
                                    f"stopped. Does a file include itself?")
            process.wait()
        finally:
            timer.cancel()
            _kill(process)
            process.stderr.close()
        if late.is_set():
            raise CompilerError(f"{name}: the compiler took longer than {MAX_COMPILE_SECONDS} s and was stopped")
        written.seek(0)
        # Both name files, whose names need not be UTF-8.
        return _Ran(process.returncode, os.fsdecode(written.read(_MAX_MESSAGE_BYTES)), os.fsdecode(messages))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a compiler that still runs, and what it has started: a driver leaves its passes behind."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()


@cache
def _own_folders(command: tuple[str, ...]) -> tuple[str, ...]:
    """The folders in which a compiler looks for headers of its own accord."""
    ran = _run([*command, *_ALWAYS, "-E", "-v", "-x", "c", os.devnull], Path(tempfile.gettempdir()).resolve(),
               command[0])
    return tuple(str(Path(tempfile.gettempdir()).resolve() / one) for one in search_folders(ran.messages))


def _shown(messages: str, name: str, text: str, carets: bool) -> str:
    """A compiler's messages, with names as the reader knows them, and (carets) the lines that they are about."""
    said = messages.replace(f"./{name}", name).replace("../made.s", f"{name} (its assembly)").strip()
    if carets:
        source = text.splitlines()

        def line(match: re.Match[str]) -> str:
            number, column = int(match[1]), int(match[2])
            if not 0 < number <= len(source):
                return match[0]
            return f"{match[0]}\n{number:5d} | {source[number - 1].expandtabs(8)}\n      | {' ' * (column - 1)}^"

        said = re.sub(rf"^{re.escape(name)}:(\d{{1,9}}):(\d{{1,4}}): .*", line, said, flags=re.MULTILINE)
    return said[:_MAX_SHOWN_LENGTH]


def _needed(messages: str, isa: str, options: Sequence[str]) -> str:
    """What to pass where C uses what not every processor has: a line to stand behind the compiler's messages."""
    missing = missing_options(messages, isa, options)
    if not missing:
        return ""
    words = " ".join(f"--compiler-option {option}" for option in missing)
    kept = [option for option in options if not option.startswith(("-march", "-mfpu"))]
    return (f"\nSome of this is beyond what the compiler takes every {isa} processor to have: add {words} (in Python: "
            f"options={[*kept, *missing]}).")


def _beside(data: bytes, name: str, text: str) -> Program:
    """The object as a program, each instruction with its line of C in a comment and in `origins`."""
    return with_lines(f"{name} (compiled)", data, DebugLines(data, name), text.splitlines())
