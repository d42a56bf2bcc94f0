# SPDX-License-Identifier: Apache-2.0
"""xarray: datasets, data arrays and variables with coordinates and attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Handler, Writer, only_once
from wirecost.system.errors import UserError

ROOTS = ("xarray",)
PLUGIN_ORDER = 11
_LABEL_BYTES, _LABEL_NANOSECONDS = 144, 100


def encoder(cls: type) -> Handler | None:
    """Return how a class is written: what Dask or a file still holds is computed or read."""
    if cls.__name__ == "DataTree":
        raise UserError("xarray: send the datasets of a tree, for example tree.to_dict()")
    named = {"DataArray": _data_array, "Dataset": _dataset}
    return named.get(cls.__name__) or (_variable if cls.__name__.endswith("Variable") else None)


def _fields(writer: Writer, variable: Any) -> dict[str, object]:
    lazy = variable.chunks is not None
    if lazy:
        only_once(writer)
    data = variable.values
    if lazy:
        writer.copied(data.nbytes)
    return {"dims": list(variable.dims), "data": data, "attributes": dict(variable.attrs)}


def _named(writer: Writer, variables: Any) -> dict[Any, Any]:
    for name, index in getattr(variables, "xindexes", {}).items():
        if type(index).__name__ == "PandasMultiIndex":
            raise UserError(
                f"xarray: {name} has several levels; send it after reset_index({name!r})"
            )
    return {name: _fields(writer, array.variable) for name, array in variables.items()}


def _variable(writer: Writer, variable: Any) -> Any:
    return writer.extension(2, ["xarray", "variable", _fields(writer, variable)])


def _data_array(writer: Writer, array: Any) -> Any:
    body = {
        "name": array.name,
        "variable": _fields(writer, array.variable),
        "coordinates": _named(writer, array.coords),
        "indexed": list(array.xindexes),
    }
    return writer.extension(2, ["xarray", "data array", body])


def _dataset(writer: Writer, dataset: Any) -> Any:
    body = {
        "variables": _named(writer, dataset.data_vars),
        "coordinates": _named(writer, dataset.coords),
        "indexed": list(dataset.xindexes),
        "attributes": dict(dataset.attrs),
    }
    return writer.extension(2, ["xarray", "dataset", body])


def restore(kind: str, body: Any, budget: Budget) -> Any:
    """Return views of the received memory; indexes are built anew where there was one."""
    xarray = load("xarray")
    if kind == "variable":
        return _made(xarray, body, budget)
    indexed_names = list(body["indexed"])
    restored = {
        name: _made(xarray, fields, budget, name in indexed_names)
        for name, fields in body["coordinates"].items()
    }
    indexed = {name: restored[name] for name in indexed_names}
    plain = {name: variable for name, variable in restored.items() if name not in indexed}
    coordinates = xarray.Coordinates(indexed)
    if plain:
        coordinates = coordinates.merge(xarray.Coordinates(plain, indexes={})).coords
    if kind == "data array":
        variable = _made(xarray, body["variable"], budget)
        return xarray.DataArray(variable, coords=coordinates, name=body["name"])
    if kind == "dataset":
        variables = {
            name: _made(xarray, item, budget, item["dims"] == [name])
            for name, item in body["variables"].items()
        }
        if restored.keys() & variables.keys():
            # xarray would compare the two, each value of one with each of the other.
            raise ValueError("a variable that is a coordinate too")
        return xarray.Dataset(variables, coordinates, body["attributes"])
    raise ValueError(kind)


def _made(xarray: Any, fields: dict[str, object], budget: Budget, index: bool = False) -> Any:
    data = fields["data"]
    if not isinstance(data, np.ndarray):
        raise ValueError("data that are no array")
    if index and data.dtype.kind in "SU":
        # An index makes objects of Python's of them.
        size = data.size
        budget.take("labels", (_LABEL_BYTES + data.itemsize) * size, _LABEL_NANOSECONDS * size)
    return xarray.Variable(fields["dims"], data, fields["attributes"])
