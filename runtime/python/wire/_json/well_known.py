# SPDX-License-Identifier: Apache-2.0
"""Texts of times, durations and masks of fields."""

from __future__ import annotations

import re

from .scalars import shown

_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""Seconds of the years 1 to 9999, counted from 1970."""
_LONGEST = 315_576_000_000
"""Seconds of 10,000 years."""
_GIGA = 1_000_000_000
_DAY = 86_400
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:Z|([-+])([0-9]{2}):([0-9]{2}))"
)
_DURATION = re.compile(r"(-?)([0-9]{1,12})(?:\.([0-9]{1,9}))?s")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def timestamp_text(seconds: int, nanos: int) -> str:
    if not _FIRST <= seconds <= _LAST or not 0 <= nanos < _GIGA:
        raise ValueError(f"{seconds} s and {nanos} ns are no time of the years 1 to 9999")
    days, second = divmod(seconds, _DAY)
    year, month, day = _date(days)
    hour, minute, second = second // 3600, second // 60 % 60, second % 60
    date = f"{year:04}-{month:02}-{day:02}"
    return f"{date}T{hour:02}:{minute:02}:{second:02}{_fraction(nanos)}Z"


def timestamp(text: str) -> tuple[int, int]:
    """Seconds and nanoseconds since 1970."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        raise ValueError(f"{shown(text)} is no time like 1970-01-01T00:00:00.5Z")
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    offset_hour, offset_minute = int(found[9] or 0), int(found[10] or 0)
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if (
        not 1 <= month <= 12
        or not 1 <= day <= _DAYS[month - 1] + leap
        or hour > 23
        or offset_hour > 23
        or max(minute, second, offset_minute) > 59
    ):
        raise ValueError(f"{shown(text)} is no time that there is")
    offset = offset_hour * 3600 + offset_minute * 60
    seconds = _days(year, month, day) * _DAY + hour * 3600 + minute * 60 + second
    seconds += offset if found[8] == "-" else -offset
    if not _FIRST <= seconds <= _LAST:
        raise ValueError(f"{shown(text)} is no time of the years 1 to 9999")
    return seconds, _nanos(found[7])


def duration_text(seconds: int, nanos: int) -> str:
    if abs(seconds) > _LONGEST or abs(nanos) >= _GIGA or seconds * nanos < 0:
        raise ValueError(f"{seconds} s and {nanos} ns are no duration of at most 10,000 years")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def duration(text: str) -> tuple[int, int]:
    """Seconds and nanoseconds, of the same sign."""
    found = _DURATION.fullmatch(text)
    if found is None or int(found[2]) > _LONGEST:
        raise ValueError(f"{shown(text)} is no duration like 1.5s of at most 10,000 years")
    sign = -1 if found[1] else 1
    return sign * int(found[2]), sign * _nanos(found[3])


def paths_text(paths: list[str]) -> str:
    return ",".join(map(_path_text, paths))


def paths(text: str) -> list[str]:
    if "_" in text:
        raise ValueError(f"{shown(text)} holds an underscore: names are in lowerCamelCase")
    if not text:
        return []
    return [re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", path) for path in text.split(",")]


def _path_text(path: str) -> str:
    if re.search("[A-Z,]|_(?![a-z])", path):
        raise ValueError(f"the path {shown(path)} has no form from which it could be read again")
    return re.sub("_([a-z])", lambda found: found[1].upper(), path)


def _fraction(nanos: int) -> str:
    """Nothing, or three, six or nine digits."""
    if not nanos:
        return ""
    digits = f"{nanos:09}"
    for kept in (3, 6):
        if not digits[kept:].strip("0"):
            return f".{digits[:kept]}"
    return f".{digits}"


def _nanos(digits: str | None) -> int:
    return int((digits or "0").ljust(9, "0"))


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a date; years are counted from March, so that February ends them."""
    year -= month < 3
    in_year = (153 * (month + (9 if month < 3 else -3)) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + in_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    """Return the reverse: a cycle of 400 years has 146,097 days."""
    era, in_era = divmod(days + 719_468, 146_097)
    in_cycle = (in_era - in_era // 1460 + in_era // 36_524 - in_era // 146_096) // 365
    in_year = in_era - (365 * in_cycle + in_cycle // 4 - in_cycle // 100)
    shifted = (5 * in_year + 2) // 153
    day = in_year - (153 * shifted + 2) // 5 + 1
    month = shifted + (3 if shifted < 10 else -9)
    return era * 400 + in_cycle + (month < 3), month, day
