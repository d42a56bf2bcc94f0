# SPDX-License-Identifier: Apache-2.0
"""The topics that replay publishes to the node, and the services that it answers as recorded."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence

from wirecost._middleware import TcpSink
from wirecost.replay.answers import Answers
from wirecost.replay.middleware import Call, Service, Topic
from wirecost.replay.ros1.server import TcprosServer, refuse
from wirecost.replay.ros1.service import Reply, read_frame, send_reply
from wirecost.replay.ros1.sockets import deadline, send
from wirecost.replay.ros1.tcpros import HANDSHAKE_S, encode

ANY = "*"


class Publications:
    """The TCPROS side of a node of ours."""

    def __init__(self, caller: str, host: str) -> None:
        self._caller = caller
        self._lock = threading.Lock()
        self._topics: dict[str, tuple[Topic, TcpSink]] = {}
        self._answers: dict[str, tuple[Service, Answers]] = {}
        self._unmatched: list[str] = []
        self._server = TcprosServer(host, self._serve)
        self.address = (host, self._server.port)
        self.service_uri = f"rosrpc://{host}:{self._server.port}"

    def __enter__(self) -> Publications:
        self._server.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.__exit__()

    def add(self, topic: Topic) -> TcpSink:
        sink = TcpSink(topic.qos.durability == "transient_local")
        with self._lock:
            self._topics[topic.name] = (topic, sink)
        return sink

    def answer(self, service: Service, recorded: Sequence[Call]) -> None:
        with self._lock:
            self._answers[service.name] = (service, Answers(recorded))

    def tcpros(self, topic: str) -> tuple[str, int] | None:
        """Return where a topic is offered; None: not here."""
        with self._lock:
            return self.address if topic in self._topics else None

    def readers(self, topic: str) -> int:
        with self._lock:
            offered = self._topics.get(topic)
        return offered[1].readers() if offered else 0

    def unmatched(self) -> list[str]:
        with self._lock:
            unmatched, self._unmatched = self._unmatched, []
        return unmatched

    def _serve(self, client: socket.socket, header: dict[str, str]) -> None:
        if "service" in header:
            self._answer(client, header)
        else:
            self._publish(client, header)

    def _publish(self, client: socket.socket, header: dict[str, str]) -> None:
        name = header.get("topic", "")
        with self._lock:
            offered = self._topics.get(name)
        if offered is None:
            refuse(client, f"{name or 'a header without a topic'}: not published here")
            return
        topic, sink = offered
        node_md5, topic_md5 = header.get("md5sum", ANY), topic.type_hash or ANY
        if ANY not in (node_md5, topic_md5) and node_md5 != topic_md5:
            refuse(
                client,
                f"{name}: the recording has {topic.type} of MD5 sum {topic_md5}, the node wants "
                f"{header.get('type')} of {node_md5}",
            )
            with self._lock:
                self._unmatched.append(
                    f"{name}: recorded as {topic.type} ({topic_md5}), but the node subscribes as "
                    f"{header.get('type')} ({node_md5})"
                )
            return
        # Where the recording does not know the type, the subscriber gets its own back.
        answer = {
            "callerid": self._caller,
            "topic": name,
            "type": topic.type if topic.type_hash else header.get("type", ANY),
            "md5sum": topic.type_hash or node_md5,
            "message_definition": topic.definition,
            "latching": "1" if topic.qos.durability == "transient_local" else "0",
        }
        send(client, encode(answer), deadline(HANDSHAKE_S))
        client.settimeout(None)
        sink.add(client.detach())

    def _answer(self, client: socket.socket, header: dict[str, str]) -> None:
        name = header["service"]
        with self._lock:
            offered = self._answers.get(name)
        if offered is None:
            refuse(client, f"{name}: not answered here")
            return
        service, answers = offered
        answer = {
            "callerid": self._caller,
            "service": name,
            "type": service.type,
            "request_type": f"{service.type}Request",
            "response_type": f"{service.type}Response",
            "md5sum": service.type_hash or header.get("md5sum", ANY),
        }
        send(client, encode(answer), deadline(HANDSHAKE_S))
        persistent = header.get("persistent", "").lower() in {"1", "true"}
        while header.get("probe") != "1":
            request = read_frame(client)
            with self._lock:
                call = answers.to(request)
                if call is None:
                    self._unmatched.append(
                        f"{name}: a request of {len(request)} bytes ({_start(request)}) has no "
                        "recorded answer"
                    )
            send_reply(client, _reply(call))
            if not persistent:
                return


def _reply(call: Call | None) -> Reply:
    if call is None:
        return Reply(False, b"wirecost replay: no recorded answer")
    return Reply(True, call.reply) if call.error is None else Reply(False, call.error.encode())


def _start(request: bytes) -> str:
    return request[:16].hex(" ") + (" ..." if len(request) > 16 else "")
