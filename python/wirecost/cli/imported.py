# SPDX-License-Identifier: Apache-2.0
"""Groups of commands whose modules are imported when their command is run.

A command's module declares its options. What it does with them is imported within its function, so
that help and completion are there at once, without the packages that only some commands need. Lists
of names that options take are in modules ``choices``, which import nothing else of their package.
Groups only list their commands: what a command is for is read from the text of its module.

Help is without the types of Python that Typer prints: ``<bool>`` beside a flag, and
``<list[Path]>`` beside an argument whose name says more.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

FORMER_NAMES = {"mwares": "middlewares"}
"""Names of scenarios' options, without hyphens, by those that they had once."""


class Group(TyperGroup):
    """A group that shows its help where no command is named, which is no error."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            print(ctx.get_help(), end="")
            ctx.exit()
        return super().parse_args(ctx, args)


def group(
    about: str,
    prefix: str = "",
    *names: str,
    for_files: Callable[[Path], Sequence[str]] = lambda _: (),
    others: Callable[[], Mapping[str, str]] = dict,
) -> typer.Typer:
    """Return a group of commands, which are those of ``imported``, or else are added to it."""
    kind: type[TyperGroup] = Group
    if names or others is not dict:
        kind = imported(prefix, *names, for_files=for_files, others=others)
    app = typer.Typer(cls=kind, help=about, add_completion=False)
    app.callback()(lambda: None)
    return app


def imported(
    prefix: str,
    *names: str,
    for_files: Callable[[Path], Sequence[str]] = lambda _: (),
    others: Callable[[], Mapping[str, str]] = dict,
) -> type[TyperGroup]:
    """Return the class of a group whose command ``name`` is in the module ``prefix + name``.

    A hyphen in the name is an underscore in the module's.

    The module has a function ``command``, a group ``app``, or the ``Settings`` of a scenario.
    ``for_files``: returns the words of the command that is meant by a file; ``others``: finds
    modules of further commands by their names.
    """

    class Imported(Group):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self._only_lists = False

        def modules(self) -> dict[str, str]:
            own = {name: prefix + name.replace("-", "_") for name in names}
            modules = own | dict(others())
            # Typer looks for similar names here; get_command resolves a name.
            self.commands = dict.fromkeys(modules)  # type: ignore[assignment]
            return modules

        def list_commands(self, ctx: Any) -> list[str]:
            del ctx
            listed = self.modules()
            return sorted(listed) if others is not dict else list(listed)

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            is_command = args[0] in self.modules()
            if not is_command and (path := Path(args[0])).exists():
                args = [*for_files(path), *args]
            return super().resolve_command(ctx, args)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            module_name = self.modules().get(cmd_name)
            if module_name is None:
                return None
            if self._only_lists:
                return TyperCommand(cmd_name, help=_about(module_name))
            command = get_command(_app(module_name, cmd_name))
            command.name = cmd_name
            _show_example(command, module_name)
            for item in (command, *getattr(command, "commands", {}).values()):
                if item is not None:
                    _hide_types(item.get_params(ctx))
            return command

        def format_help(self, ctx: Any, formatter: Any) -> None:
            with self._listing():
                super().format_help(ctx, formatter)

        def shell_complete(self, ctx: Any, incomplete: str) -> Any:
            with self._listing():
                return super().shell_complete(ctx, incomplete)

        def get_params(self, ctx: Any) -> Any:
            params = super().get_params(ctx)
            _hide_types(params)
            return params

        @contextmanager
        def _listing(self) -> Iterator[None]:
            self._only_lists = True
            try:
                yield
            finally:
                self._only_lists = False

    return Imported


def _app(module_name: str, name: str) -> typer.Typer:
    """Return the commands of a module."""
    module = importlib.import_module(module_name)
    app: typer.Typer | None = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False)
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
    """Show the example at the end of a command's help, or of the commands in a group."""
    example = getattr(sys.modules.get(module_name), "EXAMPLE", None)
    if example is not None:
        for item in getattr(command, "commands", {"": command}).values():
            item.epilog = f"Example: {example}"


def _about(module_name: str) -> str:
    """Return a module's line in a list of commands, without importing the module.

    It is the docstring of ``command``, the first argument of the call that makes ``command`` or
    ``app``, or else the module's docstring behind the command's name.
    """
    spec = importlib.util.find_spec(module_name)
    if spec is None or spec.origin is None:
        return ""
    module = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in {"app", "command"}:
            match node.value:
                case ast.Call(args=[ast.Constant(value=about), *_]):
                    return str(about)
    about = ast.get_docstring(module) or ""
    if about.startswith("``"):
        about = about.partition(": ")[2]
    return about[:1].upper() + about[1:]


def _hide_types(params: Iterable[Any]) -> None:
    for param in params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda **_: None
        elif param.is_flag and param.metavar is None:
            param.metavar = ""
