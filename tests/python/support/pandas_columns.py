# SPDX-License-Identifier: Apache-2.0
"""Columns of four rows, of every kind of type that pandas has. ``pd``: the pandas module."""

from __future__ import annotations

from typing import Any

import numpy as np


def calendar_days(pd: Any) -> Any:
    return pd.date_range("2020-01-01", periods=4, freq="D", tz="Europe/Berlin")


def pandas_columns(pd: Any) -> dict[str, Any]:
    text = ["a", None, "ü", "a"]
    return {
        "f": np.arange(4.0),
        "s": pd.Series(text, dtype="str"),
        "na": pd.Series(text, dtype="string[python]"),
        "c": pd.Categorical(text, categories=["ü", "a", "b"], ordered=True),
        "n": pd.array([1, None, 3, 4], dtype="Int64"),
        "b": pd.array([True, None, False, True], dtype="boolean"),
        "t": calendar_days(pd),
        "p": pd.period_range("2020-01", periods=4, freq="M"),
        "v": pd.interval_range(0, 4),
        "a": pd.array([1.5, None, 2, 3], dtype="double[pyarrow]"),
    }
