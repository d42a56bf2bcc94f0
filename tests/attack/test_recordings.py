# SPDX-License-Identifier: Apache-2.0
"""Damaged recordings beside the formats' own libraries, for a moment; ``make attack`` has hours."""

from __future__ import annotations

import bz2
import os
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import lz4.frame
import pytest

from attack.crew import brief
from attack.recordings import differential, readings, seeds
from attack.recordings.listed import LISTED
from attack.recordings.readings import Reading
from attack.target import Target
from wirecost.data.recordings import plain_yaml
from wirecost.data.recordings.formats import bag
from wirecost.data.recordings.mcap import index as mcap_index
from wirecost.data.recordings.recording import Recording
from wirecost.system.errors import UserError
from wirecost.system.progress import silent

COUNT = int(os.environ.get("WIRECOST_ATTACK", "300"))


@pytest.mark.parametrize("target", differential.TARGETS, ids=lambda target: target.name)
def test_good_recordings_are_read_alike(target: Target) -> None:
    for data in target.corpus()[:3]:
        target.read(data)


@pytest.mark.parametrize("target", differential.TARGETS, ids=lambda target: target.name)
def test_damaged_recordings_are_read_alike_or_the_reason_is_listed(target: Target) -> None:
    assert brief(target, COUNT) == []


def test_listed_disagreements_have_reasons_of_their_own() -> None:
    assert len({one.reason for one in LISTED}) == len(LISTED)


def _reading(*messages: bytes, ended: str = "", said: str = "") -> Reading:
    return Reading({("a",): list(messages)} if messages else {}, ended, said)


@pytest.mark.parametrize(
    ("ours", "others", "kind"),
    [
        (_reading(b"1", b"2"), [_reading(b"1", b"2")], ""),
        (_reading(b"1"), [_reading(b"1", b"2")], "reads other messages and lacks some"),
        (_reading(b"1", b"2", b"3"), [_reading(b"1", b"2")], "reads other messages, beside"),
        (_reading(b"1"), [_reading(b"1", ended="cut")], "is silent, beside cut"),
        (_reading(said="cut"), [_reading(b"1", ended="cut")], ""),
        (_reading(b"2", said="cut"), [_reading(b"1", ended="cut")], "warns, yet reads other"),
        (_reading(ended="no"), [_reading(b"1")], "refuses: no"),
        (_reading(ended="no"), [_reading(b"1", ended="cut")], ""),
        (_reading(b"1"), [_reading(b"1"), _reading(b"2")], ""),
    ],
)
def test_disagreements_are_found(ours: Reading, others: list[Reading], kind: str) -> None:
    found = differential.disagreement(ours, others)
    assert found.startswith(kind)
    assert bool(found) == bool(kind)


def _contents(data: bytes | bytearray) -> mcap_index.Contents:
    return mcap_index.read_contents(memoryview(data), silent)


def _without_summary() -> bytes:
    """Messages in the file itself."""
    return seeds.mcaps()[4]


def test_damage_before_the_end_is_reported_with_what_was_read() -> None:
    data = bytearray(_without_summary())
    at = [at for at, record in mcap_index._records(memoryview(bytes(data)), [])][-2]
    struct.pack_into("<Q", data, at + 1, 1 << 63)
    contents = _contents(data)
    assert f"damaged or cut off at byte {at}" in contents.complaint
    assert len(contents.frames) == 22


def test_messages_of_unknown_channels_are_counted() -> None:
    data = bytearray(_without_summary())
    at = [at for at, record in mcap_index._records(memoryview(bytes(data)), [])][-1]
    struct.pack_into("<H", data, at + 9, 77)
    assert "1 of its messages are of no channel that it describes" in _contents(data).complaint


@pytest.mark.parametrize("pack", [bz2.compress, lz4.frame.compress])
def test_chunks_of_bags_take_no_unbounded_memory(
    pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bag, "MAX_CHUNK", 64)
    kind = b"bz2" if pack is bz2.compress else b"lz4"
    path = tmp_path / "a.bag"
    path.write_bytes(next(data for data in seeds.bags() if b"compression=" + kind in data))
    assert "a chunk of" in readings.our_bag(path).ended


@pytest.mark.parametrize("pack", [bz2.compress, lz4.frame.compress])
def test_a_chunk_of_a_bag_is_unpacked_no_further_than_it_states(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    kind = b"bz2" if pack is bz2.compress else b"lz4"
    data = next(data for data in seeds.bags() if b"compression=" + kind in data)
    path = tmp_path / "a.bag"
    at = data.index(b"size=", data.index(b"\x05")) + len("size=")
    path.write_bytes(data[:at] + struct.pack("<I", 1) + data[at + 4 :])
    assert "a chunk of another size than it states" in readings.our_bag(path).ended


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
TOPICS = "topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)"
MESSAGES = "messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB"


@pytest.mark.parametrize(
    "declared",
    [
        (
            f"CREATE TABLE {TOPICS}",
            f"CREATE VIEW messages AS {ENDLESS} "
            "SELECT x AS id, 1 AS topic_id, x AS timestamp, x'00' AS data FROM c",
        ),
        (
            f"CREATE VIEW topics AS {ENDLESS} "
            "SELECT x AS id, 'a' AS name, 'b' AS type, 'cdr' AS serialization_format FROM c",
            f"CREATE TABLE {MESSAGES})",
        ),
        (
            f"CREATE TABLE {TOPICS}",
            f"CREATE TABLE {MESSAGES} GENERATED ALWAYS AS (zeroblob(500000000)) VIRTUAL)",
        ),
        ("CREATE VIRTUAL TABLE topics USING fts5(name)", f"CREATE TABLE {MESSAGES})"),
    ],
    ids=["view of messages", "view of topics", "computed column", "virtual table"],
)
def test_databases_that_compute_their_rows_are_refused(
    declared: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "a.db3"
    with closing(sqlite3.connect(path)) as database, database:
        for statement in declared:
            database.execute(statement)
    with pytest.raises(UserError, match="are computed, not stored"):
        Recording(path)


def test_an_empty_file_is_to_be_recorded_again(tmp_path: Path) -> None:
    for name in ("a.bag", "a.mcap", "a.db3"):
        (tmp_path / name).touch()
        with pytest.raises(UserError, match=r"is empty; record it again$"):
            Recording(tmp_path / name)


def test_merge_keys_and_nesting_in_metadata_take_no_unbounded_memory() -> None:
    lines = ["- &a {x: 1, y: 2}"]
    for before, name in pairwise("abcdefghi"):
        lines.append(f"- &{name} {{<<: [{', '.join([f'*{before}'] * 20)}]}}")
    with pytest.raises(ValueError, match="aliases"):
        plain_yaml.load("\n".join(lines))
    with pytest.raises(ValueError, match="nested"):
        plain_yaml.load("[" * 100_000)


@pytest.mark.parametrize("where", ["relative_file_paths: [*i]", "compression_mode: *i"])
def test_aliases_in_metadata_take_no_unbounded_memory(where: str, tmp_path: Path) -> None:
    (tmp_path / "a.db3").write_bytes(seeds.databases()[0])
    lines = ["a: &a [x, x, x, x, x, x, x, x]"]
    for before, name in pairwise("abcdefghi"):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 20)}]")
    about = ["rosbag2_bagfile_information:", f"  {where}", "  relative_file_paths: [a.db3]"]
    (tmp_path / "metadata.yaml").write_text("\n".join([*lines, *about[: 2 if "[" in where else 3]]))
    with Recording(tmp_path) as recording:
        assert recording.warnings == ["its metadata.yaml is damaged and was not used"]
