# SPDX-License-Identifier: Apache-2.0
"""A gate over probe logs of two runs: what it sees, what it cannot have seen, what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support import probe_logs
from support.comparisons import compared, probes
from wirecost.cli import app
from wirecost.results.analysis.compare.comparison import MORE, SAME, SLOWER
from wirecost.results.analysis.compare.gate import Gated
from wirecost.results.analysis.compare.runs import read_run
from wirecost.results.report.compare.document import document
from wirecost.results.report.compare.first import comparison_answer
from wirecost.results.report.compare.rows import headline
from wirecost.results.report.shared.page import page
from wirecost.system.errors import UserError

CLOCK = "perf::TASK-CLOCK"


def turns(path: Path, factor: float, apart: float, seed: int, count: int = 6) -> Path:
    """Write logs of ``count`` processes whose processor time varies little.

    Their time on the wall varies by ``apart``."""
    random = np.random.default_rng(seed)
    path.mkdir()
    for process in range(count):
        content = probe_logs.header(
            [(CLOCK, 1), ("instructions", 1)], [(1, "callback")], process=process + 1
        )
        slowed = factor * float(np.exp(random.normal(0, apart)))
        for i in range(50):
            begin = 10**9 * process + 10**7 * i
            wall, busy = 1e6 * slowed, 9e5 * factor
            content += probe_logs.record(
                i + 1, begin, begin + int(random.normal(wall, wall / 20)), counted=3,
                counters=[int(random.normal(busy, busy / 50)), int(4e6 * factor)],
            )  # fmt: skip
        (path / f"{process}.wprobe").write_bytes(content)
    return path


# Of B the factor and how much it varies, the options, the exit status.
GATES = {
    "blind": (1.15, 0.3, "--fail-above 5%", 0),
    "blind, and that fails": (1.15, 0.3, "--fail-above 5% --require-precision", 4),
    "sees enough of a large limit": (1.15, 0.3, "--fail-above 10000% --require-precision", 0),
    "sees processor time": (1.15, 0.3, f"--fail-above 5% --of {CLOCK} --require-precision", 3),
    "sees instructions": (1.15, 0.3, "--fail-above 5% --of instructions --require-precision", 3),
    "sees that nothing grew": (1, 0.3, f"--fail-above 5% --of {CLOCK} --require-precision", 0),
    "a growth that may be above": (1.06, 0.01, f"--fail-above 6.3% --of {CLOCK}", 0),
    "a growth that may be above, and that fails": (
        1.06, 0.01, f"--fail-above 6.3% --of {CLOCK} --require-precision", 4,
    ),
    "a growth above a small limit": (1.04, 0.01, f"--fail-above 2% --of {CLOCK}", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", GATES)
def test_what_a_gate_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    factor, apart, options, status = GATES[name]
    turns(tmp_path / "a", 1, apart, 2)
    turns(tmp_path / "b", factor, apart, 4)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    words = ["compare", "a", "b", *options.split(), "--markdown", "-"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == status, done.output
    assert {"printed": done.stderr, "--markdown": done.stdout} == snapshot


def test_a_blind_gate_is_in_the_page_and_the_document(tmp_path: Path) -> None:
    comparison = compared(turns(tmp_path / "a", 1, 0.3, 2), turns(tmp_path / "b", 1.15, 0.3, 3))
    assert comparison.regressions() == []
    assert "could not have" in page(comparison_answer(comparison))
    (row,) = document(comparison)["not_precise_enough"]
    assert (row["section"], row["what"]) == ("callback", "p50")
    low, high = row["change_ci95"]
    assert low < 0.05 < high


def test_a_second_run_of_a_that_differs_as_much_blinds_the_gate(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.3, 2), turns(tmp_path / "b", 1.15, 0.3, 3)
    gate = ["--fail-above", "5%", "--of", CLOCK, "--require-precision"]
    words = ["compare", str(a), str(b), "--again", str(b), *gate]
    assert CliRunner().invoke(app, words).exit_code == 4


def test_what_two_runs_of_a_differ_by_is_not_seen_though_b_is_quicker(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.01, 2), turns(tmp_path / "b", 0.9, 0.01, 3)
    again = turns(tmp_path / "again", 1.3, 0.01, 4)
    gate = ["--fail-above", "5%", "--of", CLOCK, "--require-precision"]
    words = ["compare", str(a), str(b), "--again", str(again), *gate]
    assert CliRunner().invoke(app, words).exit_code == 4
    gate[1] = "50%"
    words = ["compare", str(a), str(b), "--again", str(again), *gate]
    assert CliRunner().invoke(app, words).exit_code == 0


@pytest.mark.parametrize(
    ("change", "change95", "verdict", "times"),
    [
        (0.01, (-0.04, 0.06), SAME, 1.0),
        (0.01, (-0.09, 0.11), SAME, 4.0),
        (0.06, (0.04, 0.08), MORE, 4.0),
        (0.05, (0.04, 0.06), MORE, float("inf")),
    ],
)
def test_how_many_turns_decide_it(
    change: float, change95: tuple[float, float], verdict: str, times: float
) -> None:
    row = Gated(("callback",), "p50", change, change95, verdict, False)
    assert row.turns_needed(0.05) == pytest.approx(times)


def test_a_gate_that_cannot_be_is_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    a, b = turns(tmp_path / "a", 1, 0.1, 2), turns(tmp_path / "b", 1, 0.1, 3)
    refusals = {}
    for options in (
        "--fail-above 5 --of cycles", "--of p50", "--require-precision",
        f"--fail-above 2% --margin 3% --of {CLOCK}",
    ):  # fmt: skip
        done = CliRunner().invoke(app, ["compare", str(a), str(b), *options.split()])
        assert isinstance(done.exception, UserError), options
        refusals[options] = str(done.exception)
    assert refusals == snapshot


def test_of_one_row_measured_again_only_what_its_interval_shows_is_noise(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.02, 2), turns(tmp_path / "b", 1.15, 0.02, 4)
    quiet = compared(a, b, again=read_run(turns(tmp_path / "quiet", 1, 0.02, 3)))
    assert quiet.noise["instructions"] == 0
    assert max(quiet.noise.values()) < 0.05
    assert {time.verdict for time in quiet.times if time.quantile == "p50"} == {SLOWER}
    moved = compared(a, b, again=read_run(turns(tmp_path / "moved", 1.3, 0.02, 3)))
    assert 0.3 < moved.noise["p50"] < 0.4
    assert moved.noise["instructions"] == pytest.approx(0.3)
    assert moved.regressions() == []


def test_nothing_changed_does_not_contradict_counters(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    a, b = probes(tmp_path / "a", 400, 0), probes(tmp_path / "b", 400, 3)
    assert headline(compared(a, b, fail_above=None)) == snapshot
