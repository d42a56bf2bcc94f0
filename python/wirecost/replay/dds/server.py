# SPDX-License-Identifier: Apache-2.0
"""A service that answers from a recording."""

from __future__ import annotations

import threading
from collections.abc import Callable

from wirecost import _dds
from wirecost.replay.answers import Answers
from wirecost.replay.dds import envelope, names, qos
from wirecost.replay.middleware import Service
from wirecost.system.waiting import Deadline

_INBOX_BYTES = 64 << 20
_CHECK_S = 0.1
# A request may come before discovery has found the reader that awaits the reply.
_REPLY_READER_S = 2.0
_LOOK_S = 0.002


class Server:
    """Answers in a thread until closed. ``vendor`` returns a writer's DDS implementation."""

    def __init__(
        self,
        participant: _dds.Participant,
        service: Service,
        answers: Answers,
        vendor: Callable[[bytes], int],
    ) -> None:
        dds = names.service_to_dds(service.name, service.type)
        data = names.user_data(service.type_hash)
        self._answers = answers
        self._vendor = vendor
        self._service = service.name
        self._unmatched: dict[bytes, int] = {}
        self._replies = _dds.Writer(participant, dds.reply_topic, dds.reply_type, qos.SERVICE, data)
        self._requests = _dds.Inbox(
            participant, dds.request_topic, dds.request_type, qos.SERVICE, data, _INBOX_BYTES
        )
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="dds-answer", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self._requests.close()
        self._replies.close()

    def unmatched(self) -> list[str]:
        return [
            f"{self._service}: {count} × a request of {len(request)} bytes has no recorded reply"
            for request, count in list(self._unmatched.items())
        ]

    def _run(self) -> None:
        while not self._ending.is_set():
            for each in self._requests.take(_CHECK_S):
                self._answer(envelope.Envelope(*each))

    def _answer(self, received: envelope.Envelope) -> None:
        vendor = self._vendor(received.writer)
        opened = envelope.open_request(received, vendor)
        if opened is None:
            return
        call, content = opened
        recorded = self._answers.to(content)
        if recorded is None:
            self._unmatched[content] = self._unmatched.get(content, 0) + 1
            return
        self._wait_for_reader()
        if vendor == envelope.CYCLONE:
            self._replies.send(envelope.with_numbers(call, recorded.reply))
        else:
            assert isinstance(call.sequence, int)
            self._replies.answer(recorded.reply, call.client, call.sequence)

    def _wait_for_reader(self) -> None:
        end = Deadline(_REPLY_READER_S)
        while not self._replies.readers() or self._replies.unconfirmed():
            if end.passed or self._ending.wait(_LOOK_S):
                return
