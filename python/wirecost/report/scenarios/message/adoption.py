# SPDX-License-Identifier: Apache-2.0
"""How a program comes to use another library or mode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from wirecost.analysis.summary import Row
from wirecost.report.scenarios.message.wires import wire_of

SCHEMAS = (".proto", ".msg", ".srv", ".desc")
COMPILED = ("wirecost", "wirecost-cdr", "wirecost-ros1")
LIBRARIES = {
    "wirecost-classes": "`wirecost compile {schema} --lang cpp --protobuf-api --out DIR`, for the "
    "same program",
    "wirecost-columns": "`wirecost compile {schema} --wire columns --columns MESSAGE --out DIR`",
    "flatbuffers-table": "a FlatBuffers schema with the same fields, compiled by flatc",
    "messagepack": "each message as an array of its fields, by msgpack",
    "rosbags": "`pip install rosbags`",
}
MODES = {
    "reused": "keep one object for all messages and decode into it; Protobuf's ParseFromString "
    "clears it and keeps its memory",
    "arena": "make the message on a google::protobuf::Arena, reset after each message",
    "view": "read the fields in the bytes by the generated view, without an object",
    "view in Python": "`decode_{wire}(data, views=True)`, and `encode_{wire}_into(memory)` with "
    "memory that is used again",
    "best": "parse from wrapped bytes into a reused builder, with aliasing",
}


def adoption(meta: dict[str, Any], rows: Sequence[Row]) -> str:
    """One line for all contenders in ``rows``."""
    schema = _schema(meta.get("command", ()))
    said = []
    for library in dict.fromkeys(row.contender for row in rows):
        mine = [row for row in rows if row.contender == library]
        if library in COMPILED:
            languages = ",".join(dict.fromkeys(row.lang for row in mine))
            wire = wire_of(meta, mine[0])
            how = f"`wirecost compile {schema} --lang {languages} --wire {wire} --out DIR`"
            how = how if wire else ""
        else:
            how = LIBRARIES.get(library, "").format(schema=schema)
        if how:
            said.append(f"{library}: {how}")
    modes = {
        f"{word} in Python" if (row.lang, word) == ("python", "view") else word: row
        for row in rows
        for word in row.mode.split()
    }
    said += [
        f"{mode}: {how.format(wire=wire_of(meta, modes[mode]))}"
        for mode, how in MODES.items()
        if mode in modes
    ]
    return f"How: {'; '.join(said)}." if said else ""


def _schema(command: Sequence[str]) -> str:
    """As the run's command gave it, but for the folder."""
    given = [word for word in command if PurePath(word).suffix in SCHEMAS]
    return PurePath(given[0]).name if len(given) == 1 else "SCHEMA"
