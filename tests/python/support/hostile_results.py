# SPDX-License-Identifier: Apache-2.0
"""Result folders in which every name, and every text that a report repeats, is hostile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl

from support.result_folders import copied, edit_meta, edit_samples

SCRIPT = "</script></noscript></style><script>alert(1)</script><img src=x onerror=alert(2)>"
QUOTES = '"\'`&amp;&lt; onclick="alert(3)" {{ 7*7 }}'
TURNED = "\u202egnp.\u202c\u2067\u200fשם\u05d0\u2069\u061c عربي"
CONTROLS = "\x01\x1b[31m\x7f\x85\u2028\r\n\tend"
LONG = "x" * 4000
PAYLOADS = {"markup": SCRIPT + QUOTES + TURNED + CONTROLS, "length": LONG}

NAMES = {"case", "contender", "variant", "mode", "mware", "wire", "network", "client", "settings",
         "scan", "list", "plugin", "build"}  # fmt: skip
"""Columns of samples that hold names."""
CHOSEN = {"scenario", "created", "verdict", "study", "pattern", "device", "shape", "dtype", "ask",
          "source", "made_by", "system", "lang", "message_digest", "sensor_view_digest",
          "sensor_data_digest", "limit", "format"}  # fmt: skip
"""Entries of ``meta.json`` that are one of few words, or no text."""

BY_NAME = {"contenders", "settings", "networks", "errors", "rules", "inputs", "not_run"}
"""Entries whose own entries are found by a name."""


def hostile_folder(name: str, to: Path, payload: str, rename: bool) -> Path:
    """Copy a kept folder and put the payload into its texts.

    ``rename``: the names of contenders and cases end with the payload, wherever they stand;
    otherwise only texts that choose nothing do: the machine, versions, arguments, notes,
    reasons."""
    folder = copied(name, to)
    samples = pl.read_parquet(folder / "samples.parquet")
    columns = [column for column in samples.columns if column in NAMES] if rename else []
    texts = {text for column in columns for text in samples[column].unique() if text}
    texts |= {"/in", "/out", "/node"} if rename and name.startswith("replay") else set()
    renamed = _Renamed(texts, payload)
    edit_meta(folder, lambda meta: meta.update(_edited(meta, renamed, payload, "")))
    changes = [
        pl.col(column).replace({text: renamed(text) for text in texts}) for column in columns
    ]
    edit_samples(folder, lambda table: table.with_columns(changes))
    return folder


class _Renamed:
    """Names with the payload behind them, also within texts that are made of several names."""

    def __init__(self, known: set[str], payload: str) -> None:
        self._payload = payload
        words = "|".join(re.escape(text) for text in sorted(known, key=len, reverse=True))
        self._pattern = re.compile(rf"(?<![\w/-])(?:{words})(?![\w-])") if known else None
        self._known = known

    def __call__(self, text: str) -> str:
        if text in self._known:
            return text + self._payload
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: found[0] + self._payload, text)


def _edited(value: Any, renamed: _Renamed, payload: str, key: str) -> Any:
    if isinstance(value, dict):
        names = {name: renamed(name) if key in BY_NAME else name for name in value}
        return {names[name]: _edited(part, renamed, payload, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_edited(part, renamed, payload, key) for part in value]
    if isinstance(value, str) and key not in CHOSEN:
        return renamed(value) if key in NAMES else renamed(value) + payload
    return value
