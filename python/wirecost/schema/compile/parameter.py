# SPDX-License-Identifier: Apache-2.0
"""The options of the plugin, which protoc hands over as one text: ``name=value,name,…``."""

from __future__ import annotations

from dataclasses import dataclass, fields

from wirecost.schema.compile.options import Options
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

_IMPORTS = "imports"
_DEFAULTS = {field.name: field.default for field in fields(Options)} | {_IMPORTS: False}
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class Parameter:
    """Options that the text asks for."""

    options: Options
    imports: bool
    """True if imported files are generated too."""


def parsed(text: str) -> Parameter:
    """Parse the text. Raises UserError.

    ``+`` joins names of languages and wires, because commas separate options.
    """
    values: dict[str, object] = {}
    for part in filter(None, text.split(",")):
        written, equals, value = part.partition("=")
        name = written.replace("-", "_")
        denied = isinstance(_DEFAULTS.get(name.removeprefix("no_")), bool) and name[:3] == "no_"
        name = name.removeprefix("no_") if denied else name
        default = _DEFAULTS.get(name)
        if default is None:
            options = ", ".join(option.replace("_", "-") for option in _DEFAULTS)
            raise UserError(
                f"{shown(written)}: no option; there are {options}; join languages by +"
            )
        if isinstance(default, bool):
            truth = _TRUTH.get(value if equals else "true")
            if truth is None:
                raise UserError(f"{shown(part)}: give true or false")
            values[name] = truth is not denied
        elif not value:
            raise UserError(f"{written}: needs a value, {written}=…")
        elif isinstance(default, tuple):
            before = values.get(name, ())
            values[name] = (*before, value) if isinstance(before, tuple) else (value,)
        elif name in values:
            raise UserError(f"{written}: given twice; join languages and wires by +")
        else:
            values[name] = value.replace("+", ",") if name in ("lang", "wire") else value
    imports = values.pop(_IMPORTS, False) is True
    return Parameter(Options(**values), imports)  # type: ignore[arg-type]  # as the defaults' types


def spelled(name: str, value: str = "") -> str:
    """Spell an option as people give it."""
    name = name.replace("_", "-")
    return f"{name}={value}" if value else name
