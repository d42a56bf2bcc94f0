# SPDX-License-Identifier: Apache-2.0
"""``.txth``: messages in Protobuf's text format, for people to read.

OSI separates messages by newlines only. Here a message ends before an empty line, and before a
top-level line whose field the message has already and can have only once.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import text_format
from google.protobuf.message import EncodeError, Message

from wirecost.data.traces import messages
from wirecost.data.traces.trace import About, Frame, TraceWriter
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.regular_file import open_regular

MAX_LINE = 1 << 26
MAX_MESSAGE = 1 << 30
"""Characters; a hostile file has no line or message ends."""

_FIELD = re.compile(r"([A-Za-z_]\w*)", re.ASCII)


class TextTrace(Closing):
    """Frames in the order of the file, each parsed and serialized when it is reached."""

    def __init__(self, path: Path, type_name: str) -> None:
        self.path = path
        self.type_name = type_name
        self.about = About()
        self.warnings: list[str] = []
        self.frame_count: int | None = None
        if not path.is_file():
            raise UserError(f"{path}: no such file; name a readable trace file")

    @property
    def readable(self) -> bool:
        """True where the first message is of the type."""
        first = next(self._texts(), None)
        try:
            return first is not None and self._parsed(first[1]).ByteSize() > 0
        except text_format.ParseError:
            return False

    def _parsed(self, text: str) -> Message:
        return text_format.Parse(text, messages.message_class(self.type_name)())

    def frames(self, start: int = 0, stop: int | None = None) -> Iterator[Frame]:
        self.warnings.clear()
        texts = self._texts()
        for number, (line, text, last) in enumerate(texts):
            if stop is not None and number >= stop:
                return
            if number < start:
                continue
            try:
                frame = memoryview(self._parsed(text).SerializeToString())
            except (text_format.ParseError, EncodeError, UnicodeError) as error:
                if last and number:
                    self.warnings.append(
                        f"{self.path}: cut off in frame {number} (line {line}); the {number} "
                        "whole frames before are read"
                    )
                    return
                raise UserError(
                    f"{self.path}: frame {number} from line {line} is not a {self.type_name} "
                    f"({shown(error)}); give its --type"
                ) from error
            yield messages.timestamp_ns(self.type_name, frame), frame

    def _texts(self) -> Iterator[tuple[int, str, bool]]:
        """Yield first line, text, and whether it is the last, of each message."""
        singular = {
            field.name
            for field in messages.message_class(self.type_name).DESCRIPTOR.fields
            if not field.is_repeated
        }
        seen: set[str] = set()
        lines: list[str] = []
        begin, size = 1, 0
        for number, line in enumerate(self._lines(), 1):
            field = _FIELD.match(line)
            name = field[1] if field is not None else ""
            if lines and (not line.strip() or name in seen):
                yield begin, "".join(lines), False
                seen.clear()
                lines.clear()
                size = 0
            if not line.strip():
                continue
            if not lines:
                begin = number
            if name in singular:
                seen.add(name)
            lines.append(line)
            size += len(line)
            if size > MAX_MESSAGE:
                raise UserError(f"{self.path}: the message from line {begin} on has no end")
        if lines:
            yield begin, "".join(lines), True

    def _lines(self) -> Iterator[str]:
        try:
            with io.TextIOWrapper(open_regular(self.path), encoding="utf-8-sig") as file:
                while line := file.readline(MAX_LINE):
                    if len(line) == MAX_LINE:
                        raise UserError(
                            f"{self.path}: a line of {MAX_LINE} characters; this is not .txth"
                        )
                    yield line
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}; name a readable trace file") from error
        except UnicodeError as error:
            raise UserError(f"{self.path}: not text ({error}); is it an .osi file?") from error

    def close(self) -> None:
        """Do nothing: no file stays open between two calls of ``frames``."""


class TextWriter(TraceWriter):
    """Writes each message as text, an empty line behind it."""

    def __init__(self, path: Path, type_name: str) -> None:
        super().__init__(path)
        self._type = type_name

    def _write(self, _timestamp_ns: int | None, message: memoryview | bytes) -> None:
        """Raise UserError on what is no such message, and on fields that text would lose."""
        try:
            parsed = messages.parse(self._type, memoryview(message))
        except ValueError as error:
            raise UserError(
                f"{self.path}: frame {self.frame_count} is not a {self._type} ({error}); "
                "give its --type"
            ) from error
        if messages.unknown_bytes(parsed):
            raise UserError(
                f"{self.path}: frame {self.frame_count} has fields that OSI "
                f"{messages.schema_version()} does not know, text would lose them; write .osi or "
                ".mcap"
            )
        self.file.write(text_format.MessageToString(parsed, as_utf8=True).encode() + b"\n")
