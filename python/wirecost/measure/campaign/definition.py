# SPDX-License-Identifier: Apache-2.0
"""``campaign.toml`` (docs/formats/campaign.md), checked whole."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.regular_file import read_regular

LARGEST = 1 << 20
MOST_REPETITIONS = 10_000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
ARGUMENT = re.compile(r"[^-\0][^\0]{0,4095}")
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h)")
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
EXPECTED_S = 300.0
HERE = "here"
KEPT = ("out", "json", "help")
"""Options that are not for a campaign."""

Value = str | int | float | bool | list[Any]
Options = dict[str, Value]
Table = dict[str, Any]
"""A table of the file, before it is checked."""


@dataclass(frozen=True)
class Bench:
    """One table ``[[bench]]``. ``number``: from 0, as the file has them."""

    number: int
    scenario: str
    expected_s: float
    machines: tuple[str, ...]
    arguments: tuple[str, ...]
    """Before the options, as the schemas of ``bench message``."""
    options: Options
    matrix: dict[str, list[Value]]
    exclude: tuple[Options, ...]
    include: tuple[Options, ...]


@dataclass(frozen=True)
class Definition:
    path: Path
    name: str
    seed: int
    repetitions: int
    benches: tuple[Bench, ...]
    lines: KeyLines

    def wrong(self, bench: int, table: str, key: str, why: str) -> UserError:
        """Return an error at that place."""
        line = self.lines.of(table, bench, key)
        return UserError(f"{self.path}:{line}: {shown(key or table)}: {why}")


def read(path: Path) -> Definition:
    """Raise UserError: file, line, key, what is wrong there and what to write."""
    try:
        text = read_regular(path, LARGEST).decode()
        table = tomllib.loads(text)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a campaign.toml") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8; save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: no TOML: {shown(error)}") from error
    return _CampaignReader(path, KeyLines(text)).definition(table)


class _CampaignReader:
    def __init__(self, path: Path, lines: KeyLines) -> None:
        self._path = path
        self._lines = lines

    def definition(self, content: Table) -> Definition:
        self._known(content, -1, "", ("name", "seed", "repetitions", "bench"))
        benches = content.get("bench")
        if not isinstance(benches, list) or not benches:
            raise self._wrong(-1, "", "bench", "is missing; write a table [[bench]]")
        name = content.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise self._wrong(-1, "", "name", "give 1 to 64 letters, digits, - and _")
        return Definition(
            self._path,
            name,
            self._integer(content, "seed", 1, 0, 2**63 - 1),
            self._integer(content, "repetitions", 1, 1, MOST_REPETITIONS),
            tuple(self._bench(number, entry) for number, entry in enumerate(benches)),
            self._lines,
        )

    def _bench(self, number: int, content: Any) -> Bench:
        if not isinstance(content, dict):
            raise self._wrong(-1, "", "bench", "is no table; write [[bench]]")
        keys = (
            "scenario", "expected", "machines", "arguments", "options", "matrix", "exclude",
            "include",
        )  # fmt: skip
        self._known(content, number, "bench", keys)
        scenario = content.get("scenario")
        if not isinstance(scenario, str) or not scenario:
            raise self._wrong(number, "bench", "scenario", "give one of `wirecost bench --help`")
        options = self._options(number, "options", content.get("options", {}))
        matrix = self._options(number, "matrix", content.get("matrix", {}))
        for key, values in matrix.items():
            if not isinstance(values, list) or not values:
                why = "give a list of values, of which each task gets one"
                raise self._wrong(number, "bench.matrix", key, why)
            if key in options:
                why = "is in options too; leave one of them out"
                raise self._wrong(number, "bench.matrix", key, why)
        excluded = self._tables(number, "exclude", content)
        for exclusion in excluded:
            if other := next((key for key in exclusion if key not in matrix), None):
                raise self._wrong(number, "bench.exclude", other, "is not in the matrix")
        return Bench(
            number,
            scenario,
            self._duration(number, content),
            self._names(number, content, "machines", [HERE], NAME),
            self._names(number, content, "arguments", [], ARGUMENT),
            options,
            {key: list(values) for key, values in matrix.items() if isinstance(values, list)},
            excluded,
            self._tables(number, "include", content),
        )

    def _tables(self, number: int, name: str, content: Table) -> tuple[Options, ...]:
        tables = content.get(name, [])
        if not isinstance(tables, list):
            why = f"write [[bench.{name}]], with two brackets"
            raise self._wrong(number, f"bench.{name}", "", why)
        return tuple(self._options(number, name, entry) for entry in tables)

    def _options(self, number: int, name: str, content: Any) -> Options:
        table = f"bench.{name}"
        if not isinstance(content, dict):
            raise self._wrong(number, table, "", f"write a table [{table}]")
        for key, value in content.items():
            if key in KEPT:
                why = "is not for a campaign, which keeps the results itself; leave it out"
                raise self._wrong(number, table, key, why)
            plain = (str, int, float, bool)
            parts = value if isinstance(value, list) else [value]
            if not all(isinstance(part, plain) for part in parts):
                why = "give a text, a number, true, false or a list"
                raise self._wrong(number, table, key, why)
        return dict(content)

    def _names(
        self,
        number: int,
        content: Table,
        key: str,
        default: list[str],
        form: re.Pattern[str],
    ) -> tuple[str, ...]:
        names = content.get(key, default)
        if (
            not isinstance(names, list)
            or len(names) < len(default)
            or not all(isinstance(name, str) and form.fullmatch(name) for name in names)
        ):
            raise self._wrong(number, "bench", key, 'give a list of texts, such as ["here"]')
        return tuple(dict.fromkeys(names))

    def _duration(self, number: int, content: Table) -> float:
        text = content.get("expected")
        if text is None:
            return EXPECTED_S
        match = DURATION.fullmatch(text) if isinstance(text, str) else None
        if match is None or not float(match[1]):
            raise self._wrong(number, "bench", "expected", 'give a time, such as "90 s" or "5 min"')
        return float(match[1]) * SECONDS[match[2]]

    def _integer(self, content: Table, key: str, default: int, low: int, high: int) -> int:
        value = content.get(key, default)
        if type(value) is not int or not low <= value <= high:
            raise self._wrong(-1, "", key, f"give a whole number from {low} to {high:,}")
        return value

    def _known(self, content: Table, number: int, table: str, keys: tuple[str, ...]) -> None:
        for key in content:
            if key not in keys:
                raise self._wrong(number, table, key, f"is unknown; there are {', '.join(keys)}")

    def _wrong(self, number: int, table: str, key: str, why: str) -> UserError:
        line = self._lines.of(table, number, key)
        return UserError(f"{self._path}:{line}: {shown(key or table)}: {why}")


_TABLE = re.compile(r"\s*\[\[?\s*([\w.-]+)\s*\]?\]")
_KEY = re.compile(r"""\s*(["']?)([\w-]+)\1\s*=""")


class KeyLines:
    """Lines of the keys of one file that was parsed without an error.

    Python's parser does not report them.
    """

    def __init__(self, text: str) -> None:
        self._found: dict[tuple[str, int, str], int] = {}
        """By table, the number of the ``[[bench]]`` it belongs to (-1 before the first), and key;
        the empty key is the table's own line."""
        table, bench = "", -1
        for number, line in enumerate(text.splitlines(), start=1):
            if match := _TABLE.match(line):
                table = match[1]
                bench += table == "bench"
                self._found.setdefault((table, bench, ""), number)
            elif match := _KEY.match(line):
                self._found.setdefault((table, bench, match[2]), number)

    def of(self, table: str, bench: int, key: str = "") -> int:
        """Return the key's line, else its table's, else 1."""
        own = ("bench", bench, table.removeprefix("bench."))
        for place in ((table, bench, key), (table, bench, ""), own, ("bench", bench, "")):
            if place in self._found:
                return self._found[place]
        return 1
