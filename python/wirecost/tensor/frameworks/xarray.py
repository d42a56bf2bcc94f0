# SPDX-License-Identifier: Apache-2.0
"""xarray: datasets, data arrays and variables with coordinates and attributes."""

from __future__ import annotations

from typing import Any

from wirecost.errors import UserError
from wirecost.tensor.packages import load
from wirecost.tensor.writer import Handler, Writer


def encoder(cls: type) -> Handler | None:
    """What Dask or a file still holds is computed or read."""
    if cls.__name__ == "DataTree":
        raise UserError("xarray: send the datasets of a tree, as tree.to_dict()")
    named = {"DataArray": _data_array, "Dataset": _dataset}
    return named.get(cls.__name__) or (_variable if cls.__name__.endswith("Variable") else None)


def _fields(writer: Writer, variable: Any) -> dict[str, Any]:
    lazy = variable.chunks is not None
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


def restore(kind: str, body: Any) -> Any:
    """Data are views of the received memory; indexes are built anew, for those that had one."""
    xarray = load("xarray")
    if kind == "variable":
        return _made(xarray, body)
    made = {name: _made(xarray, fields) for name, fields in body["coordinates"].items()}
    indexed = {name: made[name] for name in body["indexed"]}
    plain = {name: variable for name, variable in made.items() if name not in indexed}
    coordinates = xarray.Coordinates(indexed)
    if plain:
        coordinates = coordinates.merge(xarray.Coordinates(plain, indexes={})).coords
    if kind == "data array":
        variable = _made(xarray, body["variable"])
        return xarray.DataArray(variable, coords=coordinates, name=body["name"])
    if kind == "dataset":
        variables = {name: _made(xarray, item) for name, item in body["variables"].items()}
        return xarray.Dataset(variables, coordinates, body["attributes"])
    raise ValueError(kind)


def _made(xarray: Any, fields: dict[str, Any]) -> Any:
    return xarray.Variable(fields["dims"], fields["data"], fields["attributes"])
