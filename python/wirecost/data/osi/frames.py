# SPDX-License-Identifier: Apache-2.0
"""A trace's frames by number, their lists as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, overload

from google.protobuf.message import Message

from wirecost.data.osi.lists import RepeatedField, find, without_indices
from wirecost.data.osi.transpose import transposed
from wirecost.data.traces import Trace, messages, open_trace
from wirecost.schema.columns.converter import Converter
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost_osi._columns import Columns

Kind = TypeVar("Kind", bound="Columns[Any]")


def open(path: str | Path, topic: str | None = None, type: str | None = None) -> Frames:
    """Open an .osi, .mcap or .txth trace.

    ``topic``: the channel where an .mcap file has several. ``type``: the message type, as
    ``SensorView``, where the file does not have it. Raises UserError.
    """
    return Frames(open_trace(Path(path), topic, type))


class Frame:
    """One message of a trace. All that is read from it stays valid after the trace is closed."""

    def __init__(
        self, place: str, type_name: str, number: int, timestamp: int | None, data: memoryview
    ) -> None:
        self._place = place
        self.type_name = type_name
        """``SensorView``, …"""
        self.number = number
        self.timestamp = timestamp
        """Nanoseconds; None where it has none."""
        self.data = data
        """The message's bytes, over the mapped file where it is not compressed."""
        self._read: dict[str, Columns[Any]] = {}

    def __repr__(self) -> str:
        return f"<{self.type_name} frame {self.number} of {len(self.data)} bytes>"

    @cached_property
    def message(self) -> Message:
        """The parsed Protobuf message; parsed when first asked for. Raises UserError."""
        try:
            return messages.parse(self.type_name, self.data)
        except ValueError as error:
            raise UserError(
                f"{self._place}: not a {self.type_name} ({error}); run `wirecost trace check`"
            ) from error

    def lists(self) -> dict[str, int]:
        """Return path and length of each list that ``columns`` can return. Raises UserError.

        A path is ``lidar_sensor_view[0].reflection``, for example.
        """
        return {path: listed.count for path, listed in self._lists.items()}

    @overload
    def columns(self, path: str) -> Columns[Any]: ...
    @overload
    def columns(self, path: str, kind: type[Kind]) -> Kind: ...
    def columns(self, path: str, kind: type[Any] | None = None) -> Any:
        """Return a list as columns. Raises UserError.

        ``columns.time_of_flight.values`` is a NumPy array over all elements. ``path``: as ``lists``
        returns it; indices may be left out where one list fits. ``kind``: the generated class that
        is expected, for type checkers. Lists that the trace holds in columns are read where they
        lie; the rows of a frame become columns when first asked for.
        """
        listed = self._found(path)
        if kind is not None and listed.kind is not kind:
            raise UserError(f"{self._place}: {path} is {listed.kind.__name__}, not {kind.__name__}")
        if listed.path not in self._read:
            try:
                self._read[listed.path] = self._columns(listed)
            except ValueError as error:
                raise UserError(
                    f"{self._place}: {listed.path} cannot be read ({error}); run "
                    "`wirecost trace check`"
                ) from error
        return self._read[listed.path]

    def _columns(self, listed: RepeatedField) -> Columns[Any]:
        """Read the columns of a list from the message, else convert its rows. Raises ValueError."""
        data = self.data if listed.columns is not None else self._converted
        fields = listed.kind.find(data, f"osi3.{self.type_name}")
        here = [field for field in fields if field.path == listed.path]
        if len(here) == 1:
            return listed.kind.read(data, here[0].offset, here[0].size)
        if listed.columns is not None or here:
            raise ValueError(f"they occur {len(here)} times")
        # Elements with fields that the schema does not know: what it knows of them.
        return listed.kind.read(transposed(listed.kind, listed.rows).prepare("exact").to_bytes())

    @cached_property
    def _converted(self) -> bytes:
        """The message with columns for rows."""
        rows = (listed.path for listed in self._lists.values() if listed.columns is None)
        return _in_columns(self.type_name, self.data, map(without_indices, rows))

    @cached_property
    def _lists(self) -> dict[str, RepeatedField]:
        return {listed.path: listed for listed in find(self.message)}

    def _found(self, path: str) -> RepeatedField:
        if path in self._lists:
            return self._lists[path]
        fitting = [candidate for candidate in self._lists if without_indices(candidate) == path]
        if len(fitting) == 1:
            return self._lists[fitting[0]]
        choices = fitting or list(self._lists)
        problem = f"several lists are {path}" if fitting else f"there is no list {path}"
        raise UserError(
            f"{self._place}: {problem}; there are {', '.join(choices[:8]) or 'none with columns'}"
        )


class Frames(Closing, Sequence[Frame]):
    """The frames of a trace file; use it in a ``with`` block. Reading raises UserError."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._closed = False
        self.path = trace.path
        self.type_name = trace.type_name
        """``SensorView``, …"""

    @property
    def warnings(self) -> list[str]:
        """One line each: what the file lacks though all whole frames of it are read."""
        return self._trace.warnings

    @cached_property
    def _count(self) -> int:
        count = self._trace.frame_count
        return sum(1 for _ in self._opened().frames()) if count is None else count

    def __len__(self) -> int:
        """Return the number of frames; a .txth file is read to its end for it."""
        return self._count

    def __iter__(self) -> Iterator[Frame]:
        for number, (timestamp, data) in enumerate(self._opened().frames()):
            yield self._frame(number, timestamp, data)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | Sequence[Frame]:
        """Return frame ``index``, negative ones from the end; .txth files are read up to there."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if number >= 0:
            for timestamp, data in self._opened().frames(number, number + 1):
                return self._frame(number, timestamp, data)
        raise IndexError(f"frame {index} of {len(self)}")

    def _frame(self, number: int, timestamp: int | None, data: memoryview) -> Frame:
        return Frame(f"{self.path}: frame {number}", self.type_name, number, timestamp, data)

    def _opened(self) -> Trace:
        if self._closed:
            raise UserError(f"{self.path}: closed; read frames within the with block")
        return self._trace

    def close(self) -> None:
        """Close the trace; frames that were taken stay valid."""
        self._closed = True
        self._trace.close()


_converting = Lock()
"""Lock around a converter: its result is valid until its next call, by any thread."""


def _in_columns(type_name: str, message: memoryview, paths: Iterable[str]) -> bytes:
    """Return the message with the lists of these paths, without indices, as exact columns.

    A list whose elements have unknown fields stays as it is. Raises ValueError on what is no such
    message.
    """
    with _converting:
        return bytes(_converter(type_name, tuple(sorted(set(paths)))).to_columns(message))


@cache
def _converter(type_name: str, paths: tuple[str, ...]) -> Converter:
    return Converter.to_columns_of(f"osi3.{type_name}", paths)
