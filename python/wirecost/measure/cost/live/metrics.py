# SPDX-License-Identifier: Apache-2.0
"""What a graph costs as text of Prometheus, on loopback alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from wirecost.results.records.cost import EndCost, SystemCost
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError

LOOPBACK = "127.0.0.1"
CONTENT = "text/plain; version=0.0.4; charset=utf-8"


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing of clients that went away."""


class Metrics(Closing):
    """A server at ``http://127.0.0.1:PORT/metrics``. Raises UserError."""

    def __init__(self, port: int) -> None:
        self.text = ""
        metrics = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 5.0

            def do_GET(self) -> None:
                body = metrics.text.encode(errors="replace")
                self.send_response(200 if self.path == "/metrics" else 404)
                self.send_header("Content-Type", CONTENT)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing: the terminal has the table."""

        try:
            self._server = _Server((LOOPBACK, port), Handler)
        except OSError as error:
            raise UserError(f"--serve {port}: {error.strerror}; name another port") from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def metrics_of(cost: SystemCost) -> str:
    """Return the text: gauges of topics, of their ends and of processes."""
    samples: dict[str, list[str]] = {}
    for name, labels, value in _samples(cost):
        label_text = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        samples.setdefault(name, []).append(f"wirecost_{name}{{{label_text}}} {value:.6g}")
    return "".join(
        f"# TYPE wirecost_{name} gauge\n" + "\n".join(lines) + "\n"
        for name, lines in samples.items()
    )


def _samples(cost: SystemCost) -> Iterator[tuple[str, dict[str, str], float]]:
    for topic in cost.topics if cost.is_listened else []:
        labels = {"topic": topic.topic, "type": topic.type}
        yield "topic_messages_missed", labels, topic.missed
        if topic.has_rate:
            yield "topic_messages_per_second", labels, topic.rate_hz
            yield "topic_bytes_per_second", labels, topic.bytes_per_s
    for end in cost.ends:
        labels = {"topic": end.topic, "nodes": " ".join(end.nodes), "pid": str(end.pid)}
        for name, value in _values(end):
            yield name, {**labels, "end": "publisher" if end.is_publisher else "taker"}, value
    for process in cost.processes:
        if not process.has_ended:
            labels = {"pid": str(process.pid), "command": process.command}
            yield "process_cores", {**labels, "nodes": " ".join(process.nodes)}, process.share
    yield "own_cores", {}, cost.looking or 0.0


def _values(end: EndCost) -> Iterator[tuple[str, float]]:
    yield "end_messages_per_second", end.rate_hz
    yield "end_intra_process_messages_per_second", end.intra_hz
    if end.bytes_per_s is not None:
        yield "end_bytes_per_second", end.bytes_per_s
    yield "end_call_cores", end.call_share
    yield "end_callback_cores", end.callback_share


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
