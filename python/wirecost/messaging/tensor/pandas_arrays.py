# SPDX-License-Identifier: Apache-2.0
"""pandas' arrays by what they consist of."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Writer
from wirecost.messaging.tensor.zones import known
from wirecost.system.errors import UserError

_FEW, _SMALL = 8, 4096
_KINDS = frozenset("biufcmM")
_NAME = re.compile(r"\w{1,40}", re.ASCII)
_MOST_FREQUENCIES = 256
_FREQUENCIES: set[str] = set()
_MASKED_BYTES = 9
"""A number and its place in the mask."""


def write_values(array: Any, what: str, writer: Writer) -> list[Any]:
    """Return the form of an array; ``what`` names it in errors.

    Raises UserError where it has none.
    """
    pandas = load("pandas")
    dtype = array.dtype
    if type(array) is pandas.arrays.NumpyExtensionArray:
        dtype = dtype.numpy_dtype
    if isinstance(dtype, np.dtype):
        return ["numpy", _numpy(array, dtype, what)]
    if isinstance(dtype, pandas.CategoricalDtype):
        categories = write_values(array.categories.array, f"{what}, its categories", writer)
        return ["categorical", np.asarray(array.codes), categories, bool(array.ordered)]
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return ["zoned", array.asi8, dtype.unit, str(dtype.tz)]
    if isinstance(dtype, pandas.PeriodDtype):
        return ["period", array.asi8, dtype.name.removeprefix("period[").removesuffix("]")]
    if isinstance(dtype, pandas.IntervalDtype):
        sides = [write_values(side.array, what, writer) for side in (array.left, array.right)]
        return ["interval", *sides, dtype.closed]
    if isinstance(dtype, pandas.SparseDtype):
        raise UserError(f"pandas: {what} is sparse; send it after sparse.to_dense()")
    return _arrow(array, what, writer)


def _numpy(array: Any, dtype: np.dtype[Any], what: str) -> npt.NDArray[Any] | None:
    """Return None for an array of dtype object without rows.

    pandas gives that to columns that never had any. Raises UserError for other objects.
    """
    if dtype.kind != "O":
        return np.asarray(array)
    if not len(array):
        return None
    remedy = "give it a type, as with convert_dtypes() or astype('str')"
    if array.isna().all():
        raise UserError(f"pandas: {what} holds missing values only, of dtype object; {remedy}")
    raise UserError(f"pandas: {what} holds Python objects (dtype object); {remedy}")


def _arrow(array: Any, what: str, writer: Writer) -> list[Any]:
    from wirecost.messaging.tensor.frameworks.pyarrow import describe  # noqa: PLC0415  optional

    pa, pandas = load("pyarrow", f"give {what} a NumPy type"), load("pandas")
    dtype = array.dtype
    if not hasattr(array, "__arrow_array__"):
        raise UserError(
            f"pandas: {what} is of type {dtype}, which frames do not support; convert it"
        )
    values = array.__arrow_array__()
    if not isinstance(values, pa.ChunkedArray):
        # pandas keeps a mask of bytes where Arrow has bits.
        writer.copied(values.nbytes)
        values = pa.chunked_array([values])
    if values.num_chunks > _FEW and values.nbytes < _SMALL * values.num_chunks:
        # As of labels that were added one by one: each chunk costs more than its copy.
        writer.copied(values.nbytes)
        values = pa.chunked_array([values.combine_chunks()])
    name: Any = str(dtype)
    if isinstance(dtype, pandas.StringDtype):
        name = [dtype.storage, dtype.na_value is pandas.NA]
    elif isinstance(dtype, pandas.ArrowDtype):
        name = None
    return ["arrow", describe("chunked", values, writer), name]


def read_values(described: list[Any], budget: Budget) -> Any:
    """Return an array over the received memory. pandas or PyArrow raise where it cannot be."""
    pandas = load("pandas")
    match described:
        case ["numpy", array]:
            return array_of(array, 1) if array is not None else np.empty(0, object)
        case ["categorical", codes, categories, ordered]:
            kind = pandas.CategoricalDtype(read_values(categories, budget), ordered)
            return pandas.Categorical.from_codes(array_of(codes, 1), dtype=kind)
        case ["zoned", numbers, str(unit), str(zone)]:
            index = pandas.DatetimeIndex(array_of(numbers, 1).view(f"M8[{unit}]"), copy=False)
            return index.tz_localize("UTC").tz_convert(known(zone)).array
        case ["period", numbers, str(frequency)]:
            return pandas.arrays.PeriodArray(array_of(numbers, 1), dtype=_period(pandas, frequency))
        case ["interval", left, right, str(closed)]:
            sides = [pandas.Index(read_values(side, budget)) for side in (left, right)]
            return pandas.arrays.IntervalArray.from_arrays(*sides, closed=closed)
        case ["arrow", body, name]:
            return _from_arrow(pandas, body, name, budget)
    raise ValueError("a column that cannot be read")


def _period(pandas: Any, frequency: str) -> Any:
    period = pandas.PeriodDtype(frequency)
    _FREQUENCIES.add(frequency)
    if len(_FREQUENCIES) > _MOST_FREQUENCIES:
        # pandas keeps each that it ever saw.
        pandas.PeriodDtype.reset_cache()
        _FREQUENCIES.clear()
    return period


def array_of(value: Any, dimensions: int) -> npt.NDArray[Any]:
    """Return the array that must be there, of a type that pandas keeps as it is.

    Raises ValueError.
    """
    if not isinstance(value, np.ndarray) or value.ndim != dimensions:
        raise ValueError(f"no array of {dimensions} dimensions")
    if value.dtype.kind not in _KINDS:
        raise ValueError(f"an array of {value.dtype!s:.80} in pandas")
    return value


def check_rows(values: Any, index: Any) -> None:
    """Raise ValueError: pandas would repeat a single value for each row that an index claims."""
    if len(values) != len(index):
        raise ValueError("a column of other length than the index")


def _from_arrow(pandas: Any, body: Any, name: Any, budget: Budget) -> Any:
    from wirecost.messaging.tensor.arrow_costs import afford_column  # noqa: PLC0415  optional
    from wirecost.messaging.tensor.frameworks.pyarrow import restore  # noqa: PLC0415  optional

    values = restore("chunked", body, budget)
    if name is None:
        return pandas.ArrowDtype(values.type).__from_arrow__(values)
    if isinstance(name, list):
        storage, missing = name
        afford_column(values, storage == "python", budget)
        dtype = pandas.StringDtype(storage, na_value=pandas.NA if missing else np.nan)
    else:
        # Masked numbers, or a type of another package; pandas reads more into other letters.
        if not _NAME.fullmatch(name):
            raise ValueError(f"no type of pandas: {name:.40}")
        afford_column(values, True, budget)
        budget.take("its mask", _MASKED_BYTES * len(values))
        dtype = pandas.api.types.pandas_dtype(name)
    return dtype.__from_arrow__(values)
