"""A web server on loopback for one page. Requests need a token; other hosts and origins are refused."""

from __future__ import annotations

import json
import queue
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from nsa_brian.common.user_files import parse_json

#: Address of the loopback interface; the server listens nowhere else.
LOOPBACK = "127.0.0.1"
#: Largest body of a request in bytes.
MOST_BYTES = 1 << 20
#: Headers of every response: the page loads nothing from elsewhere, and no other page may show or read it.
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

Answer = Callable[[Any], dict[str, Any]]


class Job:
    """A question in the queue: computed by the main thread, awaited by a handler's thread."""

    def __init__(self, question: Any) -> None:
        self.question, self.answer, self.done = question, {"error": "the server was stopped", "field": ""}, Event()


class Server(ThreadingHTTPServer):
    """Server of files and answers. Handlers run in threads; questions are answered in the main thread, one by one.

    Parameters
    ----------
    files : mapping
        Content and type by path.
    token : str
        Every request must have it, in the address or in the header ``X-Token``.
    port : int
        0 for any free port.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, files: dict[str, tuple[bytes, str]], token: str, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), Handler)
        self.files, self.token = files, token
        self.jobs: queue.Queue[Job] = queue.Queue()
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    @property
    def hosts(self) -> set[str]:
        """Legal values of the header ``Host``."""
        return {f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")}

    @property
    def address(self) -> str:
        """Address of the page, with the token."""
        return f"http://{LOOPBACK}:{self.server_port}/?token={self.token}"

    def listen(self) -> None:
        """Start to take requests."""
        self._thread.start()

    def answer(self, answer: Answer, wait: float | None = None) -> bool:
        """Answer one question; return False if none came within the time."""
        try:
            job = self.jobs.get(timeout=wait)
        except queue.Empty:
            return False
        try:
            job.answer = answer(job.question)
        finally:
            job.done.set()
        return True

    def stop(self) -> None:
        """Stop to take requests and close the socket."""
        self.shutdown()
        self.server_close()
        while not self.jobs.empty():
            self.jobs.get().done.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore browsers that close a connection."""


class Handler(BaseHTTPRequestHandler):
    """Handler of a request."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "nsa-explore", ""
    timeout = 60

    def do_GET(self) -> None:
        """Serve the page and its files."""
        if not self._is_allowed():
            return
        found = self.server.files.get(urlsplit(self.path).path)
        if found is None:
            self._send(HTTPStatus.NOT_FOUND, b"not found\n", "text/plain")
        else:
            self._send(HTTPStatus.OK, *found)

    def do_POST(self) -> None:
        """Answer a question."""
        if not self._is_allowed():
            return
        if urlsplit(self.path).path != "/ask":
            self._send(HTTPStatus.NOT_FOUND, b"not found\n", "text/plain")
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a question has at most {MOST_BYTES} bytes")
            return
        try:
            question = parse_json(self.rfile.read(int(length)).decode("utf-8"))
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "a question is a JSON object")
            return
        job = Job(question)
        self.server.jobs.put(job)
        job.done.wait()
        self._send(HTTPStatus.OK, json.dumps(job.answer, allow_nan=False).encode(), "application/json")

    def _is_allowed(self) -> bool:
        """Return whether host, origin and token are right; else answer with 403."""
        origin, site = self.headers.get("Origin"), self.headers.get("Sec-Fetch-Site", "none")
        if self.headers.get("Host", "") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "unknown host")
        elif origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "unknown origin")
        elif site not in ("none", "same-origin"):
            self._refuse(HTTPStatus.FORBIDDEN, "the page cannot be part of another one")
        elif not secrets.compare_digest(self._token().encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "wrong token: use the address that nsa explore printed")
        else:
            return True
        return False

    def _token(self) -> str:
        given = parse_qs(urlsplit(self.path).query).get("token", [""])
        return self.headers.get("X-Token", given[0])

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True  # the body was not read
        self._send(status, f"{why}\n".encode(), "text/plain")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": f"{kind}; charset=utf-8"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""
