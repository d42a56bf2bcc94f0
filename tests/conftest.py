# SPDX-License-Identifier: Apache-2.0
"""Fixtures and settings of all tests."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:  # environments of single frameworks do without
    from syrupy.assertion import SnapshotAssertion

TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS / "python"), str(TESTS)]
# Studies are found as in a checkout, also by commands that tests start.
os.environ.setdefault("WIRECOST_SCENARIOS", str(TESTS.parent / "benchmarks"))
with suppress(ImportError):  # environments of single frameworks do without
    from wirecost.system import scenarios

    scenarios.packages()  # from here on wirecost_scenarios.NAME can be imported
pytest_plugins = ("pytester", "support.skips", "support.wheels")

# On a busy machine anything may be slow; that is no failure.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def _state_of_its_own() -> None:
    """Keys and former settings are no business of the user who runs the tests."""
    if "WIRECOST_STATE" not in os.environ:
        os.environ["WIRECOST_STATE"] = folder = tempfile.mkdtemp(prefix="wirecost-test-state-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


_state_of_its_own()


@pytest.fixture(autouse=True)
def _usual_umask() -> None:
    """Threads of eCAL set the process's mask and put it back, at times in the wrong order."""
    os.umask(0o022)


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """``assert answer == snapshot``: as the file in ``__snapshots__`` has it."""
    from support.snapshots import Answers

    return snapshot.use_extension(Answers)
