# SPDX-License-Identifier: Apache-2.0
"""A gate over probe logs of two runs: what it sees, what it cannot have seen, what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from support import probe_logs
from support.comparisons import compared, probes
from wirecost.analysis.compare.comparison import MORE, SAME, SLOWER
from wirecost.analysis.compare.gate import Gated
from wirecost.analysis.compare.runs import read_run
from wirecost.cli import app
from wirecost.errors import UserError
from wirecost.report.compare import tables
from wirecost.report.compare.document import document, markdown
from wirecost.report.compare.page import page
from wirecost.report.compare.rows import headline


def turns(path: Path, factor: float, apart: float, seed: int, count: int = 6) -> Path:
    """Logs of ``count`` processes whose processor time varies little, and their time on the wall by
    ``apart``."""
    random = np.random.default_rng(seed)
    path.mkdir()
    for process in range(count):
        content = probe_logs.header(
            [("perf::TASK-CLOCK", 1), ("instructions", 1)], [(1, "callback")], process=process + 1
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


def test_a_gate_that_could_not_have_seen_a_change_says_so(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.3, 2), turns(tmp_path / "b", 1.15, 0.3, 3)
    found = compared(a, b)
    assert found.regressions() == []
    said = headline(found)
    assert re.match(
        r"No regression shown, but this comparison could not have seen 5 %: callback p50 is known "
        r"to \[−[\d.]+, \+[\d.]+\] %; take more turns, or compare instructions or processor time",
        said,
    )
    assert "could not have seen 5 %" in markdown(found).splitlines()[4]
    assert "could not have seen" in page(found)
    (row,) = document(found)["not_precise_enough"]
    assert (row["section"], row["what"]) == ("callback", "p50")
    arguments = ["compare", str(a), str(b), "--fail-above", "5%"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    done = CliRunner().invoke(app, [*arguments, "--require-precision"])
    assert done.exit_code == 4
    assert "could not have seen 5 %" in done.stdout.replace("\n", " ")
    loose = ["compare", str(a), str(b), "--fail-above", "10000%", "--require-precision"]
    assert CliRunner().invoke(app, loose).exit_code == 0


@pytest.mark.parametrize("counter", ["perf::TASK-CLOCK", "instructions"])
def test_a_gate_can_look_at_a_counter(tmp_path: Path, counter: str) -> None:
    a, b = turns(tmp_path / "a", 1, 0.3, 2), turns(tmp_path / "b", 1.15, 0.3, 3)
    gate = ["--fail-above", "5%", "--of", counter, "--require-precision"]
    done = CliRunner().invoke(app, ["compare", str(a), str(b), *gate])
    assert done.exit_code == 3, done.output
    assert "1 regression above 5 %" in done.stdout
    (line,) = [one for one in done.stdout.splitlines() if counter in one]
    assert line.endswith("REGRESSION") and "+15" in line
    same = turns(tmp_path / "c", 1, 0.3, 4)
    done = CliRunner().invoke(app, ["compare", str(a), str(same), *gate])
    assert done.exit_code == 0, done.output
    assert "No regression above 5 %" in done.stdout
    wide = ["compare", str(a), str(b), "--again", str(b), *gate]
    assert CliRunner().invoke(app, wide).exit_code == 4  # A's own two runs differ as much


def test_a_growth_that_may_be_above_the_limit_is_not_called_none(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.01, 2), turns(tmp_path / "b", 1.06, 0.01, 3)
    gate = ["--fail-above", "6.3%", "--of", "perf::TASK-CLOCK", "--json", str(tmp_path / "c.json")]
    done = CliRunner().invoke(app, ["compare", str(a), str(b), *gate])
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert "A growth is sure, but not whether by more than 6.3 %: callback perf::TASK-CLOCK" in said
    assert "No regression" not in said and "take " in said
    (row,) = json.loads((tmp_path / "c.json").read_text())["not_precise_enough"]
    low, high = row["change_ci95"]
    assert 0 < low < 0.063 < high
    strict = CliRunner().invoke(app, ["compare", str(a), str(b), *gate, "--require-precision"])
    assert strict.exit_code == 4


def test_a_gate_that_passes_says_what_it_saw(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.3, 2), turns(tmp_path / "b", 1, 0.3, 4)
    gate = ["--fail-above", "5%", "--of", "perf::TASK-CLOCK"]
    done = CliRunner().invoke(app, ["compare", str(a), str(b), *gate, "--markdown", "-"])
    said = " ".join(done.stderr.split())
    assert re.search(
        r"above 5 %: callback perf::TASK-CLOCK, [+−][\d.]+ % \[−[\d.]+, \+[\d.]+\]", said
    )
    assert "Not looked at: 0 slower" in said and "Cannot tell" not in said
    lines = done.stdout.splitlines()
    assert lines[0] == "### wirecost probe logs: perf::TASK-CLOCK"
    assert lines[2].startswith("A `a` → B `b`")


def test_the_margin_hides_nothing_that_the_gate_is_to_see(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.01, 2), turns(tmp_path / "b", 1.04, 0.01, 3)
    gate = ["--fail-above", "2%", "--of", "perf::TASK-CLOCK"]
    assert CliRunner().invoke(app, ["compare", str(a), str(b), *gate]).exit_code == 3
    done = CliRunner().invoke(app, ["compare", str(a), str(b), *gate, "--margin", "3%"])
    assert isinstance(done.exception, UserError)
    assert "--margin 3%: would hide changes that --fail-above 2%" in str(done.exception)


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


def test_a_gate_on_what_was_not_counted_is_refused(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.1, 2), turns(tmp_path / "b", 1, 0.1, 3)
    for more, reported in (
        (["--fail-above", "5", "--of", "cycles"], "--of cycles: .* there are p50, .*instructions"),
        (["--of", "p50"], "--of: is for --fail-above"),
        (["--require-precision"], "--require-precision: is for --fail-above"),
    ):
        done = CliRunner().invoke(app, ["compare", str(a), str(b), *more])
        assert isinstance(done.exception, UserError)
        assert re.search(reported, str(done.exception))


def test_of_one_row_measured_again_only_what_its_interval_shows_is_noise(tmp_path: Path) -> None:
    a, b = turns(tmp_path / "a", 1, 0.02, 2), turns(tmp_path / "b", 1.15, 0.02, 4)
    quiet = compared(a, b, again=read_run(turns(tmp_path / "quiet", 1, 0.02, 3)))
    assert quiet.noise["instructions"] == 0
    assert max(quiet.noise.values()) < 0.05
    assert {one.verdict for one in quiet.times if one.quantile == "p50"} == {SLOWER}
    moved = compared(a, b, again=read_run(turns(tmp_path / "moved", 1.3, 0.02, 3)))
    assert 0.3 < moved.noise["p50"] < 0.4
    assert moved.noise["instructions"] == pytest.approx(0.3)
    assert "of fewer than 20 rows, the far end" in tables.method(moved)
    assert moved.regressions() == []
    assert "where two runs of A differ by up to 3" in headline(moved)


def test_nothing_changed_does_not_contradict_counters(tmp_path: Path) -> None:
    a, b = probes(tmp_path / "a", 400, 0), probes(tmp_path / "b", 400, 3)
    said = headline(compared(a, b, fail_above=None))
    assert said == "No significant change of times, but 1 counter or size changed"
