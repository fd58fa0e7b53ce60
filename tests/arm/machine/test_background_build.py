"""What is compiled soon is compiled well later: which library is used, how often the compiler runs, who ends it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import neonsim as ns
from neonsim.arm.machine.engines import compiled
from neonsim.arm.machine.engines.background_build import Leisure, Run, at_once, in_a_hurry
from neonsim.arm.machine.translate.to_c import translate_c
from tests.until import until

needs_compiler = pytest.mark.skipif(compiled.compiler() is None, reason="no C compiler: install gcc or clang")
TEXT = "mov x0, #81\nret"


class _Collected:
    """Works that wait until the test does them."""

    def __init__(self) -> None:
        self.works: dict[str, Callable[[Run], None]] = {}

    def add(self, name: str, work: Callable[[Run], None]) -> None:
        self.works.setdefault(name, work)


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Collected:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr("neonsim.arm.machine.engines.background_build._waited_for", [])
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path))
    monkeypatch.setattr(compiled, "_LEISURE", _Collected())
    return compiled._LEISURE  # type: ignore[return-value]


def _libraries(folder: Path) -> list[str]:
    return sorted(path.name.split("-")[0] for path in folder.iterdir())


@needs_compiler
def test_soon_then_well(later: _Collected, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[Sequence[str]] = []
    run = subprocess.run

    def counted(command: Sequence[str], **options: object) -> object:
        commands.append(command)
        return run(command, **options)  # type: ignore[call-overload]
    compiled._version(str(compiled.compiler()))     # asked once
    monkeypatch.setattr("neonsim.arm.machine.engines.compiled.subprocess.run", counted)
    for _ in range(2):      # another program of the same text finds the library, and asks for the better one once
        assert ns.Machine().call(ns.assemble(TEXT, isa="aarch64"), engine="compiled").returned == 81
    assert len(commands) == 1 and "-Og" in commands[0] and _libraries(tmp_path) == ["quick"]
    (name, work), = later.works.items()
    work(lambda command: False)             # ended before it was done: nothing is left of it
    assert _libraries(tmp_path) == ["quick"]
    work(lambda command: run(command, check=False).returncode == 0)
    assert _libraries(tmp_path) == [name]
    assert ns.Machine().call(ns.assemble(TEXT, isa="aarch64"), engine="compiled").returned == 81
    assert len(commands) == 1


def test_the_key_is_the_content(tmp_path: Path) -> None:
    """Another checkout finds what was built for this one."""
    texts = []
    for folder in ("one", "two"):
        path = tmp_path / folder / "seven.S"
        path.parent.mkdir()
        path.write_text("seven: mov x0, #7\nret\n")
        made = translate_c(ns.assemble(path, isa="aarch64"))
        assert f"{folder}/seven.S" in made.readable
        texts.append(made.text)
    assert texts[0] == texts[1]


@needs_compiler
def test_at_once_where_nothing_may_be_later(later: _Collected, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under CI and in a benchmark."""
    monkeypatch.setenv("CI", "true")
    assert not in_a_hurry()
    assert ns.Machine().call(ns.assemble(TEXT, isa="aarch64"), engine="compiled").returned == 81
    assert _libraries(tmp_path) != ["quick"] and not later.works
    monkeypatch.delenv("CI")
    assert in_a_hurry()
    at_once()
    assert not in_a_hurry()


@pytest.mark.skipif(os.name == "nt", reason="process groups are POSIX")
def test_a_child_ends_with_its_process() -> None:
    leisure, said = Leisure(), []
    forever = [sys.executable, "-c", "import time; time.sleep(3600)"]
    leisure.add("one", lambda run: said.append(run(forever)))
    leisure.add("one", lambda run: said.append(run(forever)))
    leisure.add("two", lambda run: said.append(run(forever)))
    child = until(lambda: leisure._child, "the child begins")
    until(lambda: os.getpriority(os.PRIO_PROCESS, child.pid) == 19, "the lowest priority")
    leisure.end()
    assert child.poll() is not None and said == [False] and leisure._thread is not None
    assert not leisure._thread.is_alive()
