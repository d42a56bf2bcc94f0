# SPDX-License-Identifier: Apache-2.0
"""Lists of commands: declared here, and printed before anything that a command needs is imported.

What a command is for is read from the text of its module.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wirecost.system import scenarios

COMPLETING = "_WIRECOST_COMPLETE"
"""Variable by which a shell asks for completion."""
WIDEST = 78
"""Columns of text; Typer's own help of a command has as many."""
HELP = {"-h, --help": "Show this message and exit."}
FLAGS = {
    "quiet": ("-q, --quiet", "Print results and errors only, no progress."),
    "verbose": ("-v, --verbose", "Show a traceback on errors."),
    "version": (
        "--version",
        "Print the version, the commit, the compiler and whether it is a wheel.",
    ),
}
"""Options of ``wirecost`` itself, by their parameters."""
FOLDERS = {"--cmake-dir": "cmake", "--include-dir": "include", "--pkgconfig-dir": "pkgconfig"}
"""Options that print a folder of the installation, by its attribute; no help lists them."""
COMPLETION = {
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": "Show completion for the current shell, to copy it or customize the "
    "installation.",
}


COMMAND_TEXT = re.compile(r'^def command\(.*?:\n    """(.*?)"""', re.DOTALL | re.MULTILINE)
MODULE_TEXT = re.compile(r'^"""(.*?)"""', re.DOTALL | re.MULTILINE)
"""Docstrings; a parser of Python would take longer than all else that help does."""


class CommandList(NamedTuple):
    """A group's commands."""

    about: str
    modules: Callable[[], Mapping[str, str]]
    """Modules of the commands by their names."""
    options: Mapping[str, str] = {}
    """Help of the group's own options."""
    for_file: Callable[[Path], Sequence[str]] = lambda _: ()
    """Returns the words of the command that is meant by a file."""


def _named(prefix: str, *names: str) -> Callable[[], Mapping[str, str]]:
    modules = {name: prefix + name.replace("-", "_") for name in names}
    return lambda: modules


def _answering(path: Path) -> Sequence[str]:
    from wirecost.system.file_kinds import answering_command

    return answering_command(path) or SCHEMA


def scenario_modules() -> dict[str, str]:
    """Return the modules of scenarios that their folders declare."""
    return {
        name.replace("_", "-"): f"{package}.settings"
        for name, package in sorted(scenarios.packages().items())
    }


COMMANDS = (
    "cost",
    "lost",
    "compare",
    "compile",
    "record",
    "replay",
    "results",
    "report",
    "log",
    "doctor",
    "transports",
    "bench",
    "campaign",
    "trace",
    "columns",
    "convert-cloud",
    "heap",
    "probe",
)
ROOT = ""
SCHEMA = ("bench", "message")
"""The command for a file that is of no other kind."""
LISTS = {
    ROOT: CommandList(
        "Measure what a message costs between components, and generate code that costs less.",
        _named("wirecost.cli.", *COMMANDS),
        {**dict(FLAGS.values()), **COMPLETION},
        _answering,
    ),
    "bench": CommandList(
        "Measure a scenario on this machine.",
        scenario_modules,
        {"--from DIR": "Also find scenarios in this folder, each in a folder of its own."},
        lambda _: SCHEMA[1:],
    ),
    "campaign": CommandList(
        "Run many measurements that one file describes.",
        _named(
            "wirecost.cli.campaign_",
            *("plan", "run", "status", "show", "import", "scheduler", "worker", "keys"),
        ),
    ),
    "columns": CommandList(
        "Turn recordings into columns, and back; advise on lists.",
        _named("wirecost.cli.columns_", "read", "write", "advise"),
    ),
    "heap": CommandList(
        "Run programs without page faults in their callbacks.", _named("wirecost.cli.heap_", "run")
    ),
    "probe": CommandList(
        "Record what the callbacks of a program cost.",
        _named(
            "wirecost.cli.probe_",
            *("run", "attach", "show", "chain", "check", "budget", "try", "convert"),
        ),
        for_file=lambda _: ("show",),
    ),
    "trace": CommandList(
        "Inspect, check, convert, split and play OSI traces.",
        _named("wirecost.cli.trace_", "info", "check", "convert", "split", "join", "play"),
        for_file=lambda _: ("info",),
    ),
}
"""Groups of commands by their words."""


def answer(words: Sequence[str]) -> str | None:
    """Return what a command line prints that asks for a list, the version or a folder, or None."""
    if COMPLETING in os.environ:
        return None
    if len(words) == 1 and words[0] in {"--version", *FOLDERS}:
        from wirecost.system.installation import installation

        present = installation()
        return str(getattr(present, FOLDERS[words[0]]) if words[0] in FOLDERS else present)
    path = words[:-1] if words and words[-1] in {"-h", "--help"} else words
    group = path[0] if path else ROOT
    return text(group) if group in LISTS and len(path) <= 1 else None


def text(group: str) -> str:
    """Return the help of a group."""
    listed = LISTS[group]
    width = min(shutil.get_terminal_size().columns, WIDEST + 2) - 2
    lines = [f"Usage: {f'wirecost {group}'.strip()} [OPTIONS] COMMAND [ARGS]...", ""]
    lines += textwrap.wrap(listed.about, width, initial_indent="  ", subsequent_indent="  ")
    lines += ["", "Options:", *_rows({**listed.options, **HELP}, width)]
    about = {name: about_of(name, module) for name, module in listed.modules().items()}
    lines += ["", "Commands:", *_rows(about, width)]
    return "\n".join(lines)


def _rows(rows: Mapping[str, str], width: int) -> Iterator[str]:
    indentation = max(map(len, rows)) + 4
    for name, about in rows.items():
        first, indent = f"  {name}".ljust(indentation), " " * indentation
        paragraph = " ".join(about.partition("\n\n")[0].split())
        yield from textwrap.wrap(paragraph, width, initial_indent=first, subsequent_indent=indent)


def about_of(name: str, module_name: str) -> str:
    """Return what a command is for, without importing its module.

    It is the docstring of ``command``, or else the module's, behind the command's name.
    """
    if module_name.startswith("wirecost.cli.") and name in LISTS:
        return LISTS[name].about
    spec = importlib.util.find_spec(module_name)
    if spec is None or spec.origin is None:
        return ""
    source = Path(spec.origin).read_text(encoding="utf-8")
    if command := COMMAND_TEXT.search(source):
        return command[1]
    about = module[1] if (module := MODULE_TEXT.search(source)) else ""
    if about.startswith("``"):
        about = about.partition(": ")[2]
    return about[:1].upper() + about[1:]
