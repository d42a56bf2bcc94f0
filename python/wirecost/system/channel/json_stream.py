# SPDX-License-Identifier: Apache-2.0
"""JSON objects, one a line, over any pair of streams: bounded, and nothing in them is run."""

from __future__ import annotations

import json
import select
from abc import ABC, abstractmethod
from typing import Any

from wirecost.system.waiting import Deadline

JsonObject = dict[str, Any]
"""An object of JSON, as one process sends it to another."""
CHUNK = 1 << 20
MOST_LINE = 1 << 26
"""Bytes of a line, by default; answers may hold the time stamps of thousands of messages."""


class JsonStream(ABC):
    """One end of a connection. Reads no more than has come, so that waiting input can be seen."""

    def __init__(self, most: int = MOST_LINE) -> None:
        """Begin without input; ``most``: bytes of a line that is accepted."""
        self._most = most
        self._rest = bytearray()
        self._searched = 0
        """Bytes of the rest that hold no end of a line."""

    @abstractmethod
    def fileno(self) -> int:
        """Return the descriptor that is readable when ``take`` does not wait."""

    @abstractmethod
    def _read(self) -> bytes:
        """Return what has come, empty at the end. Waits if nothing has."""

    @abstractmethod
    def _write(self, content: bytes) -> None: ...

    @abstractmethod
    def _error(self, reason: str) -> Exception:
        """Return what is raised for a line that is no object."""

    @abstractmethod
    def _ended(self, error: OSError | None) -> Exception:
        """Return what is raised where the other end has gone."""

    def put(self, message: JsonObject) -> None:
        """Send an object. Raises what ``_ended`` returns."""
        try:
            self._write(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise self._ended(error) from error

    def take(self) -> None:
        """Read what has come. Raises what ``_ended`` returns."""
        try:
            content = self._read()
        except OSError as error:
            raise self._ended(error) from error
        if not content:
            raise self._ended(None)
        self._rest += content

    def pop(self) -> JsonObject | None:
        """Return the next object, if it has been read in whole. Raises what ``_error`` returns."""
        end = self._rest.find(b"\n", self._searched)
        if max(end, len(self._rest) if end < 0 else 0) > self._most:
            raise self._error(f"a line is longer than {self._most} bytes")
        if end < 0:
            self._searched = len(self._rest)
            return None
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        self._searched = 0
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            raise self._error("a line is not JSON") from None
        if not isinstance(message, dict):
            raise self._error("a line is not a JSON object")
        return message

    def wait(self, timeout_s: float | None) -> JsonObject | None:
        """Return the next object, None if none comes in time; ``timeout_s`` None: wait for ever."""
        deadline = Deadline(timeout_s)
        while (message := self.pop()) is None:
            remaining_s = None if timeout_s is None else deadline.left
            if not select.select([self], [], [], remaining_s)[0]:
                return None
            self.take()
        return message

    def waiting(self) -> bool:
        """Return whether something to read is there."""
        return b"\n" in self._rest or bool(select.select([self], [], [], 0)[0])
