# SPDX-License-Identifier: Apache-2.0
"""Commands whose options are the settings of a scenario."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, get_args, get_origin

from wirecost.cli.ending import JsonFile
from wirecost.cli.options import argument, numbers, option
from wirecost.measure.bench.engine.option import (
    METAVARS,
    OptionSetting,
    ScenarioSettings,
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

    def measure(name: str, settings: ScenarioSettings, out: Path | None, json: Path | None) -> None:
        from wirecost.cli.measuring import measure_scenario

        schema = importlib.import_module(f"{package}.schema")
        race = importlib.import_module(f"{package}.race")
        run = partial(race.run, settings)
        measure_scenario(getattr(schema, "NAME", name), name, out, json, run)

    name = package.rpartition(".")[2]
    return _command(module.__doc__ or "", module.Settings, partial(measure, name))


def scenario_command(
    about: str, settings_type: type[ScenarioSettings], scenario: str, folder: str = ""
) -> Callable[..., None]:
    """Return the function of a command that measures a scenario.

    ``scenario``: the module with ``SCENARIO`` and ``run``, imported when the command is run;
    ``folder``: what result folders are called, where it is not ``SCENARIO``.
    """

    def measure(settings: ScenarioSettings, out: Path | None, json: Path | None) -> None:
        from wirecost.cli.measuring import measure_and_report

        module = importlib.import_module(scenario)
        run = partial(module.run, settings)
        measure_and_report(folder or module.SCENARIO, out, json, run)

    return _command(about, settings_type, measure)


def _command(
    about: str,
    settings_type: type[ScenarioSettings],
    measure: Callable[[ScenarioSettings, Path | None, Path | None], None],
) -> Callable[..., None]:
    declared = settings_of(settings_type)

    def command(out: Path | None, json_file: Path | None, **given: Any) -> None:
        values = {item.name: _value(item, given[item.name]) for item in declared}
        settings = settings_with(settings_type, values)
        settings.check()
        measure(settings, out, json_file)

    parameters = [
        *(_parameter(item.name, *_declared(item)) for item in declared),
        _parameter("out", Out, None),
        _parameter("json_file", JsonFile, None),
    ]
    command.__doc__, command.__annotations__ = about, {}
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return command


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _declared(setting: OptionSetting) -> tuple[Any, Any]:
    """Return a setting's type and default for Typer."""
    kind, default, details = setting.type, setting.default, setting.option
    metavar = METAVARS.get(kind) if details.metavar is None else details.metavar or None
    if _is_one_text(setting):
        text = details.shown or ",".join(map(str, default))
        kind, default = (str, text) if text else (str | None, None)
    elif get_origin(kind) is tuple:
        kind, default = list[get_args(kind)[0]] | None, None  # type: ignore[misc]
    if details.is_argument:
        declared = argument(metavar or "", details.help, details.known, show_default=False)
        return Annotated[kind, declared], default
    names = (details.name,) if details.name else ()
    declaration = option(details.help, *names, known=details.known, metavar=metavar)
    return Annotated[kind, declaration], default


def _value(setting: OptionSetting, given: Any) -> Any:
    """Return the value of a setting by that of its option. Raises UserError."""
    details = setting.option
    if not _is_one_text(setting):
        if get_origin(setting.type) is tuple:
            return tuple(given or ())
        if details.known is not None and given:
            chosen(setting.label, given, details.known)
        return given
    if not given and not setting.default:
        return ()
    if details.known is not None:
        return chosen(setting.label, given, details.known)
    return tuple((details.parse or numbers)(setting.label, given))


def _is_one_text(setting: OptionSetting) -> bool:
    """Return whether several values are one text with commas, not an option that is repeated."""
    item, *others = get_args(setting.type) or (None,)
    details = setting.option
    is_text = details.known is not None or details.parse is not None or item in (int, float)
    return bool(others) and get_origin(setting.type) is tuple and is_text
