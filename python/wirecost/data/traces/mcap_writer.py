# SPDX-License-Identifier: Apache-2.0
"""Writes OSI's multi-channel trace files, one channel each, with the metadata OSI asks for."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from wirecost.data.recordings.mcap.writer import McapSchema, McapWriter
from wirecost.data.traces import messages
from wirecost.data.traces.choices import COMPRESSIONS
from wirecost.data.traces.files import unwritable
from wirecost.data.traces.mcap_file import CHANNEL, METADATA, STATIC_TOPIC
from wirecost.data.traces.names import parse_name
from wirecost.data.traces.trace import About, FrameNumbers, TraceWriter
from wirecost.system.errors import UserError

DATE_TIME = re.compile(
    r"-?([1-9]\d{3,}|0\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"T(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?|24:00:00(\.0+)?)"
    r"(Z|[+-]((0\d|1[0-3]):[0-5]\d|14:00))",
    re.ASCII,
)
"""XML Schema's dateTimeStamp, which OSI asks for in ``zero_time`` and ``creation_time``."""


class McapTraceWriter(TraceWriter):
    """``about``: the source's own metadata, which is copied. Raises UserError.

    Log times never decrease, because readers of MCAP order messages by them: a frame whose
    timestamp is absent or lies before that of a frame written earlier has that one's log time. Its
    own timestamp is the publish time.
    """

    def __init__(self, path: Path, type_name: str, about: About, compression: str = "zstd") -> None:
        if compression not in COMPRESSIONS:
            raise UserError(f"--compression {compression}: there are {', '.join(COMPRESSIONS)}")
        self._type = type_name
        self._about = about
        self._channel: int | None = None
        self._static: int | None = None
        """Channel of static data."""
        self._metadata: dict[str, str] = {}
        self._log_time = 0
        self._moved = FrameNumbers()
        super().__init__(path)
        self._writer = McapWriter(self.file, compression=compression)

    def _write(self, timestamp_ns: int | None, message: memoryview | bytes) -> None:
        time = self._time(timestamp_ns)
        if self._channel is None:
            self._channel = self._start(messages.osi_version(self._type, memoryview(message)))
        if timestamp_ns is None or time < self._log_time:
            self._moved.add(self.frame_count)
        self._log_time = max(self._log_time, time)
        self._writer.write(self._channel, self._log_time, message, time)

    def _time(self, timestamp_ns: int | None) -> int:
        """Return a frame's own time. Raises UserError where MCAP cannot hold it."""
        time = self._log_time if timestamp_ns is None else timestamp_ns
        if not 0 <= time < 2**64:
            raise UserError(
                f"{self.path}: frame {self.frame_count} has the timestamp {time} ns, which MCAP "
                "cannot hold; write .osi"
            )
        return time

    def write_static(self, timestamp_ns: int | None, truth: bytes) -> None:
        """Write static data of the frames that follow, on a channel of its own.

        Raises UserError where the format or the disk cannot hold it.
        """
        try:
            self._write_static(max(self._log_time, self._time(timestamp_ns)), truth)
        except OSError as error:
            raise unwritable(self.path, error) from error

    def _write_static(self, time: int, truth: bytes) -> None:
        if self._channel is None:
            self._channel = self._start(messages.osi_version("GroundTruth", memoryview(truth)))
        if self._static is None:
            self._static = self._registered(STATIC_TOPIC, "GroundTruth")
        self._writer.write(self._static, time, truth)

    def _start(self, version: str | None) -> int:
        """Return the records before the first message; ``version`` is what that one states."""
        about = self._about
        osi = about.channel.get(f"{CHANNEL}.osi_version") or version or messages.schema_version()
        protobuf = about.channel.get(f"{CHANNEL}.protobuf_version") or messages.PROTOBUF_VERSION
        self._writer.add_metadata(
            METADATA,
            {
                "creation_time": datetime.now(UTC).isoformat(timespec="seconds"),
                **about.file,
                "version": messages.schema_version(),
                "min_osi_version": osi,
                "max_osi_version": osi,
                "min_protobuf_version": protobuf,
                "max_protobuf_version": protobuf,
            },
        )
        self._metadata = {
            **about.channel,
            f"{CHANNEL}.osi_version": osi,
            f"{CHANNEL}.protobuf_version": protobuf,
        }
        return self._registered("", self._type)

    def _registered(self, end: str, type_name: str) -> int:
        """Return the channel of a type; ``end``: of its topic."""
        schema = McapSchema(f"osi3.{type_name}", "protobuf", messages.schema_of(type_name))
        topic = (self._about.topic or self._type) + end
        return self._writer.channel(topic, "protobuf", schema, self._metadata)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            try:
                if self._channel is None:
                    self._start(None)
                self._writer.finish()
                self._warn()
            except OSError as failure:
                super().__exit__(OSError, failure, None)
                raise unwritable(self.path, failure) from failure
        super().__exit__(kind, error, traceback)

    def _warn(self) -> None:
        if self._moved.count:
            self.warnings.append(
                f"{self.path}: timestamps that are absent or go back in "
                f"{self._moved.of(self.frame_count)}; to keep the order, such a frame has the log "
                "time of the latest one before it"
            )


def about_named(path: Path) -> About:
    """Return what of a file's name MCAP's metadata can hold: when its recording began."""
    name = parse_name(path)
    if name is None:
        return About()
    stamp = name.timestamp.replace(",", ".")
    date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:{stamp[13:]}"
    offset = re.search(r"([+-]\d{2})(\d{2})?$", stamp[8:])
    if offset is not None:
        date = date[: -len(offset[0])] + f"{offset[1]}:{offset[2] or '00'}"
    return About(file={"creation_time": date} if DATE_TIME.fullmatch(date) else {})
