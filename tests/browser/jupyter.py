"""A JupyterLab, or a Notebook, of its own for a test: loopback, a token, private folders, no settings of the user."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDERS = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
           "IPYTHONDIR": "ipython", "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces"}


class Lab:
    """A running JupyterLab (app "lab") or Notebook 7 ("notebook"); `base`, `token`, `address(notebook)` say where.

    root          folder of the notebooks; with `make` the clone in which `make lab` is the command
    python_path   where neonsim is, if it is not installed
    environment   variables, instead of those of this process
    save_state    notebooks keep the state of their widgets; not so by default
    """

    def __init__(self, root: Path, *, dark: bool = False, python_path: Path | None = None, app: str = "lab",
                 make: bool = False, environment: Mapping[str, str] | None = None, save_state: bool = False) -> None:
        self.app = app
        self.home = Path(tempfile.mkdtemp(prefix="neonsim-lab-"))
        self.token = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        environment = {**(os.environ if environment is None else environment), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        if python_path is not None:
            environment["PYTHONPATH"] = str(python_path)
        for name, folder in FOLDERS.items():
            (self.home / folder).mkdir()
            environment[name] = str(self.home / folder)
        settings = {
            # Without this, outputs that are scrolled away are not in the document.
            "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},
            "@jupyterlab/apputils-extension/notification.jupyterlab-settings":
                {"fetchNews": "false", "checkForUpdates": False},
            "@jupyterlab/apputils-extension/themes.jupyterlab-settings":
                {"theme": "JupyterLab Dark" if dark else "JupyterLab Light"},
            "@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings": {"saveState": save_state},
        }
        for name, value in settings.items():
            path = self.home / "settings" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(value))
        self.log = (self.home / "server.log").open("wb")
        options = ["--no-browser", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={self.port}",
                   "--ServerApp.port_retries=0", f"--IdentityProvider.token={self.token}"]
        command = (["make", "lab", f"LAB_ARGS={' '.join(options)}"] if make else
                   [sys.executable, "-m", "jupyter", app, "--allow-root", *options, f"--ServerApp.root_dir={root}"])
        self.process = subprocess.Popen(command, cwd=root if make else None, env=environment, stdout=self.log,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        self.wait(lambda: self.get("/api/status"), "the server")

    def get(self, path: str, method: str = "GET") -> Any:
        request = urllib.request.Request(self.base + path, headers={"Authorization": f"token {self.token}"},
                                         method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or "null")

    def wait(self, ready: Any, what: str, seconds: float = 120) -> None:
        start = time.monotonic()
        while time.monotonic() - start < seconds and self.process.poll() is None:
            try:
                if ready():
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError(f"{what} is not ready:\n{(self.home / 'server.log').read_text()[-3000:]}")

    def wait_for_kernel(self) -> None:
        def idle() -> bool:
            kernels = self.get("/api/kernels")
            return bool(kernels) and all(kernel["execution_state"] == "idle" for kernel in kernels)

        self.wait(idle, "the kernel")

    def address(self, notebook: str) -> str:
        if self.app == "notebook":
            return f"{self.base}/notebooks/{notebook}?token={self.token}"
        return f"{self.base}/lab/workspaces/test/tree/{notebook}?reset&token={self.token}"

    def open(self, page: Any, notebook: str) -> None:
        """A notebook in a page, with a kernel that answers."""
        page.goto(self.address(notebook), wait_until="domcontentloaded")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        self.wait_for_kernel()

    def run_all(self, page: Any) -> None:
        """All cells of the notebook that is open there, by the menu."""
        page.locator(".jp-Notebook .jp-CodeCell .jp-InputArea-editor").first.click()
        page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
        page.get_by_role("menuitem", name="Run All Cells").first.click()

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)
