# SPDX-License-Identifier: Apache-2.0
"""What every ``bench`` command leaves: a folder that each command on results takes.

Scenarios are those of the package, and one in a folder outside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attack.kills import RESULTS
from wirecost.cli import app
from wirecost.cli.bench import NAMES
from wirecost.cli.campaign_plan import refused
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.answer import results_answer
from wirecost.system.scenarios import VARIABLE

SCENARIOS = Path(__file__).parents[1] / "data" / "scenarios"
OUTSIDE = "sorting"
SHORT = {**{name: RESULTS[name] for name in NAMES}, OUTSIDE: ("--samples", "12")}
"""Options by which each takes seconds; a new command needs a line in ``RESULTS``."""
CAMPAIGN = """
name = "sorting"
[[bench]]
scenario = "sorting"
expected = "5 s"
[bench.options]
samples = 3
"""


def wirecost(*words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wirecost", *map(str, words)],
        capture_output=True, text=True, timeout=300, check=False, env=os.environ | variables,
    )  # fmt: skip


def printed(*words: str | Path) -> str:
    """Return what a command prints, which is run in this process: starting one takes longer."""
    done = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("name", SHORT)
def test_a_folder_works_in_every_command(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    source = ("--from", SCENARIOS) if name == OUTSIDE else ()
    page = tmp_path / "page.md"
    files = ("--out", folder, "--json", tmp_path / "rows", "--report", page)
    more = (*SHORT[name], *files, "--all")
    done = wirecost("bench", *source, name, *more)
    assert done.returncode == 0, done.stderr
    results = read_results(folder)
    meta = results.meta
    assert meta.command[:1] == ["bench"] and not meta.interrupted
    assert {"verdict", "load"} <= meta.doctor.keys()
    assert meta.environment["malloc"] and meta.environment["wirecost"]
    assert meta.contenders and all(about.library for about in meta.contenders.values())
    assert (folder / "report.html").stat().st_size > 100_000
    answer = results_answer(results, summarize(results))
    whole = [section for section in answer.sections if not section.is_apart]
    titles = [table.title for section in whole for table in section.tables if table.rows]
    assert [title for title in titles if title not in " ".join(done.stdout.split())] == []
    assert page.read_text().startswith(f"### wirecost: {answer.heading}")
    rows = json.loads((tmp_path / "rows").read_text())["rows"]
    assert any(row["median_ns"] > 0 for row in rows)
    assert name.split("-", maxsplit=1)[0] in printed("results", tmp_path)
    assert rows[0]["contender"] in printed("report", folder, "--tables")
    printed("report", folder, "--format", "md,csv")
    compared = printed("compare", tmp_path / "rows", folder, "--fail-above", "50%")
    assert "no regression" in compared.lower()


@pytest.mark.parametrize("name", NAMES)
def test_a_campaign_takes_every_command(name: str) -> None:
    assert refused(name, []) is None
    assert "No such option" in str(refused(name, ["--no-such-option"]))


def test_a_campaign_measures_a_scenario_from_outside(tmp_path: Path) -> None:
    path, store = tmp_path / "campaign.toml", tmp_path / "store"
    path.write_text(CAMPAIGN)
    variables = {VARIABLE: str(SCENARIOS)}
    done = wirecost("campaign", "run", path, "--store", store, "--json", "-", **variables)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["done"] == 1
    assert OUTSIDE in printed("campaign", "status", store)
    assert wirecost("campaign", "plan", path).returncode == 2


def test_a_folder_of_scenarios_is_checked(tmp_path: Path) -> None:
    done = wirecost("bench", "--from", tmp_path, OUTSIDE)
    assert done.returncode == 2
    assert done.stderr.startswith(f"wirecost: --from {tmp_path}: none of its folders is a scenario")
    (tmp_path / "static").symlink_to(SCENARIOS / OUTSIDE)
    done = wirecost("bench", "--from", tmp_path, "static")
    assert (done.returncode, done.stderr) == (
        2, f"wirecost: {tmp_path / 'static'}: there is a scenario static; rename this folder\n"
    )  # fmt: skip
