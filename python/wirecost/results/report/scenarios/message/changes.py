# SPDX-License-Identifier: Apache-2.0
"""Changes that would make a message cheaper, and who has to make them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath

from wirecost.results.analysis.message_doubts import Doubt, Key, is_in_doubt
from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.message import MessageChange, MessageMeta
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import LANGUAGES
from wirecost.results.report.shared.table import Table
from wirecost.system.foreign import shell_line

SAME = "same bytes"
MANY_FIELDS = "Fields to change"
ALL_PEERS = "all peers must change"
FASTER = "faster"
MOST_OF_BASELINE = 0.95
"""Share of the baseline's total up to which another library or mode is worth a change."""
COLUMNS = "wirecost-columns"
FROM_ARRAYS = ("python", "java")
"""Languages in which lists in columns are filled from arrays."""
OSI = "osi3"
SCHEMAS = (".proto", ".msg", ".srv", ".desc")
NATIVE = "wirecost-native"
"""Our extension for Python over the generated C++."""
COMPILED = ("wirecost", "wirecost-cdr", "wirecost-ros1", NATIVE)
READING = ("-I", "--include", "--dialect")
"""Options of a run that `wirecost compile` has, too."""
NEEDS = {"wirecost-cdr": ", without ROS or DDS", "wirecost-ros1": ", without ROS"}
"""What the name of a wire suggests that it needs."""
LIBRARIES = {
    "wirecost-classes": "`wirecost compile {schema} --lang cpp --protobuf-api --out DIR`, for the "
    "same program",
    "wirecost-columns": "`wirecost compile {schema} --wire columns --columns {lists} --out DIR`",
    "flatbuffers-table": "a FlatBuffers schema with the same fields, compiled by flatc",
    "messagepack": "each message as an array of its fields, by msgpack",
    "rosbags": "`pip install rosbags`",
}
MODES = {
    "reused": "keep one object for all messages and decode into it: Protobuf's ParseFromString "
    "clears it but keeps its memory",
    "arena": "make the message on an Arena, reset after each message",
    "view": "a receiver reads the fields in the bytes by the generated view, without an object",
    "view in Python": "`decode_{wire}(data, views=True)`, and `encode_{wire}_into(memory)` with "
    "memory that you reuse",
    "best": "parse from wrapped bytes into a reused builder, with aliasing",
}


def wire_of(meta: MessageMeta, row: Row) -> str:
    """Return on which wire a contender sends; empty where the run does not say."""
    return _wire_named(meta, row.lang, row.name)


def _wire_named(meta: MessageMeta, lang: str, name: str) -> str:
    about = meta.contenders.get(f"{lang} {name}")
    return about.wire if about is not None else ""


def languages_asked(meta: MessageMeta) -> tuple[str, ...]:
    """Return the languages whose contenders ran or were missing, in the order of ``LANGUAGES``."""
    present = {name.partition(" ")[0] for name in (*meta.contenders, *meta.not_run)}
    return tuple(lang for lang in LANGUAGES if lang in present)


def changes(
    meta: MessageMeta,
    rows: list[Row],
    doubted: Mapping[Key, Doubt],
    ends: Mapping[Key, tuple[float, float]],
) -> Table | None:
    """Return other code for the same bytes, then other wires, then other messages.

    Of each, what saves most on top. ``doubted``: contenders from which no factor follows; those are
    listed where ``ends``, the least and the greatest median of a process, do not overlap.
    """
    totals = [row for row in rows if row.stage == "total" and row.ratio is not None]
    sure = [row for row in totals if not is_in_doubt(row, doubted)]
    faster_rows = quicker(meta, totals, doubted, ends)
    body = [
        [
            f"{LANGUAGES.get(row.lang, row.lang)}: {row.name}",
            whom,
            speed,
            units.size(row.bytes),
            how,
        ]
        for row, whom, speed, how in faster_rows
    ]
    body += [
        [
            change.what,
            ALL_PEERS,
            _added_time(change, sure),
            units.size(round(change.bytes)),
            change.how,
        ]
        for change in meta.changes
    ]
    if not body:
        return None
    bases = {row.lang: row.ratio.to for row in totals if row.ratio and _speed(row, doubted, ends)}
    note = "".join(f"{LANGUAGES.get(lang, lang)}: instead of {to}. " for lang, to in bases.items())
    notes = [note + _legend(meta, {cells[2] for cells in body})]
    if faster_rows:
        notes.append(adoption(meta, [row for row, *_ in faster_rows]))
    if many_fields(meta) is not None:
        notes.append(f"… more: all are in report.html, table {MANY_FIELDS}, and in meta.json.")
    headings = ["change", "who", "time", "bytes", "how"]
    return Table("What to change", headings, body, notes, bars=("bytes",))


def quicker(
    meta: MessageMeta,
    totals: list[Row],
    doubted: Mapping[Key, Doubt],
    ends: Mapping[Key, tuple[float, float]],
) -> list[tuple[Row, str, str, str]]:
    """Return rows that are quicker than their baseline, those with its bytes first.

    A row says who must change, by how much it is quicker, and how that is known.
    """
    measured_in: dict[str, set[str]] = {}
    for row in totals:
        measured_in.setdefault(wire_of(meta, row), set()).add(row.lang)
    langs = languages_asked(meta)
    placed = []
    for row in totals:
        speed = _speed(row, doubted, ends)
        if not speed or row.ratio is None:
            continue
        wire = wire_of(meta, row)
        is_same = wire == _wire_named(meta, row.lang, row.ratio.to)
        lacking = [LANGUAGES[lang] for lang in langs if lang not in measured_in[wire]]
        whom = SAME if is_same else ALL_PEERS
        if lacking and not is_same:
            whom += f"; not measured in {', '.join(lacking)}"
        rank = not is_same, langs.index(row.lang), row.ratio.median
        placed.append((rank, (row, whom, speed, "measured")))
    placed.sort(key=lambda pair: pair[0])
    return [entry for _, entry in placed]


