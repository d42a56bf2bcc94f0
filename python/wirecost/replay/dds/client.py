# SPDX-License-Identifier: Apache-2.0
"""A client of one service."""

from __future__ import annotations

import secrets
import struct
from collections.abc import Callable

from wirecost import _dds
from wirecost.replay.dds import envelope, names, qos
from wirecost.replay.middleware import Service
from wirecost.system.waiting import Deadline, wait_until

_INBOX_BYTES = 64 << 20
_CHECK_S = 0.01


class NoReplyError(Exception):
    """The service did not answer in time; the text states what was waited for."""


class Client:
    """Calls a service as a node of the same middleware would."""

    def __init__(self, participant: _dds.Participant, service: Service) -> None:
        dds = names.service_to_dds(service.name, service.type)
        data = names.user_data(service.type_hash)
        self._replies = _dds.Inbox(
            participant, dds.reply_topic, dds.reply_type, qos.SERVICE, data, _INBOX_BYTES
        )
        self._requests = _dds.Writer(
            participant, dds.request_topic, dds.request_type, qos.SERVICE, data
        )
        self._number = secrets.token_bytes(8)
        self._calls = 0

    def close(self) -> None:
        self._requests.close()
        self._replies.close()

    def call(self, content: bytes, vendor: Callable[[], int], timeout_s: float) -> bytes:
        """Return the reply's content.

        ``vendor`` is asked for the server's DDS implementation once there is a server.

        Raises:
            NoReplyError: no node provides the service, or no reply comes.
        """
        end = Deadline(timeout_s)
        if not wait_until(self._ready, timeout_s, _CHECK_S):
            raise NoReplyError(f"no node provided it within {timeout_s:g} s")
        server_vendor = vendor()
        call = self._send(content, server_vendor)
        while (seconds := end.left) > 0:
            for each in self._replies.take(seconds):
                opened = envelope.open_reply(envelope.Envelope(*each), server_vendor)
                if opened is not None and opened[0] == call:
                    return opened[1]
        raise NoReplyError(f"no reply within {timeout_s:g} s")

    def _ready(self) -> bool:
        """Return whether a server has found the client; else it could not answer it."""
        matched = self._requests.readers() and self._replies.writers()
        return bool(matched) and not (self._requests.unconfirmed() or self._replies.unconfirmed())

    def _send(self, content: bytes, server_vendor: int) -> envelope.Call:
        if server_vendor == envelope.CYCLONE:
            self._calls += 1
            order = "<" if content[1] & 1 else ">"
            call = envelope.Call(self._number, struct.pack(f"{order}q", self._calls))
            self._requests.send(envelope.with_numbers(call, content))
            return call
        # The reply is looked for under the reader that awaits it.
        _, sequence = self._requests.answer(content, self._replies.guid, 0)
        return envelope.Call(self._replies.guid, sequence)
