"""Firefox from the system, driven by WebDriver BiDi: Playwright has a Firefox of its own only."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 180.0  # seconds


class FirefoxTab:
    """One page; what it is asked is JavaScript."""

    def __init__(self, address: str) -> None:
        websocket = pytest.importorskip("websocket", reason="needs websocket-client: pip install websocket-client")
        self.socket = websocket.create_connection(f"{address}/session", timeout=PATIENCE, suppress_origin=True)
        self.number = 0
        self._call("session.new", capabilities={})
        self.context = self._call("browsingContext.create", type="tab")["context"]

    def _call(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while (answer := json.loads(self.socket.recv())).get("id") != self.number:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def open(self, address: str) -> None:
        self._call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def ask(self, expression: str) -> Any:
        """The value of an expression, a number or text; of a promise what it comes to."""
        found = self._call("script.evaluate", expression=expression, target={"context": self.context},
                           awaitPromise=True)
        assert found["type"] == "success", found
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Until it is true."""
        end = time.monotonic() + PATIENCE
        while not self.ask(f"Boolean({expression})"):
            assert time.monotonic() < end, expression
            time.sleep(0.2)


@contextmanager
def firefox(profile: Path) -> Iterator[FirefoxTab]:
    """A tab of it, with a fresh profile; without Firefox the test is skipped."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None:
        pytest.skip("needs Firefox: on Debian, apt-get install firefox-esr")
    command = [found, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as running:
        try:
            assert running.stderr is not None
            address = next((match[1] for line in running.stderr
                            if (match := re.search(r"WebDriver BiDi listening on (ws://\S+)", line))), None)
            if address is None:
                pytest.skip(f"{found} does not run here without a screen")
            yield FirefoxTab(address)
        finally:
            running.terminate()
