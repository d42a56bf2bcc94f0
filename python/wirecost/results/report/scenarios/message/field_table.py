# SPDX-License-Identifier: Apache-2.0
"""Bytes and time of a message's fields."""

from __future__ import annotations

from wirecost.results.analysis.message_fields import STAGES, FieldShares, Share
from wirecost.results.records.schemas.message import TOGETHER, FieldBytes, MessageMeta
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import LANGUAGES
from wirecost.results.report.shared.table import Amount, Table

INDENT = "· "
SHOWN = 25
"""Fields in the table that a terminal shows."""
LEAST_SHOWN = 0.01
"""Least share of all bytes for a field whose time was not measured."""
TIMED = STAGES[:2]
TIMED_LANGUAGE = "cpp"
UNKNOWN = "–"
CANNOT_TELL = "cannot tell"
NOTHING_SAVED = "no saving"


def field_table(
    meta: MessageMeta, found: list[FieldShares], languages: tuple[str, ...]
) -> Table | None:
    """Return those that have most, then all others in one row.

    ``languages``: that were asked for.
    """
    if not meta.fields or not meta.counted_bytes:
        return None
    timed = {field for share in found for field, _ in share.of} - {TOGETHER}
    listed = sorted(meta.fields, key=lambda field: -field.all)
    least = LEAST_SHOWN * meta.counted_bytes
    chosen = {f.path for f in [f for f in listed if f.path in timed or f.all >= least][:SHOWN]}
    others = [field for field in meta.fields if field.path not in chosen]
    body = _tree(meta, found, [field for field in meta.fields if field.path in chosen])
    if others:
        name = f"{len(others)} {'other' if len(others) == 1 else 'others, together'}"
        unknown = [UNKNOWN for _ in found for _ in TIMED]
        body.append([name, *_bytes(meta, sum(field.own for field in others)), *unknown])
    together = _times(found, TOGETHER)
    if any(cell != UNKNOWN for cell in together):
        body.append(["all measured ones at once", "", "", *together])
    headings = ["field", "bytes", "share"]
    headings += [f"{share.contender} {stage}" for share in found for stage in TIMED]
    has_rest = any(_rest(found, path) is not None for path in chosen)
    ended = bool(meta.interrupted)
    note = _note(found, len(timed), others != [], has_rest, languages, ended)
    return Table("Where it goes, by field", headings, body, [note], bars=("share",))


def _tree(meta: MessageMeta, found: list[FieldShares], shown: list[FieldBytes]) -> list[list[str]]:
    """Return a row for each field, and what is left of its time below those inside it."""
    body: list[list[str]] = []
    open_rests: list[tuple[str, list[str]]] = []
    following = [field.path for field in shown[1:]] + [""]
    for field, next_path in zip(shown, following, strict=True):
        path, level = field.path, field.path.count(".")
        name = path.rpartition(".")[2]
        body.append([INDENT * level + name, *_bytes(meta, field.all), *_times(found, path)])
        if (rest := _rest(found, path)) is not None:
            open_rests.append(
                (f"{path}.", [f"{INDENT * (level + 1)}rest of {name}", "", "", *rest])
            )
        while open_rests and not next_path.startswith(open_rests[-1][0]):
            body.append(open_rests.pop()[1])
    return body


def _bytes(meta: MessageMeta, count: int) -> list[str]:
    """Return bytes of a message, and their share of all."""
    size = units.size(round(count / max(1, meta.messages)))
    return [size, percent(count / meta.counted_bytes)]


def percent(value: float) -> str:
    return Amount(f"{100 * value:.1f} %" if value < 0.0995 else f"{100 * value:.0f} %", value)


def _times(found: list[FieldShares], path: str) -> list[str]:
    return [_share(share.of.get((path, stage))) for share in found for stage in TIMED]


def _rest(found: list[FieldShares], path: str) -> list[str] | None:
    """Return what the times of the fields in it leave of its own; None where none was measured."""
    cells = [_rest_of(share, path, stage) for share in found for stage in TIMED]
    return cells if any(cell != UNKNOWN for cell in cells) else None


def _rest_of(found: FieldShares, path: str, stage: str) -> str:
    inner = [
        share.value
        for (field, of), share in found.of.items()
        if of == stage and field.rpartition(".")[0] == path
    ]
    whole = found.of.get((path, stage))
    if whole is None or not inner:
        return UNKNOWN
    rest = whole.value - sum(inner)
    # Not where fields disturb one another: without one, a message may be slower.
    return f"≈ {100 * rest:.0f} %" if 0 <= rest <= whole.value else CANNOT_TELL


def _share(share: Share | None) -> str:
    if share is None:
        return UNKNOWN
    value, half = 100 * share.value, 50 * (share.high - share.low)
    if share.low <= 0 <= share.high or abs(round(value)) <= round(half):
        return CANNOT_TELL
    if value < 0:
        return NOTHING_SAVED
    return f"{value:.0f} ± {half:.0f} %"


def _note(
    found: list[FieldShares],
    measured: int,
    has_others: bool,
    has_rest: bool,
    languages: tuple[str, ...],
    ended: bool,
) -> str:
    note = (
        "bytes: of the field in a message, with its tag, length and inner fields; share: of all "
        "bytes, exact."
    )
    if has_others:
        note += " others: without what they contain; inner ones also count in the rows above."
    elsewhere = [
        LANGUAGES[lang] for lang in languages if lang != TIMED_LANGUAGE and lang in LANGUAGES
    ]
    if not found and TIMED_LANGUAGE in languages:
        why = "the run ended before" if ended else "no contender that they are measured with ran"
        return f"{note} Times of fields were not measured: {why}."
    if not found:
        return f"{note} Times of fields are measured in C++ only, with --lang cpp."
    note += (
        " Times: how much time is saved without the field, measured in turns with the whole "
        "message; ± half the 95 % interval; cannot tell: the interval contains 0; "
        f"{NOTHING_SAVED}: a message is not faster without the field."
    )
    if has_rest:
        note += (
            " rest of a field: its time less those of the fields in it that were measured; ≈: "
            "computed, without an interval; cannot tell: they do not add up."
        )
    note += f" {UNKNOWN}: not measured, which was done for {measured} fields with many bytes."
    if elsewhere:
        note += f" Times are of C++ only, not of {' and '.join(elsewhere)}."
    errors = [abs(e) for share in found for stage in TIMED if (e := share.error(stage)) is not None]
    if errors:
        note += (
            " The shares of the outermost fields, summed, differ from that of all these fields "
            f"together by up to {100 * max(errors):.0f} points."
        )
    return note
