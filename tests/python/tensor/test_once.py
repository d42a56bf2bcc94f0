# SPDX-License-Identifier: Apache-2.0
"""Parts that take long to make are made once for a message, whichever path writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support import needs
from wirecost.messaging.tensor import decode, encode

ARRAY = np.arange(6.0)


class Counted:
    """An array that counts how often it is read, as that of a file or a long computation."""

    shape, dtype, ndim = ARRAY.shape, ARRAY.dtype, 1

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, key: Any) -> Any:
        self.reads += 1
        return ARRAY[key]


def _dask(counted: Counted) -> Any:
    return needs.package("dask.array").from_array(counted, chunks=-1, asarray=False, fancy=False)


def _table(counted: Counted) -> Any:
    table = needs.package("dask.dataframe")
    pandas = needs.package("pandas")

    def rows(_: int) -> Any:
        return pandas.DataFrame({"x": counted[:]})

    return table.from_map(rows, [0], meta=pandas.DataFrame({"x": ARRAY[:0]}))


def _xarray(counted: Counted) -> Any:
    return needs.package("xarray").DataArray(_dask(counted))


@pytest.mark.parametrize("make", [_dask, _table, _xarray])
@pytest.mark.parametrize("beside", [1, {2: "left to Python"}], ids=["alone", "beside"])
def test_an_array_of_dask_is_computed_once(make: Callable[[Counted], Any], beside: Any) -> None:
    counted = Counted()
    value = make(counted)
    counted.reads = 0
    frame = encode([value, beside])
    assert counted.reads == 1
    assert np.asarray(decode(frame.tobytes())[0]).ravel().tolist() == ARRAY.tolist()


def test_an_array_of_zarr_is_read_once() -> None:
    zarr, stores = needs.package("zarr"), needs.package("zarr.storage")

    class Store(stores.MemoryStore):  # type: ignore[misc, name-defined]
        reads = 0

        async def get(self, key: str, *others: Any, **more: Any) -> Any:
            self.reads += key.startswith("c/")
            return await super().get(key, *others, **more)

    store = Store()
    array = zarr.create_array(store, shape=(6,), chunks=(6,), dtype="f8")
    array[:] = ARRAY
    store.reads = 0
    frame = encode([array, {2: "left to Python"}])
    assert store.reads == 1
    assert decode(frame.tobytes())[0][:].tolist() == ARRAY.tolist()
