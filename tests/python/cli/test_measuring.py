# SPDX-License-Identifier: Apache-2.0
"""A run that something ends ends with one line, whatever it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.bench.program import ProgramFailedError
from wirecost.cli.console import Advance
from wirecost.cli.measuring import FAILED, measure_and_report
from wirecost.errors import EndedError
from wirecost.records.journal import Journal


def test_a_program_that_dies_before_anything_was_measured_is_one_line(tmp_path: Path) -> None:
    def measure(_journal: Journal, _advance: Advance) -> None:
        raise ProgramFailedError("`python -m contenders …` was ended by SIGABRT")

    with pytest.raises(EndedError) as caught:
        measure_and_report("notification", tmp_path / "r", None, measure)
    assert str(caught.value) == (
        "`python -m contenders …` was ended by SIGABRT; nothing was measured"
    )
    assert caught.value.status == FAILED
    assert not list(tmp_path.iterdir())
