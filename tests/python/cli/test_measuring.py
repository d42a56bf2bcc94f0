# SPDX-License-Identifier: Apache-2.0
"""A run that something ends ends with one line, whatever it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.transport_folders import Made, fill, transport_folder
from wirecost.cli import app, measuring
from wirecost.cli.ending import Output
from wirecost.cli.measuring import FAILED
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.results.report.results.caution import caution
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import EndedError, UserError


def test_a_program_that_dies_before_anything_was_measured_is_one_line(tmp_path: Path) -> None:
    def measure(_measurement: Measurement) -> None:
        raise ProgramFailedError("`python -m contenders …` was ended by SIGABRT")

    with pytest.raises(EndedError) as caught:
        measuring.measure("notification", "notification", tmp_path / "r", Output(), measure)
    assert str(caught.value).endswith("nothing was measured")
    assert caught.value.status == FAILED
    assert not list(tmp_path.iterdir())


def measure(measurement: Measurement) -> None:
    fill(measurement.journal, {"good": Made()}, load="fail (6.10 on 2 CPUs)")


def test_tables_are_there_where_the_page_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*_: object) -> None:
        raise KeyError("colour")

    monkeypatch.setattr("wirecost.results.report.results.export.write_report", failing)
    with pytest.raises(EndedError) as caught:
        measuring.measure("transport", "transport", tmp_path / "r", Output(), measure)
    assert caught.value.status == FAILED
    text = str(caught.value)
    assert "KeyError: 'colour'" in text
    assert f"`wirecost report {tmp_path / 'r'} --tables` prints them" in text
    printed = capsys.readouterr().out
    assert "good python default" in printed and "use good" in printed
    assert not (tmp_path / "r" / "report.html").exists()


def test_a_busy_machine_is_said_where_the_numbers_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "r"
    measuring.measure("transport", "transport", folder, Output(), measure)
    said = "6.10 on 2 CPUs at the start: trust the order"
    assert said in " ".join(capsys.readouterr().out.split())
    runner = CliRunner()
    again = runner.invoke(app, ["report", str(folder), "--tables"], catch_exceptions=False)
    assert said in " ".join(again.output.split()) and "good python default" in again.output
    runner.invoke(app, ["report", str(folder), "--format", "md"], catch_exceptions=False)
    text = (folder / "report.md").read_text()
    assert said in text.partition("|")[0] and "use good" in text
    with pytest.raises(UserError, match="--tables: prints and writes nothing"):
        runner.invoke(
            app, ["report", str(folder), "--tables", "--format", "md"], catch_exceptions=False
        )


def test_a_long_run_answers_after_its_first_rounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def long(measurement: Measurement) -> None:
        measurement.progress(1, 10, "turn 1")
        measure(measurement)
        measurement.journal.after_round()
        measurement.journal.after_round()
        measurement.progress(9, 10, "turn 9")

    monkeypatch.setattr(measuring, "FIRST_TABLE_S", 0.0)
    measuring.measure("transport", "transport", tmp_path / "log", Output(), long)
    assert measuring.GOES_ON not in capsys.readouterr().err
    monkeypatch.setenv("FORCE_COLOR", "1")
    measuring.measure("transport", "transport", tmp_path / "r", Output(), long)
    out, err = (re.sub(r"\x1b\[[\d;?]*\w", "", text) for text in capsys.readouterr())
    assert err.count(measuring.GOES_ON) == 1
    assert "good python default" in err and "good python default" in out
    assert "--tables" not in err and "--tables" in out


@pytest.mark.parametrize(("done", "after_s"), [(6, 0.0), (1, 3600.0)])
def test_a_short_run_answers_once(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    done: int,
    after_s: float,
) -> None:
    def short(measurement: Measurement) -> None:
        measurement.progress(done, 10, "a turn")
        measure(measurement)
        measurement.journal.after_round()

    monkeypatch.setattr(measuring, "FIRST_TABLE_S", after_s)
    monkeypatch.setenv("FORCE_COLOR", "1")
    measuring.measure("transport", "transport", tmp_path / "r", Output(), short)
    assert measuring.GOES_ON not in capsys.readouterr().err


def test_a_quiet_machine_needs_no_word(tmp_path: Path) -> None:
    assert caution(transport_folder(tmp_path, {"good": Made()}).meta) is None
