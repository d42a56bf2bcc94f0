# SPDX-License-Identifier: Apache-2.0
"""The bytes of a message to an Arrow record batch: a plain function for any engine.

>>> decode = Decoder("SensorView", "lidar_sensor_view.reflection")
>>> decode.schema  # the same for every message
>>> decode(message)  # a pyarrow.RecordBatch
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wirecost.data.osi.arrow import MOST_VALUES, to_arrow
from wirecost.data.osi.frames import Frame
from wirecost.data.osi.lists import kind_of, without_indices
from wirecost.data.traces import messages
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa
    from wirecost_osi._columns import Columns


@dataclass(frozen=True)
class Decoder:
    """One list of OSI messages of one type. It can be pickled, and keeps nothing between calls."""

    type_name: str
    """``SensorView``, …"""
    path: str
    """``lidar_sensor_view.reflection``: all sensors' lists, one after another; with an index, as
    in ``lidar_sensor_view[0].reflection``, that one."""
    limit: int = MOST_VALUES
    """The largest number of values of a list that is made in memory."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of all batches.

        Raises UserError on a list that is not there or has no columns.
        """
        return self._empty().schema

    def __call__(self, message: bytes | memoryview) -> pa.RecordBatch:
        """Return a row per element, in rows or in columns; none where there is no such list.

        Raises UserError on bytes that are no such message.
        """
        frame = Frame("message", self.type_name, 0, None, memoryview(message))
        paths = [path for path in frame.lists() if self.path in (path, without_indices(path))]
        tables = [to_arrow(frame.columns(path), self.limit) for path in paths]
        tables = [table for table in tables if table.num_rows]
        schema = tables[0].schema if tables else self.schema
        import pyarrow as pa  # noqa: PLC0415  optional; what comes before says so in one line

        if not tables:
            return pa.RecordBatch.from_pylist([], schema=schema)
        return pa.concat_tables(tables).combine_chunks().to_batches()[0]

    def _empty(self) -> pa.Table:
        kind = self._kind()
        return to_arrow(kind.read(kind.from_rows([])))

    def _kind(self) -> type[Columns[Any]]:
        fields: Mapping[str, Any] = messages.message_class(self.type_name).DESCRIPTOR.fields_by_name
        repeated, element = False, None
        for name in without_indices(self.path).split("."):
            field = fields.get(name)
            repeated = field is not None and field.is_repeated
            element = field.message_type if field is not None else None
            fields = element.fields_by_name if element is not None else {}
        kind = kind_of(element) if repeated and element is not None else None
        if kind is None:
            raise UserError(
                f"{self.path}: no list of {self.type_name} that there are columns for; "
                "`wirecost trace info` prints a trace's lists"
            )
        return kind
