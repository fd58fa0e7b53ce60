"""What the tests cost: seconds of the processor's time of each, with its fixtures and the processes it waited for.

Times of a clock say how busy the machine is; these say what a test does. The dearest are named at the end, all are kept
in build/tests/costs.json.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from neonsim.nn.backends.native.library import available
from neonsim.nn.backends.native.network import families

DEAR = 1.0      # seconds from which a test is named
KEPT = Path(__file__).parents[1] / "build" / "tests" / "costs.json"


def spent(children: bool = True) -> float:
    """Seconds of the processor's time of this process, and of those that it has waited for."""
    return sum(os.times()[:4 if children else 2])


class Costs:
    """A plugin of pytest's, for the process that runs tests and for the one that hands them out."""

    def __init__(self) -> None:
        self.tests: dict[str, float] = {}
        self.collecting = self.workers = self._last = 0.0

    def pytest_collection_finish(self) -> None:
        self.collecting = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, Any, Any]:
        self._last = spent()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        report = yield
        before, self._last = self._last, spent()
        report.cost = self._last - before
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.tests[report.nodeid] = self.tests.get(report.nodeid, 0) + getattr(report, "cost", 0)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["costs"] = (self.collecting, spent())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        collecting, whole = getattr(node, "workeroutput", {}).get("costs", (0, 0))
        self.collecting += collecting
        self.workers += whole

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.tests or hasattr(terminalreporter.config, "workerinput"):
            return
        whole = self.workers + spent(not self.workers)      # workers have counted themselves
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps({"all": round(whole, 2), "collecting": round(self.collecting, 2), "tests": {
            name: round(cost, 3) for name, cost in sorted(self.tests.items(), key=lambda item: -item[1])}}, indent=0))
        dear = [(name, cost) for name, cost in self.tests.items() if cost >= DEAR]
        terminalreporter.section(f"{whole:.0f} CPU-seconds, {self.collecting:.0f} to collect; those above {DEAR:g}")
        for name, cost in sorted(dear, key=lambda item: -item[1]):
            terminalreporter.write_line(f"{cost:6.1f}  {name}")
        lacking = {} if available() is not None else {name: why for name, why in families().items() if why}
        if lacking:
            terminalreporter.section("families of kernels that were compiled, and not run")
            for name, why in lacking.items():
                terminalreporter.write_line(f"{name}: {why}")
