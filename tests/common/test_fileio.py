"""Files are written whole or not at all, through no link, with a sentence when it cannot be done."""

from __future__ import annotations

import ast
import importlib
import os
import re
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.isa import FAMILIES
from neonsim.arm.timing import load_core
from neonsim.common import fileio
from neonsim.common.fileio import read_file, read_text, write_file
from neonsim.common.limits import MAX_LIBRARY_BYTES
from tests.syntax import trees_of

LOOP = "f: mov x1, #3\n0: add v0.4s, v0.4s, v0.4s\n subs x1, x1, #1\n b.ne 0b\n ret"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_and_again(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    assert write_file(path, "lanes: …\n") == path and path.read_bytes() == "lanes: …\n".encode()
    plain = tmp_path / "plain"
    plain.write_text("")
    assert _mode(path) == _mode(plain)  # what the umask leaves, as of any file
    path.chmod(0o640)
    assert write_file(str(path), b"\0bytes") == path and path.read_bytes() == b"\0bytes"
    assert _mode(path) == 0o640 and sorted(tmp_path.iterdir()) == [path, plain]
    assert write_file(path, "name \udcff").read_bytes() == b"name ?"  # of a file whose name is not UTF-8


@pytest.mark.parametrize("call", ["write", "replace", "fchmod"])
@pytest.mark.parametrize("problem", [KeyboardInterrupt(), OSError(28, "No space left on device"), MemoryError()])
def test_stopped_in_the_middle(call: str, problem: BaseException, tmp_path: Path,
                               monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")

    real = os.fdopen

    def stop(*_: object) -> None:
        raise problem

    class Half:
        """A file that takes half of what it is given."""

        def __init__(self, number: int, mode: str) -> None:
            self.file = real(number, mode)

        def __enter__(self) -> Half:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> None:
            self.file.write(data[:len(data) // 2])
            self.file.flush()
            raise problem

    if call == "write":
        monkeypatch.setattr(os, "fdopen", Half)
    else:
        monkeypatch.setattr(os, call, stop)
    with pytest.raises(ns.BadArgument if isinstance(problem, OSError) else type(problem)) as caught:
        write_file(path, "after, and longer")
    monkeypatch.undo()
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
    if isinstance(problem, OSError):
        assert str(caught.value) == f"{path} cannot be written: No space left on device."


def test_links_are_not_followed(tmp_path: Path) -> None:
    kept, link, loose = tmp_path / "kept", tmp_path / "link", tmp_path / "loose"
    kept.write_text("kept")
    link.symlink_to("kept")
    loose.symlink_to(tmp_path / "not there")
    for path in (link, loose):
        with pytest.raises(ns.BadArgument,
                           match=r"is a symbolic link, and neonsim does not write through links.*, or remove"):
            write_file(path, "x")
    assert kept.read_text() == "kept" and link.is_symlink() and sorted(tmp_path.iterdir()) == [kept, link, loose]
    # A second name of the same file keeps the old bytes.
    other = tmp_path / "other"
    os.link(kept, other)
    write_file(kept, "new")
    assert other.read_text() == "kept" and kept.read_text() == "new"


def test_a_link_that_comes_in_between_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, path = tmp_path / "kept", tmp_path / "a"
    kept.write_text("kept")
    found = fileio._state

    def late(target: Path) -> Any:
        state = found(target)
        target.symlink_to(kept)
        return state

    monkeypatch.setattr(fileio, "_state", late)
    write_file(path, "mine")
    assert kept.read_text() == "kept" and path.read_text() == "mine" and not path.is_symlink()


def test_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    shown = re.escape(str(tmp_path))
    for path, words in ((tmp_path, f"{shown} is a folder. Name a file in it"),
                        (tmp_path / "no" / "a", f"there is no folder {shown}/no. Create it first"),
                        (tmp_path / "file" / "a", "cannot be written: Not a directory"),
                        (tmp_path / ("n" * 300), "cannot be written: File name too long"),
                        (Path("a\0b"), "is not the name of a file"), ("", "is not the name of a file"),
                        (Path("/"), "not the name"),
                        (3, "must be a str or a Path; got 3")):
        with pytest.raises(ns.BadArgument, match=words) as caught:
            write_file(path, "x")  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
    # The superuser may write everywhere: what the system says is said for it.
    protected = tmp_path / "protected"
    protected.write_text("x")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ns.BadArgument, match=r"protected \(read-only\)"):
        write_file(protected, "y")
    assert protected.read_text() == "x"

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ns.BadArgument, match="new cannot be written: Permission denied"):
        write_file(tmp_path / "new", "y")
    with pytest.raises(ns.BadArgument, match=r"the folder .*file/x' cannot be created: Not a directory"):
        fileio.make_folder(tmp_path / "file" / "x")
    with pytest.raises(ns.BadArgument, match=r"cannot be created: a file has this name. Name a folder"):
        fileio.make_folder(tmp_path / "file")


def test_pipes_and_devices(tmp_path: Path) -> None:
    write_file("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_file(pipe, "through")
    reader.join()
    assert got == ["through"] and stat.S_ISFIFO(pipe.stat().st_mode)


def _trace() -> Any:
    return ns.Machine().call(ns.assemble(LOOP, isa="aarch64"), trace=True, sanitize=False).trace


def _timing() -> Any:
    return ns.time(_trace(), core="cortex-a53")


def _manual(path: Path) -> None:
    from neonsim.render.manual.pages import write_manual

    write_manual(path.parent)


def _results(path: Path) -> None:
    from neonsim.learn.course import check_answer, task_named
    from neonsim.learn.course.classroom.gradebook import attempt, export

    export(path, "Ada", [attempt(check_answer(task_named("dot-product"), "ret"), keep=False)])


WRITERS: dict[str, Callable[[Path], object]] = {
    "trace.to_html": lambda path: _trace().to_html(path), "trace.save": lambda path: _trace().save(path),
    "timing.to_html": lambda path: _timing().to_html(path), "timing.to_konata": lambda path: _timing().to_konata(path),
    "view.to_html": lambda path: ns.views.packing().to_html(path),
    "view.to_svg": lambda path: ns.views.packing().to_svg(path),
    "picture.save": lambda path: ns.views.packing().picture.save(path),
    "write_manual": _manual, "export": _results,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_leaves_links_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.render.manual.pages.FAMILIES", FAMILIES[:1])
    kept, target = tmp_path / "kept", tmp_path / "folder" / "index.html"
    target.parent.mkdir()
    kept.write_text("kept")
    target.symlink_to(kept)
    with pytest.raises(ns.BadArgument, match="is a symbolic link"):
        WRITERS[name](target)
    assert kept.read_text() == "kept"


def test_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("eins\r\nzwei …\r".encode())
    assert read_file(path, 15) == path.read_bytes() and read_text(str(path), 15) == "eins\nzwei …\n"
    with pytest.raises(ns.BadArgument, match="is larger than 14 bytes"):
        read_file(path, 14)
    path.write_bytes(b"a\xffb")
    assert read_text(path, 3, "replace") == "a\ufffdb"
    with pytest.raises(ns.BadArgument, match="is not UTF-8 text: byte 1 is invalid"):
        read_text(path, 3)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    """Nor waited for: a pipe without a writer, a device that never ends."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for path, words in ((tmp_path / "pipe", "is a pipe or a device"), (tmp_path / "link", "is a pipe or a device"),
                        (tmp_path, "is a folder"), (tmp_path / "none", "there is no file"),
                        ("a\0b", "cannot be read")):
        with pytest.raises(ns.BadArgument, match=words):
            read_file(path, 100)


READERS: dict[str, Callable[[Path], object]] = {
    "load_core": lambda path: load_core(str(path.rename(path.with_suffix(".toml")))),
    "declare": lambda path: ns.Machine().memory.declare(f"@{path}"),
    "assemble": lambda path: ns.assemble(path, isa="aarch64"), "load_c": lambda path: ns.load_c(path),
    "load_object": lambda path: ns.load_object(path), "load_archive": lambda path: ns.load_archive(path),
    "load_trace": lambda path: ns.load_trace(path),
    "cores derive": lambda path: importlib.import_module("neonsim.bench.board.results").read_measurement(path),
    "course grade": lambda path: importlib.import_module("neonsim.learn.course.classroom.gradebook").results_of(path),
    "course FILE.py": lambda path: importlib.import_module("neonsim.learn.course").load(path),
    "npz": lambda path: next(importlib.import_module("neonsim.nn.formats.npy").archived_arrays(path)),
    "sweep": lambda path: importlib.import_module("neonsim.studies.sweeps.dataset")._read(path),
}


@pytest.mark.parametrize("name", READERS)
def test_no_reader_waits_for_a_pipe(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ns.NeonsimError, match="is a pipe or a device, which neonsim does not read"):
        READERS[name](tmp_path / "pipe")


def test_the_cache_is_not_waited_for(tmp_path: Path) -> None:
    from neonsim.arm.machine.engines.compiled import _sound
    from neonsim.nn.graph.select.timing_cache import _read

    os.mkfifo(tmp_path / "a.so")
    assert not _sound(tmp_path / "a.so") and _read(tmp_path / "a.so") == {}
    with (tmp_path / "b.so").open("wb") as file:
        file.truncate(MAX_LIBRARY_BYTES + 1)
    assert not _sound(tmp_path / "b.so")


# Files of the package itself, and of the system.
OWN_FILES = {"__init__.py", "arm/isa/forms/arm_inventory.py", "arm/timing/validation/microbench.py",
             "arm/asm/library/__init__.py",
             "render/stepper/bundle.py", "bench/board/probes.py", "bench/board/generator.py",
             "learn/course/program_exercise.py", "learn/course/classroom/authoring.py",
             "learn/course/classroom/workspace.py", "nn/graph/quantize/qat.py", "nn/graph/models/digits.py",
             "studies/kernels/nc4hw4_loads.py", "nn/graph/select/timing_cache.py", "verify/checking/mutations.py",
             "verify/checking/kernel_lint.py", "arm/machine/engines/compiled.py", "verify/proving/result_cache.py",
             "studies/sweeps/plan.py", "studies/sweeps/user_kernels.py", "cli/study.py", "cli/bench.py",
             "arm/asm/c/compile.py", "nn/formats/npy.py", "common/argument_types.py",
             "common/memory_limit.py", "cli/network_options.py",
             "ukernel/kernelgen/contracts_c.py", "ukernel/packing/param_blocks.py"}


def test_nobody_else_reads() -> None:
    """What others name goes through `open_file`, which knows pipes and devices, and is bounded."""
    told = re.compile(r"\.read_(?:text|bytes)\(|\bopen\(|np\.load\(")
    wrong = [f"{name}:{node.lineno}" for name, tree in trees_of(told.search)
             if name not in {*OWN_FILES, "common/fileio.py"} and not name.startswith("cli/peers")
             for node in ast.walk(tree) if isinstance(node, ast.Call) and reads(node)]
    assert not wrong, "\n".join(wrong)


def reads(call: ast.Call) -> bool:
    """Whether a call reads a file by its name, by a way of Python's own."""
    if isinstance(call.func, ast.Name):
        return call.func.id == "open"
    return isinstance(call.func, ast.Attribute) and (
        call.func.attr in ("read_text", "read_bytes") or ast.unparse(call.func) == "np.load"
        or (call.func.attr == "open" and any(ast.unparse(word) in ("'rb'", "'r'") for word in call.args)))


WRITES = ("write_text", "write_bytes", "tofile", "savez", "savez_compressed", "savetxt", "mkstemp",
          "NamedTemporaryFile")


def test_nobody_else_writes() -> None:
    """What writes a file goes through `write_file`; compilers get theirs in a folder made for them alone."""
    own = {"common/fileio.py", "arm/asm/c/compile.py", "arm/machine/engines/compiled.py"}
    own |= {f"ukernel/kernelgen/{name}_c.py" for name in ("contracts", "roundings")}  # the build runs them
    told = re.compile("|".join((*WRITES, r"\bopen\b")))
    found = {name: written(tree) for name, tree in trees_of(told.search)}
    assert found["arm/asm/c/compile.py"]
    wrong = [f"{name}:{call}" for name, calls in found.items() if name not in own for call in calls]
    assert not wrong, "\n".join(wrong)


def written(tree: ast.AST) -> list[str]:
    """The calls that write a file, each with its line."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            words = [a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant)]
            if called in WRITES or (called == "open" and any(
                    isinstance(w, str) and re.fullmatch(r"[rbt]*[wax+][bt+]*", w) for w in words)):
                found.append(f"{node.lineno}: {called}")
    return found


def test_reading_takes_the_room_of_what_is_there(tmp_path: Path) -> None:
    """A file of three bytes took as much as the largest may have: a gibibyte for a model."""
    import tracemalloc

    from neonsim.common.fileio import read_file

    (tmp_path / "small").write_bytes(b"abc")
    tracemalloc.start()
    assert read_file(tmp_path / "small", 1 << 30) == b"abc"
    assert tracemalloc.get_traced_memory()[1] < 1 << 23
    tracemalloc.stop()
