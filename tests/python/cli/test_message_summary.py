# SPDX-License-Identifier: Apache-2.0
"""Messages as ``wirecost echo`` shows them."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from support import needs
from wirecost.cli.message_summary import MOST_FIELDS, MOST_LETTERS, summary
from wirecost.cli.message_text import lines

IMAGE = np.arange(480 * 640, dtype=np.uint8).reshape(480, 640)


def text(message: Any) -> str:
    """Return the text, having checked that it can be written as strict JSON."""
    found = summary(message)
    json.dumps(found, allow_nan=False)
    return "\n".join(lines(found))


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (IMAGE, "numpy uint8 (480, 640), min 0, mean 127.5, max 255: 0 1 2 3 4 5 …"),
        (IMAGE.T, "numpy uint8 (640, 480), min 0, mean 127.5, max 255: 0 128 0 128 0 128 …"),
        (
            np.array([1.5, np.nan, np.inf]),
            "numpy float64 (3,), min 1.5, mean 1.5, max 1.5, not finite 2: 1.5 nan inf",
        ),
        (np.full(2, np.nan), "numpy float64 (2,), not finite 2: nan nan"),
        (np.zeros((0, 3)), "numpy float64 (0, 3)"),
        (np.float32(2.5), "numpy float32 (): 2.5"),
        (np.array([True, False]), "numpy bool (2,), min False, mean 0.5, max True: True False"),
        (np.array([1 + 2j]), "numpy complex128 (1,): (1+2j)"),
        (
            np.array(["2020-01-02"], "M8[D]"),
            "numpy datetime64[D] (1,), min 2020-01-02, max 2020-01-02: 2020-01-02",
        ),
        (np.array(["a\x1b"]), r"numpy str64 (1,): a\x1b"),
        (np.zeros(1, [("x", "f4")]), "numpy [('x', '<f4')] (1,): (0.0,)"),
        (1795458916.3942227, "1795458916.3942227"),
        (float("nan"), "nan"),
        (True, "True"),
        (None, "None"),
        (1 << 80, "0x100000000000000000000"),
        ("two\nlines", r"two\nlines"),
        (b"\x00\xff", "bytes of 2: 00 ff"),
        (dt.date(2020, 1, 2), "datetime date 2020-01-02"),
        ([1, 2], "list of 2: 1 2"),
        ((), "tuple of 0"),
        ({}, ""),
        ({"t": 1.5, "pose": {"x": 1}}, "t: 1.5\npose:\n  x: 1"),
        (
            [{"a": 1, "b": [2]}, 3],
            "list of 2\n  - a: 1\n    b: list of 1: 2\n  - 3",
        ),
    ],
)  # fmt: skip
def test_messages_in_short(message: Any, shown: str) -> None:
    assert text(message) == shown


COLUMNS = {"speed": [1.5, 2.5], "name": ["a", "b"]}


@pytest.mark.parametrize(
    ("module", "function", "arguments", "shown"),
    [
        (
            "pandas", "DataFrame", (COLUMNS,),
            "pandas DataFrame, 2 rows\n"
            "  speed: pandas Series float64 (2,), min 1.5, mean 2, max 2.5: 1.5 2.5\n"
            "  name: pandas Series str (2,): a b",
        ),
        (
            "polars", "DataFrame", (COLUMNS,),
            "polars DataFrame, 2 rows\n"
            "  speed: polars Series Float64 (2,), min 1.5, mean 2, max 2.5: 1.5 2.5\n"
            "  name: polars Series String (2,): a b",
        ),
        (
            "pyarrow", "table", (COLUMNS,),
            "pyarrow Table, 2 rows\n"
            "  speed: pyarrow ChunkedArray double (2,), min 1.5, mean 2, max 2.5: 1.5 2.5\n"
            "  name: pyarrow ChunkedArray string (2,): a b",
        ),
        (
            "xarray", "Dataset", ({"a": ("x", [1])},),
            "xarray Dataset\n  a: xarray DataArray int64 (1,), min 1, mean 1, max 1: 1",
        ),
        (
            "pint", "Quantity", (np.ones(2), "m"),
            "pint Quantity float64 (2,) meter, min 1, mean 1, max 1: 1 1",
        ),
        ("pint", "Quantity", (3, "m"), "pint Quantity 3 meter"),
        ("PIL.Image", "new", ("L", (2, 1)), "pillow Image uint8 (1, 2), min 0, mean 0, max 0: 0 0"),
        ("dask.array", "ones", (2,), "dask Array float64 (2,), min 1, mean 1, max 1: 1 1"),
        ("zarr", "array", (np.ones(2),), "zarr Array float64 (2,), min 1, mean 1, max 1: 1 1"),
    ],
)  # fmt: skip
def test_objects_of_frameworks(
    module: str, function: str, arguments: tuple[Any, ...], shown: str
) -> None:
    assert text(getattr(needs.package(module), function)(*arguments)) == shown


def test_types_that_only_ml_dtypes_has(snapshot: SnapshotAssertion) -> None:
    array = np.ones(2, needs.package("ml_dtypes").bfloat16)
    assert text(array) == snapshot


def test_large_messages_stay_short() -> None:
    nested: Any = 1
    for _ in range(100):
        nested = {"inner": nested}
    many = {f"field{number}": "x" * 10_000 for number in range(1000)}
    message = {"many": many, "list": list(range(10_000)), "nested": nested, "x" * 10_000: 1}
    shown = text(message).splitlines()
    assert len(shown) < MOST_FIELDS + 20
    assert max(map(len, shown)) < MOST_LETTERS + 60
    assert f"  …: {1000 - MOST_FIELDS} more" in shown
    assert sum(line.startswith("list: list of") for line in shown) == 1


def test_keys_that_python_does_not_write() -> None:
    assert text({10**5000: 1, (10**5000, 1): 2}).split() == ["int:", "1", "tuple:", "2"]
