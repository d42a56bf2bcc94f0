# SPDX-License-Identifier: Apache-2.0
"""Groups of commands whose modules are imported when their command is asked for.

Every worker of a benchmark imports ``wirecost.cli`` anew, and all commands together take a second.
Their help is without the types of Python that Typer prints: ``<bool>`` beside a flag, and
``<list[Path]>`` beside an argument whose name says more.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command


def imported(prefix: str, *names: str, former: Mapping[str, str] | None = None) -> type[TyperGroup]:
    """The class of a group whose command ``name`` is in the module ``prefix + name``: a function
    ``command``, or a group ``app``. ``former``: names of before, not listed, and what they are
    called now."""

    class Imported(TyperGroup):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            # Names are enough for listing and completion; what a name stands for is get_command's.
            self.commands = dict.fromkeys(names)  # type: ignore[assignment]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            name = (former or {}).get(cmd_name, cmd_name)
            if name not in names:
                return None
            module = importlib.import_module(prefix + name)
            app: typer.Typer | None = getattr(module, "app", None)
            if app is None:
                app = typer.Typer(add_completion=False)
                app.command(name)(module.command)
            command = get_command(app)
            command.name = name
            for one in (command, *getattr(command, "commands", {}).values()):
                if one is not None:
                    _hide_types(one.get_params(ctx))
            return command

        def get_params(self, ctx: Any) -> Any:
            params = super().get_params(ctx)
            _hide_types(params)
            return params

    return Imported


def _hide_types(params: Iterable[Any]) -> None:
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda **_: None
        elif param.is_flag and param.metavar is None:
            param.metavar = ""
