# SPDX-License-Identifier: Apache-2.0
"""A file of rosbag2 in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from wirecost.data.recordings import offered
from wirecost.data.recordings.connection import (
    DIGEST,
    RecordedConnection,
    RecordedMessage,
    RecordingFiles,
)
from wirecost.data.recordings.damage import REINDEX, damage
from wirecost.data.recordings.packed_messages import with_unpacked
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

PLUGIN_ORDER = 3
SUFFIX = ".db3"
NAME = "ROS 2's .db3"
_LONGEST_DEFINITION = 8 << 20
_ROOT_PAGE = "SELECT rootpage FROM sqlite_master WHERE name = ? COLLATE NOCASE"
"""Where a table's rows are; 0 for views and virtual tables."""
TOO_LONG = offered.LONGEST + 1


class SqliteFile:
    """A .db3 file; see RecordingPart.

    rosbags' reader refuses the whole file for one topic without a definition, and takes the first
    definition of a type for all.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []
        log = path.with_name(f"{path.name}-wal")
        # The log of a recorder that was killed is read, too.
        mode = "" if log.is_file() and log.stat().st_size else "&immutable=1"
        with damage(path, REINDEX):
            if not path.stat().st_size:
                raise ValueError("it seems to be empty")
            self._database = sqlite3.connect(f"file:{quote(str(path))}?mode=ro{mode}", uri=True)
            self._database.text_factory = lambda data: data.decode("utf-8", "replace")
            try:
                self._check_tables()
                self.connections = list(self._connections())
            except BaseException:
                self._database.close()
                raise

    def _check_tables(self) -> None:
        """Raise UserError on what computes its rows: a few bytes of it give any number of them."""
        ask = self._database.execute
        for table in ("topics", "messages", "message_definitions"):
            pages = [page for (page,) in ask(_ROOT_PAGE, (table,))]
            is_stored = all(pages) and not any(
                row[6] for row in ask(f"PRAGMA table_xinfo({table})")
            )
            if not is_stored:
                raise UserError(
                    f"{self.path}: its {table} are computed, not stored, as no recorder writes "
                    "them; name another recording"
                )

    def _connections(self) -> list[RecordedConnection]:
        ask = self._database.execute
        definitions: dict[str, list[tuple[str, bytes, str]]] = {}
        if self._has("message_definitions", "encoded_message_definition"):
            for type_, encoding, text, digest in ask(
                # As a text it would end at its first NUL.
                "SELECT topic_type, encoding, "
                "substr(CAST(encoded_message_definition AS BLOB), 1, ?), "
                "type_description_hash FROM message_definitions ORDER BY id",
                (_LONGEST_DEFINITION,),
            ):
                definitions.setdefault(str(type_), []).append(
                    (str(encoding), _definition(text), str(digest or ""))
                )
        counts = dict(ask("SELECT topic_id, count(*) FROM messages GROUP BY topic_id"))
        digests = {}
        if self._has("topics", "type_description_hash"):
            digests = dict(ask("SELECT id, type_description_hash FROM topics"))
        profiles = {}
        if self._has("topics", offered.KEY):
            profiles = dict(ask(f"SELECT id, substr({offered.KEY}, 1, ?) FROM topics", (TOO_LONG,)))
        connections = []
        for number, topic, type_, wire in ask(
            "SELECT id, name, type, serialization_format FROM topics ORDER BY id"
        ):
            digest = str(digests.get(number) or "")
            stated = {DIGEST: digest, offered.KEY: offered.limited(profiles.get(number))}
            about = {key: text for key, text in stated.items() if text}
            described = definitions.get(str(type_), [])
            same = [definition for definition in described if definition[2] == digest]
            encoding, text, _ = (same or described or [("", b"", "")])[0]
            connections.append(
                RecordedConnection(number, str(topic), str(type_), str(wire), encoding,
                                   text, counts.get(number, 0), digest,
                                   about)
            )  # fmt: skip
        if lost := sum(counts.values()) - sum(connection.count for connection in connections):
            self.warnings.append(f"{counted(lost, 'message')} of no topic that it lists")
        return connections

    def _has(self, table: str, column: str = "") -> bool:
        names = [row[1] for row in self._database.execute(f"PRAGMA table_info({table})")]
        return bool(names) and (not column or column in names)

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        if not wanted:
            return []
        with damage(self.path, REINDEX):
            places = ", ".join("?" * len(numbers))
            rows = self._database.execute(
                f"SELECT id FROM messages WHERE topic_id IN ({places}) ORDER BY timestamp, id",
                list(numbers),
            )
            chosen = set(wanted)
            ids = [row[0] for at, row in enumerate(rows) if at in chosen]
            if len(ids) != len(chosen):
                raise ValueError("its index has fewer messages than the file")
            read = "SELECT data FROM messages WHERE id = ?"
            return [_bytes(self._database.execute(read, (id_,)).fetchone()[0]) for id_ in ids]

    def each(self) -> Iterator[RecordedMessage]:
        numbers = {connection.number for connection in self.connections}
        with damage(self.path, REINDEX):
            for topic, time_ns, data in self._database.execute(
                "SELECT topic_id, timestamp, data FROM messages"
            ):
                if topic in numbers:
                    yield RecordedMessage(topic, int(time_ns), _bytes(data))

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        places = ", ".join("?" * len(numbers))
        with damage(self.path, REINDEX):
            first, last = self._database.execute(
                f"SELECT min(timestamp), max(timestamp) FROM messages WHERE topic_id IN ({places})",
                list(numbers),
            ).fetchone()
            return int(first), int(last)

    def close(self) -> None:
        self._database.close()


def _definition(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value or "").encode()


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a message that is not of bytes")
    return value


def open_files(path: Path) -> RecordingFiles:
    return RecordingFiles([with_unpacked(SqliteFile(path))])
