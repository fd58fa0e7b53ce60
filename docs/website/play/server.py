"""Serves a folder to this machine alone, packed by gzip as a web server does it."""

from __future__ import annotations

import gzip
from contextlib import suppress
from functools import lru_cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["serve", "server"]

PACKED = (".wasm", ".mjs", ".js", ".json", ".html")


@lru_cache(maxsize=64)
def _gzip(path: str, changed: float) -> bytes:
    return gzip.compress(Path(path).read_bytes(), 9, mtime=0)


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 (as the base class has it)
        **SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".js": "text/javascript",
        ".wasm": "application/wasm"}

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix not in PACKED or not path.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
            super().do_GET()
            return
        data = _gzip(str(path), path.stat().st_mtime)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing: who looks at the page looks at the page."""


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server that has not begun; its ``server_port`` is the port."""
    def handler(*arguments: Any) -> _Handler:
        return _Handler(*arguments, directory=str(folder))

    return ThreadingHTTPServer(("127.0.0.1", port), handler)


def serve(folder: Path, port: int) -> None:
    """Until Ctrl-C."""
    with server(folder, port) as serving:
        print(f"http://127.0.0.1:{serving.server_port}/ (Ctrl-C ends it)", flush=True)
        with suppress(KeyboardInterrupt):
            serving.serve_forever()