def many_fields(meta: MessageMeta) -> Table | None:
    """Return the fields of the changes that name only the first of theirs."""
    cut = [change for change in meta.changes if "more" in change.what.split()]
    body = [
        ["" if number else change.what, path]
        for change in cut
        for number, path in enumerate(change.fields)
    ]
    return Table(MANY_FIELDS, ["change", "field"], body, []) if body else None


def _added_time(change: MessageChange, totals: Iterable[Row]) -> str:
    """Return the time that a change adds.

    Of columns, what the program of the first language takes with them. ``totals``: without doubt.
    """
    if change.ns is not None:
        return f"{units.time(change.ns)} more"
    tried = [row for row in totals if row.contender == COLUMNS and row.ratio is not None]
    if not tried or not change.what.startswith("columns for"):
        return units.NONE
    lang = next(lang for lang in LANGUAGES if any(row.lang == lang for row in tried))
    best = min(row.ratio.median for row in tried if row.ratio is not None and row.lang == lang)
    return f"{units.speed(best)} in {LANGUAGES[lang]}"


def _speed(row: Row, doubted: Mapping[Key, Doubt], ends: Mapping[Key, tuple[float, float]]) -> str:
    """Return the speed beside the baseline; empty where it is not faster."""
    if row.ratio is None or row.ratio.ci95[1] >= 1:
        return ""
    own, baseline = (row.lang, row.name), (row.lang, row.ratio.to)
    if not is_in_doubt(row, doubted):
        if row.ratio.median > MOST_OF_BASELINE:
            return ""
        return units.speed(row.ratio.median)
    is_always = row.processes > 1 and ends[own][1] < ends[baseline][0]
    return FASTER if is_always else ""


def _legend(meta: MessageMeta, times: Collection[str]) -> str:
    parts = [
        f"{SAME}: another library or mode, for one program at a time; {ALL_PEERS}: other bytes, "
        "so that sender and receivers have to change together."
    ]
    if FASTER in times:
        parts.append(
            f"{FASTER}: faster for certain, but the times are too noisy to say by how much."
        )
    for lang in LANGUAGES.values():
        if any(time.endswith(f" in {lang}") for time in times):
            parts.append(
                f"in {lang}: {COLUMNS} in its best mode, with all these lists in columns with "
                "every bit kept."
            )
    if meta.changes:
        parts.append(
            "time: of all stages of a message, or the additional time to compress and decompress "
            "it with Python's packages of the C libraries; –: not measured. estimated: from the "
            "values of the fields, without the changed schema."
        )
    return " ".join(parts)


def adoption(meta: MessageMeta, rows: Sequence[Row]) -> str:
    """Say how a program comes to use the libraries and modes of ``rows``, in one line."""
    texts = uses(meta, rows)
    modes = {
        f"{word} in Python" if _is_view_in_python(row, word) else word: row
        for row in rows
        for word in row.mode.split()
    }
    texts |= {
        mode: how.format(wire=wire_of(meta, modes[mode]))
        for mode, how in MODES.items()
        if mode in modes
    }
    parts = [f"{name}: {how}{NEEDS.get(name, '')}" for name, how in texts.items() if how]
    return f"How: {'; '.join(parts)}." if parts else ""


def _is_view_in_python(row: Row, word: str) -> bool:
    """Say whether a row's message is decoded with its lists of bytes as views."""
    return (row.lang, word) == ("python", "view") and row.contender != COLUMNS


def uses(meta: MessageMeta, rows: Sequence[Row]) -> dict[str, str]:
    """Return how a program comes to use each library of ``rows``: a command, or what to call."""
    schema = _schema(meta)
    texts = {}
    for library in dict.fromkeys(row.contender for row in rows):
        of_library = [row for row in rows if row.contender == library]
        if library in COMPILED:
            languages = ",".join(dict.fromkeys(row.lang for row in of_library))
            options = f"--lang {languages}"
            if library == NATIVE:
                options = "--lang cpp,python --native"
            wire = wire_of(meta, of_library[0])
            how = f"`wirecost compile {schema} {options} --wire {wire} --out DIR`"
            texts[library] = how if wire else ""
        else:
            lists = ",".join(meta.lists) or "MESSAGE"
            texts[library] = LIBRARIES.get(library, "").format(schema=schema, lists=lists)
    return texts


def schema_given(meta: MessageMeta) -> str:
    """Return the schema as the run's command gave it, with the options that tell how to read it.

    Empty if it gave none, or several.
    """
    command = meta.command
    schemas = [word for word in command if PurePath(word).suffix in SCHEMAS]
    if len(schemas) != 1:
        return ""
    options = [pair for pair in pairwise(command) if pair[0] in READING]
    return shell_line(*schemas, *(word for pair in options for word in pair))


def _schema(meta: MessageMeta) -> str:
    """Return what to compile; of OSI's messages the Python module."""
    module = OSI if meta.type.startswith(f"{OSI}.") else "SCHEMA"
    return schema_given(meta) or module
