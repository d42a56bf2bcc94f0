# SPDX-License-Identifier: Apache-2.0
"""Logs are found in the ``logs`` of a run; a folder above is answered with where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.probe_logs import header, record
from wirecost.results.analysis.compare.context import differences
from wirecost.results.analysis.compare.runs import read_run
from wirecost.results.records.recorded import read_recorded
from wirecost.system.errors import UserError


def written(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "a.wprobe").write_bytes(header([], [(1, "filter")]) + record(1, 10, 30))
    return folder


def test_the_logs_of_a_run_are_found_in_its_folder(tmp_path: Path) -> None:
    written(tmp_path / "runs" / "as-it-is-1" / "logs")
    assert len(read_recorded([tmp_path / "runs" / "as-it-is-1"])) == 1
    with pytest.raises(UserError, match=r"name .*/runs/as-it-is-1/logs$"):
        read_recorded([tmp_path])
    written(tmp_path / "runs" / "as-it-is-2" / "logs")
    with pytest.raises(UserError, match=r"name .*/as-it-is-1/logs or one of 1 more like it$"):
        read_recorded([tmp_path])


def test_another_name_of_the_program_is_no_other_environment(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a"), written(tmp_path / "b")
    content = (b / "a.wprobe").read_bytes()
    (b / "a.wprobe").write_bytes(content.replace(b"p" + bytes(15), b"keep" + bytes(12), 1))
    runs = read_run(a), read_run(b)
    assert (runs[0].meta.program, runs[1].meta.program) == ("p", "keep")
    assert differences(*runs) == []
