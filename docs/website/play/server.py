"""Serves a folder to this machine alone, packed by gzip as a web server does it."""

from __future__ import annotations

import gzip
from contextlib import suppress
from functools import lru_cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["Server", "serve", "server"]

PACKED = (".wasm", ".mjs", ".js", ".json", ".html")


@lru_cache(maxsize=64)
def _gzip(path: str, changed: int) -> bytes:
    return gzip.compress(Path(path).read_bytes(), 9, mtime=0)


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # browsers look at the tags of no older one
    extensions_map = {  # noqa: RUF012 (as the base class has it)
        **SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".js": "text/javascript",
        ".wasm": "application/wasm"}

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        packed = path.suffix in PACKED and "gzip" in self.headers.get("Accept-Encoding", "")
        changed = path.stat().st_mtime_ns
        tag = f'"{changed:x}{"-gzip" * packed}"'
        same = self.headers.get("If-None-Match") == tag
        data = b"" if same else _gzip(str(path), changed) if packed else path.read_bytes()
        self.send_response(304 if same else 200)
        self.send_header("ETag", tag)
        self.send_header("Cache-Control", "no-cache")  # kept, and asked for again each time
        if not same:
            self.send_header("Content-Type", self.guess_type(path))
            self.send_header("Content-Length", str(len(data)))
            if packed:
                self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.server.sent += len(data)  # type: ignore[attr-defined]  # before the client can ask for it
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing: who looks at the page looks at the page."""


class Server(ThreadingHTTPServer):
    """``sent``: bytes of files that it has sent, packed as they were."""

    sent = 0


def server(folder: Path, port: int = 0) -> Server:
    """A server that has not begun; its ``server_port`` is the port."""
    def handler(*arguments: Any) -> _Handler:
        return _Handler(*arguments, directory=str(folder))

    return Server(("127.0.0.1", port), handler)


def serve(folder: Path, port: int) -> None:
    """Until Ctrl-C."""
    with server(folder, port) as serving:
        print(f"http://127.0.0.1:{serving.server_port}/ (Ctrl-C ends it)", flush=True)
        with suppress(KeyboardInterrupt):
            serving.serve_forever()
