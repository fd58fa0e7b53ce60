"""The plugin of pytest: the fixture `neon`, the mark `neonsim`, options. Found because neonsim is installed.

It costs nothing where it is not used: all of neonsim is imported by the first test that asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .testing import Baselines, Judge

ENGINES = ("interpreter", "python", "compiled")
MARK = 'neonsim(backends=("reference", "emulated", "native")): the backends that neon.agree runs a call on'
FILE = "neonsim-baselines.json"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("neonsim", "functions for Arm NEON, emulated")
    group.addoption("--neonsim-artifacts", metavar="DIR",
                    help="write a page that replays the call of each failing test")
    group.addoption("--neonsim-engine", choices=ENGINES,
                    help="how calls run (left out: interpreter, the one with the sanitizer)")
    group.addoption("--neonsim-seed", type=_seed, default=0, metavar="N", help="of the data that are drawn")
    group.addoption("--neonsim-update", action="store_true", help=f"accept the cycles of this run: {FILE}")
    parser.addini("neonsim_baselines", f"file of accepted cycles, from the root folder on ({FILE})", default=FILE)


def _seed(text: str) -> int:
    if not text.isdigit():
        raise ValueError(text)
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARK)


def _baselines(config: pytest.Config) -> Baselines:
    """The file of accepted cycles: one for a whole run."""
    from .testing import Baselines

    found: Baselines | None = config.stash.get(_FILE, None)
    if found is None:
        path = config.rootpath / str(config.getini("neonsim_baselines"))
        found = config.stash[_FILE] = Baselines(path, bool(config.getoption("neonsim_update")))
    return found


_FILE: pytest.StashKey[Any] = pytest.StashKey()


def _judge(config: pytest.Config, folder: Path, nodeid: str, **marked: Any) -> Judge:
    from .testing import Artifacts, Judge

    pages, seed = config.getoption("neonsim_artifacts"), config.getoption("neonsim_seed")
    again = f"pytest '{nodeid}'{f' --neonsim-seed {seed}' if seed else ''}"
    artifacts = Artifacts(Path(pages) if pages else None, nodeid, again)
    return Judge(folder, seed, config.getoption("neonsim_engine"), artifacts, _baselines(config), **marked)


@pytest.fixture
def neon(request: pytest.FixtureRequest) -> Judge:
    """What a test asks of functions for Arm: load, equal, contract, agree, cycles (`neonsim.verify.testing.Judge`)."""
    mark = request.node.get_closest_marker("neonsim")
    if mark is not None and (mark.args or set(mark.kwargs) - {"backends"}):
        raise pytest.UsageError(f'{request.node.nodeid}: the mark must be neonsim(backends=("reference", "emulated"))')
    return _judge(request.config, request.path.parent, request.node.nodeid, **(mark.kwargs if mark else {}))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A kernel's contract is a test for each class of sizes."""
    said = getattr(metafunc.function, "neonsim_contract", None)
    if said is not None:
        name, source, options = said
        judge = _judge(metafunc.config, metafunc.definition.path.parent, metafunc.definition.nodeid)
        metafunc.parametrize("shape", judge.contract_classes(name, source, **options))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]
                              ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Of a function that is wrong the report is its own words: no traceback."""
    report = yield
    error = call.excinfo.value if call.excinfo is not None else None
    if type(error).__name__ == "FunctionFailure" and type(error).__module__.startswith("neonsim."):
        report.longrepr = str(error)
        report.user_properties += [("neonsim_page", str(page))] if (page := getattr(error, "page", None)) else []
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the accepted cycles: a worker of pytest-xdist hands them to the process that started it."""
    found = session.config.stash.get(_FILE, None)
    if found is None or not found.recorded:
        return
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["neonsim_recorded"] = found.recorded
    else:
        found.write()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """What a worker has recorded."""
    recorded = getattr(node, "workeroutput", {}).get("neonsim_recorded")
    if recorded:
        found = _baselines(node.config)
        found.recorded.update(recorded)
        found.write()
