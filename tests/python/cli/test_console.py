# SPDX-License-Identifier: Apache-2.0
"""Progress, lists of commands, and how much is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from support.programs import execute
from wirecost.cli import app, verbosity
from wirecost.cli.bench import NAMES
from wirecost.cli.console import progress
from wirecost.cli.lists import COMMANDS, HELP, LISTS

HEAVY = (
    *("typer", "rich", "numpy", "polars", "altair", "pyarrow", "msgspec"),
    *("asyncio", "grpc_tools", "jinja2", "multiprocessing", "scipy"),
)
GROUPS = sorted(filter(None, LISTS))
LISTING = """\
import sys
from wirecost.__main__ import main
sys.argv = ["wirecost", *{words!r}]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print("imported", *sorted(set({heavy!r}) & set(sys.modules)))
"""


LISTED = {"-h": set(COMMANDS), "bench": set(NAMES), "probe": {"show"}, "--version": set[str]()}


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    script = LISTING.format(words=words, heavy=HEAVY)
    return execute([sys.executable, "-c", script], check=True)


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as advance:
        advance(1, 4, "first [of four]\x1b[2J")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split() == ["25", "%", "first", "[of", r"four]\x1b[2J"]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_remark_stays_on_a_terminal(
    is_terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
    with progress() as advance:
        advance(1, 4, "first")
        advance(0, 0, "so far [4 µs]\nmore \x1b[2J")
    lines = [line.strip() for line in capsys.readouterr().err.splitlines()]
    assert any("so far [4 µs]" in line for line in lines) == is_terminal
    assert any(line.endswith(r"more \x1b[2J") for line in lines) == is_terminal


def test_quiet_has_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verbosity, "quiet", True)
    with progress() as advance:
        advance(1, 4, "first")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "words", [["-h"], ["bench", "-h"], ["probe", "-h"], ["--version"]], ids=" ".join
)
def test_lists_of_commands_import_none_of_them(words: list[str]) -> None:
    printed = _run(*words).stdout
    assert printed.splitlines()[-1].strip() == "imported"
    listed = {line.split()[0] for line in printed.splitlines() if line.startswith("  ")}
    assert listed >= LISTED[words[0]]


def test_the_first_answer_imports_no_more_than_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    imported = _run("cost", "--example").stdout.splitlines()[-1].split()
    assert set(imported) <= {"imported", "typer", "rich", "numpy", "msgspec"}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_a_command_shows_its_help(group: str) -> None:
    done = _run(group)
    assert f"Usage: wirecost {group} [OPTIONS] COMMAND" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("group", [(), ("bench",), ("probe",), ("campaign",), ("trace",)])
def test_every_listed_command_says_what_it_is_for(group: tuple[str, ...]) -> None:
    listed = _run(*group, "-h").stdout.partition("Commands:\n")[2].splitlines()[:-1]
    if group in ((), ("bench",)):  # those a newcomer meets: a line for each
        assert not [line for line in listed if line.startswith("   ")]
    assert [line for line in listed if line[2] != " " and len(line.split()) < 4] == []


@pytest.mark.parametrize("group", LISTS)
def test_a_list_has_the_options_that_the_group_takes(group: str) -> None:
    command: Any = typer.main.get_command(app)
    context = typer.Context(command, help_option_names=["-h", "--help"])
    if group:
        command = command.get_command(context, group)
        context = typer.Context(command, parent=context)
    shown = [item for item in command.get_params(context) if not item.hidden]
    names = {name for item in shown for name in item.opts}
    listed = {word.strip(",") for row in {**LISTS[group].options, **HELP} for word in row.split()}
    assert {word for word in listed if word.startswith("-")} == names


def test_verbose_says_where_an_error_was_raised(tmp_path: Path) -> None:
    def said(*words: str) -> str:
        command = [sys.executable, "-m", "wirecost", *words, "report", str(tmp_path)]
        return execute(command).stderr

    assert said().count("\n") == 1
    assert "Traceback" in said("-v")
    assert said("-v").endswith(said())


@pytest.mark.parametrize(("group", "command"), [("trace", "info"), ("probe", "show")])
def test_a_file_is_what_the_group_shows(group: str, command: str, tmp_path: Path) -> None:
    file = tmp_path / "empty.osi"
    file.touch()
    words = [sys.executable, "-m", "wirecost", group]
    by_file, by_name = execute([*words, str(file)]), execute([*words, command, str(file)])
    assert by_file.returncode == by_name.returncode == 2
    assert by_file.stderr == by_name.stderr != ""


def test_a_recording_is_what_costs(tmp_path: Path) -> None:
    file = tmp_path / "empty.mcap"
    file.touch()
    words = [sys.executable, "-m", "wirecost"]
    for before, command in (((), ["cost"]), (("bench",), ["bench", "message"])):
        said = execute([*words, *before, str(file)]).stderr
        assert said == execute([*words, *command, str(file)]).stderr
        assert str(file) in said


def test_a_program_that_failed_is_named_in_one_line() -> None:
    code = """
import wirecost.__main__
import sys
import wirecost.cli.root
from wirecost.system.children import failed

def app():
    raise failed("static_once", 3, "some\\nbroken")

wirecost.cli.root.app = app
sys.argv = ["wirecost", "cost"]
wirecost.__main__.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "wirecost: static_once ended with status 3: broken\n"
