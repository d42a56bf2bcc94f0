# SPDX-License-Identifier: Apache-2.0
"""An XML-RPC server as ROS 1's nodes and masters are, and what every node must answer."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from socketserver import ThreadingMixIn
from typing import Any
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

MAX_REQUEST_BYTES = 64 << 20
MAX_CONNECTIONS = 64
Answer = tuple[int, str, Any]


class _Handler(SimpleXMLRPCRequestHandler):
    # Limit of each receive: a silent client keeps a thread no longer.
    timeout = 10
    encode_threshold = sys.maxsize  # ROS 1's libraries read no compressed answers.

    def do_POST(self) -> None:  # noqa: N802 (named by the standard library)
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length[:12]) > MAX_REQUEST_BYTES:
            self.send_error(413)
            return
        super().do_POST()

    def decode_request_content(self, data: bytes) -> bytes | None:
        if self.headers.get("content-encoding", "identity") != "identity":
            self.send_response(501)
            self.end_headers()
            return None
        return data


class _Server(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, host: str) -> None:
        super().__init__((host, 0), _Handler, logRequests=False, allow_none=True)
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Do nothing: a client that broke off is none of our user's concern."""


class ApiServer:
    """Answers calls of the methods of ``api`` until it is left."""

    def __init__(self, host: str, api: object) -> None:
        self._server = _Server(host)
        self._server.register_instance(api)
        self._server.register_multicall_functions()
        self.uri = f"http://{host}:{self._server.server_address[1]}/"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    def __enter__(self) -> ApiServer:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class SlaveApi:
    """Answers of a node to masters, subscribers and tools.

    ``publishers_changed`` is called with a topic and the URIs of its publishers; ``tcpros`` is
    where the node's topics are offered.
    """

    def __init__(
        self,
        master_uri: str,
        publishers_changed: Callable[[str, list[str]], None] | None = None,
        tcpros: Callable[[str], tuple[str, int] | None] | None = None,
    ) -> None:
        self._master_uri = master_uri
        self._publishers_changed = publishers_changed
        self._tcpros = tcpros

    def publisherUpdate(self, _caller: str, topic: str, uris: list[str]) -> Answer:  # noqa: N802
        if self._publishers_changed is not None:
            self._publishers_changed(str(topic), [str(uri) for uri in uris])
        return 1, "", 0

    def requestTopic(self, _caller: str, topic: str, protocols: list[Any]) -> Answer:  # noqa: N802
        where = self._tcpros(str(topic)) if self._tcpros is not None else None
        if where is None:
            return 0, f"{topic} is not published here", 0
        if not any(protocol and protocol[0] == "TCPROS" for protocol in protocols):
            return 0, "only TCPROS is supported here", 0
        return 1, "", ["TCPROS", *where]

    def paramUpdate(self, _caller: str, _key: str, _value: Any) -> Answer:  # noqa: N802
        return 1, "", 0

    def getPid(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", os.getpid()

    def getMasterUri(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", self._master_uri

    def getBusInfo(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", []

    def getBusStats(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", [[], [], []]

    def getSubscriptions(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", []

    def getPublications(self, _caller: str) -> Answer:  # noqa: N802
        return 1, "", []

    def shutdown(self, _caller: str, _reason: str = "") -> Answer:
        return 0, "wirecost ends by itself", 0
