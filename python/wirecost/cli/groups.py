# SPDX-License-Identifier: Apache-2.0
"""Groups of commands whose modules are imported when their command is run.

A command's module declares its options. What it does with them is imported within its function, so
that help and completion are there at once, without the packages that only some commands need. Lists
of names that options take are in modules ``choices``, which import nothing else of their package.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from wirecost.cli.lists import LISTS, about_of, text

FORMER_NAMES = {"mwares": "middlewares"}
"""Names of scenarios' options, without hyphens, by those that they had once."""


def new_app(**settings: Any) -> typer.Typer:
    """Return an application, or a part of one, whose help and errors are plain text."""
    plain: dict[str, Any] = {
        "add_completion": False,
        "pretty_exceptions_enable": False,
        "rich_markup_mode": None,
    }
    return typer.Typer(**plain | settings)


def group(word: str) -> typer.Typer:
    """Return the group of commands that ``LISTS`` has under this word."""
    app = new_app(cls=type_of_group(word), help=LISTS[word].about)
    app.callback()(lambda: None)
    return app


def type_of_group(word: str) -> type[TyperGroup]:
    """Return the class of a group that ``LISTS`` has under this word.

    The module of a command has a function ``command``, an ``app``, or the ``Settings`` of a
    scenario.
    """

    class Group(TyperGroup):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self._only_lists = False

        def modules(self) -> dict[str, str]:
            modules = dict(LISTS[word].modules())
            # Typer looks for similar names here; get_command resolves a name.
            self.commands = dict.fromkeys(modules)  # type: ignore[assignment]
            return modules

        def list_commands(self, ctx: Any) -> list[str]:
            del ctx
            return list(self.modules())

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Show the help where no command is named, which is no error."""
            if not args and not self.invoke_without_command and not ctx.resilient_parsing:
                print(ctx.get_help())
                ctx.exit()
            return super().parse_args(ctx, args)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            is_command = args[0] in self.modules()
            if not is_command and (path := Path(args[0])).exists():
                args = [*LISTS[word].for_file(path), *args]
            return super().resolve_command(ctx, args)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            module_name = self.modules().get(cmd_name)
            if module_name is None:
                return None
            if self._only_lists:
                return TyperCommand(cmd_name, help=about_of(cmd_name, module_name))
            command = get_command(_app(module_name, cmd_name))
            command.name = cmd_name
            _show_example(command, module_name)
            _hide_types(command.get_params(ctx))
            return command

        def format_help(self, ctx: Any, formatter: Any) -> None:
            del ctx
            formatter.write(text(word))

        def shell_complete(self, ctx: Any, incomplete: str) -> Any:
            with self._listing():
                return super().shell_complete(ctx, incomplete)

        @contextmanager
        def _listing(self) -> Iterator[None]:
            self._only_lists = True
            try:
                yield
            finally:
                self._only_lists = False

    return Group


def _app(module_name: str, name: str) -> typer.Typer:
    """Return the commands of a module."""
    if name in LISTS and importlib.util.find_spec(module_name) is None:
        return group(name)
    module = importlib.import_module(module_name)
    app: typer.Typer | None = getattr(module, "app", None)
    if app is None:
        app = new_app()
        if hasattr(module, "command"):
            app.command(name)(module.command)
        else:
            from wirecost.cli.scenario_command import command_of

            settings = {"token_normalize_func": _present_name}
            app.command(name, context_settings=settings)(command_of(module))
    return app


def _present_name(name: str) -> str:
    """Return the present name of an option: its former name is valid, and not in the help."""
    return FORMER_NAMES.get(name, name)


def _show_example(command: Any, module_name: str) -> None:
    """Show the example at the end of a command's help."""
    example = getattr(sys.modules.get(module_name), "EXAMPLE", None)
    if example is not None:
        command.epilog = f"Example: {example}"


def _hide_types(params: Iterable[Any]) -> None:
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda **_: None
        elif param.is_flag and param.metavar is None:
            param.metavar = ""
