# SPDX-License-Identifier: Apache-2.0
"""Commands whose options are the settings of a scenario."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from wirecost.cli.bench import JsonFile, Out
from wirecost.cli.options import numbers, option
from wirecost.measure.bench.engine.option import (
    METAVARS,
    OptionSetting,
    ScenarioSettings,
    settings_of,
)
from wirecost.system.chosen import chosen


def scenario_command(
    about: str, settings_type: type[ScenarioSettings], scenario: str, folder: str = ""
) -> Callable[..., None]:
    """Return the function of a command that measures a scenario.

    ``scenario``: the module with ``SCENARIO`` and ``run``, imported when the command is run;
    ``folder``: what result folders are called, where it is not ``SCENARIO``.
    """
    declared = settings_of(settings_type)

    def command(out: Path | None, json_file: Path | None, **texts: Any) -> None:
        from wirecost.cli.measuring import measure_and_report

        module = importlib.import_module(scenario)
        settings = settings_type(**{item.name: _value(item, texts[item.name]) for item in declared})
        settings.check()
        run = partial(module.run, settings)
        measure_and_report(folder or module.SCENARIO, out, json_file, run)

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
        kind, default = (str, ",".join(map(str, default))) if default else (str | None, None)
    elif get_origin(kind) is tuple:
        kind, default = list[get_args(kind)[0]] | None, None  # type: ignore[misc]
    names = (details.name,) if details.name else ()
    declaration = option(details.help, *names, known=details.known, metavar=metavar)
    return Annotated[kind, declaration], default


def _value(setting: OptionSetting, text: Any) -> Any:
    """Return the value of a setting by that of its option. Raises UserError."""
    if not _is_one_text(setting):
        return tuple(text or ()) if get_origin(setting.type) is tuple else text
    if not text and not setting.default:
        return ()
    if setting.option.known is not None:
        return chosen(setting.label, text, setting.option.known)
    return tuple((setting.option.parse or numbers)(setting.label, text))


def _is_one_text(setting: OptionSetting) -> bool:
    """Return whether several values are one text with commas, not an option that is repeated."""
    item, *others = get_args(setting.type) or (None,)
    return bool(others) and (setting.option.known is not None or item in (int, float))
