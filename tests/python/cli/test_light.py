# SPDX-License-Identifier: Apache-2.0
"""Installations with what ``compile`` needs alone: what they do, and say of the rest."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from packaging.requirements import Requirement
from scikit_build_core.build import prepare_metadata_for_build_wheel

from support import light
from support.programs import execute
from wirecost.cli import app
from wirecost.cli.bench import NAMES
from wirecost.cli.lists import COMMANDS
from wirecost.system.extras import EXTRAS, REQUIRED, missing

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "examples" / "consumers" / "state.proto"
COMES = "comes with wirecost: pip install wirecost, without --no-deps"


@pytest.fixture(scope="module")
def requirements(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Names by extra, of the wheel that would be built; "" is what it always needs."""
    folder = tmp_path_factory.mktemp("metadata")
    here = Path.cwd()
    os.chdir(ROOT)  # where a build's frontend calls it
    try:
        made = prepare_metadata_for_build_wheel(str(folder))
    finally:
        os.chdir(here)
    found: dict[str, set[str]] = {}
    for text in importlib.metadata.PathDistribution(folder / made).requires or []:
        requirement = Requirement(text)
        extra = str(requirement.marker).partition('"')[2].strip('"') if requirement.marker else ""
        found.setdefault(extra, set()).add(light.normal(requirement.name))
    return found


def test_the_wheel_alone_is_enough(requirements: dict[str, set[str]]) -> None:
    assert requirements[""] > set(light.COMPILE)
    assert set(requirements) == {*EXTRAS, "", "docs", "ros2", "tensor", "transports"}


@pytest.mark.parametrize(
    ("lists", "extras"),
    [
        (("run",), ("", "figures", "fmi")),
        (("run", "transports", "transports-alone"), ("", "transports")),
        (("run", "transports", "test"), ("", "campaign")),
    ],
)
def test_a_checkout_has_what_the_wheel_declares(
    requirements: dict[str, set[str]], lists: tuple[str, ...], extras: tuple[str, ...]
) -> None:
    """``lists``: of ``make install``, ``make transports`` and ``make test``."""
    lines = [
        line
        for name in lists
        for line in (ROOT / "setup" / f"python-{name}.txt").read_text().splitlines()
    ]
    pinned = {light.normal(line.partition("==")[0]) for line in lines}
    needed = set[str]().union(*(requirements[extra] for extra in extras))
    assert needed <= pinned


def test_the_missing_packages_that_are_explained_are_the_extras(
    requirements: dict[str, set[str]],
) -> None:
    owners = importlib.metadata.packages_distributions()
    # Whoever leaves out all dependencies lacks what the extensions load, too.
    others = requirements[""] - set(light.COMPILE) | {"nanobind-backend"}
    assert {light.normal(owners[package][0]) for package in REQUIRED} == others
    for extra, packages in EXTRAS.items():
        assert {light.normal(owners[package][0]) for package in packages} == requirements[extra]


def test_a_package_that_no_extra_brings_is_another_matter() -> None:
    assert missing(ModuleNotFoundError("rospy is missing", name="rospy")) is None
    assert missing(ModuleNotFoundError("nameless")) is None


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return execute(
        [sys.executable, light.__file__, *map(str, arguments)], env={**os.environ, "COLUMNS": "80"}
    )


def test_help_lists_every_command() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    listed = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert listed >= set(COMMANDS)


def test_lists_say_what_commands_are_for() -> None:
    commands = typer.main.get_command(app)
    bench = commands.get_command(typer.Context(commands), "bench")  # type: ignore[attr-defined]
    lines = run("bench", "--help").stdout.splitlines()
    for name in NAMES:
        command = bench.get_command(typer.Context(bench), name)
        (line,) = (one for one in lines if one.startswith(f"  {name} "))
        assert " ".join(line.split()[1:4]) in " ".join(command.help.split())


@pytest.mark.parametrize("lang", ["cpp", "python", "java"])
def test_schemas_are_compiled(lang: str, tmp_path: Path) -> None:
    wires = "protobuf,ros1,cdr,columns"
    options = ("--wire", wires, "--columns", "consumer.State", "--out", tmp_path)
    wanted = options if lang != "java" else ("--wire", "protobuf,ros1,cdr", "--out", tmp_path)
    done = run("compile", SCHEMA, "--lang", lang, *wanted)
    assert (done.returncode, done.stderr) == (0, "")
    assert any((tmp_path / lang).rglob("*tate*"))


def test_the_machine_is_checked() -> None:
    done = run("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "CPU " in done.stdout


def test_programs_run_on_the_heap() -> None:
    done = run("heap", "run", "--", "echo", "under the heap")
    assert (done.returncode, done.stdout) == (0, "under the heap\n")


@pytest.mark.parametrize(
    "words",
    [
        *(("bench", name) for name in NAMES),
        ("columns", "advise", "x"),
        ("columns", "read", "x", "--out", "y"),
        ("compare", "a", "b"),
        ("probe", "show", "x"),
        ("record", "/node"),
        ("replay", "x"),
        ("report", "x"),
        ("log", "x"),
        ("trace", "info", "x"),
        ("transports",),
    ],
    ids=" ".join,
)
def test_other_commands_say_in_one_line_what_they_need(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("wirecost: ")
    assert done.stderr.endswith(f"; it {COMES}\n")
    assert done.stderr.count("\n") == 1


def test_the_library_says_so_too() -> None:
    script = "import light; light.hide_others(); import wirecost; wirecost.publish"
    done = execute([sys.executable, "-c", script], cwd=Path(light.__file__).parent)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: wirecost.publish: ")
    assert last.endswith(COMES)


def test_what_is_wrong_with_the_machine_fits_one_screen() -> None:
    lines = run("doctor").stdout.splitlines()
    assert len(lines) <= 24
    assert max(len(line) for line in lines if "GRUB" not in line) <= 80
    assert lines[-1].endswith("wirecost doctor --all")
    assert len(run("doctor", "--all").stdout.splitlines()) > len(lines)
