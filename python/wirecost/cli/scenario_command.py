# SPDX-License-Identifier: Apache-2.0
"""Commands whose options are the settings of a scenario."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, get_args, get_origin

from wirecost.cli.ending import Output, answering
from wirecost.cli.lists import COMPLETING
from wirecost.cli.options import RecordingPath, argument, numbers, option
from wirecost.measure.bench.engine.option import (
    METAVARS,
    Option,
    OptionSetting,
    settings_of,
    settings_with,
)
from wirecost.system.chosen import chosen

Out = Annotated[
    Path | None, option("Result folder; default results/<time>-<scenario>.", metavar="DIR")
]


def command_of(module: ModuleType) -> Callable[..., None]:
    """Return the function of a scenario's command; ``module``: its settings."""
    package = module.__name__.rpartition(".")[0]
    declared = settings_of(module.Settings)

    def command(out: Path | None, output: Output, **given: Any) -> None:
        values = {item.name: _value(item, given[item.name]) for item in declared}
        settings = settings_with(module.Settings, values)
        settings.check()
        race = importlib.import_module(f"{package}.race")
        from wirecost.cli.measuring import measure

        name = package.rpartition(".")[2]
        of_results = getattr(importlib.import_module(f"{package}.schema"), "NAME", name)
        measure(of_results, name, out, output, partial(race.run, settings))

    parameters = [
        *(_parameter(item.name, *_declared(item)) for item in declared),
        _parameter("out", Out, None),
        _parameter("output", Output, Parameter.empty),
    ]
    command.__doc__, command.__annotations__ = module.__doc__, {}
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return answering(ends=False)(command)


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _declared(setting: OptionSetting) -> tuple[Any, Any]:
    """Return a setting's type and default for Typer."""
    kind, default, details = setting.type, setting.default, setting.option
    metavar = METAVARS.get(kind) if details.metavar is None else details.metavar or None
    if _is_one_text(setting):
        text = details.shown or ",".join(map(str, default))
        kind, default = (str, text) if text else (str | None, None)
    elif _is_parsed_early(details):
        default = details.shown
    elif get_origin(kind) is tuple:
        kind, default = list[get_args(kind)[0]] | None, None  # type: ignore[misc]
    if details.is_argument:
        declared = argument(metavar or "", details.help, details.known, show_default=False)
    else:
        names = details.name.split()
        more: dict[str, Any] = {}
        if _is_parsed_early(details):
            more, metavar = {"parser": _parser(setting)}, metavar or "TEXT"
        declared = option(details.help, *names, known=details.known, metavar=metavar, **more)
    if details.takes is None:
        return Annotated[kind, declared], default
    return Annotated[kind, declared, RecordingPath(details.takes)], default


def _is_parsed_early(details: Option) -> bool:
    """Return whether a value is parsed with the command line, as no names have to be found."""
    return details.parse is not None and details.known is None


def _parser(setting: OptionSetting) -> Callable[[str], Any]:
    """Return the function that makes the value of a setting, or its values, of a text."""
    parse = setting.option.parse
    assert parse is not None

    def parsed(text: str) -> Any:
        if COMPLETING in os.environ:
            return text  # completion uses no value, and checking one takes imports
        value = parse(setting.label, text)
        return tuple(value) if isinstance(value, list) else value

    return parsed


def _value(setting: OptionSetting, given: Any) -> Any:
    """Return the value of a setting by that of its option. Raises UserError."""
    details = setting.option
    if given is not None and _is_parsed_early(details):
        return given
    if not _is_one_text(setting):
        return tuple(given or ()) if get_origin(setting.type) is tuple else given
    if not given and not setting.default:
        return ()
    if (choices := details.choices) is not None:
        return chosen(setting.label, given, choices)
    return tuple((details.parse or numbers)(setting.label, given))


def _is_one_text(setting: OptionSetting) -> bool:
    """Return whether several values are one text with commas, not an option that is repeated."""
    item, *others = get_args(setting.type) or (None,)
    details = setting.option
    is_text = details.known is not None or details.parse is not None or item in (int, float)
    return bool(others) and get_origin(setting.type) is tuple and is_text
