# SPDX-License-Identifier: Apache-2.0
"""A message between two processes of their own, and what is said where none comes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support import needs
from support.messaging_fakes import MISSING, FakeTransport, fake_transports
from support.transport_peer import runtime_folder
from wirecost.messaging.api import transport_trial as trial
from wirecost.messaging.api.transport_trial import tried
from wirecost.messaging.transport.shared.server_process import NoServerError


@pytest.fixture(autouse=True)
def folder() -> Iterator[Path]:
    with runtime_folder() as folder:
        yield folder


def test_a_message_arrives() -> None:
    needs.transport("zeromq")
    outcome = tried("zeromq")
    assert (outcome.failed, outcome.missing) == (None, None)
    assert outcome.ms is not None
    assert outcome.ms > 0


def test_the_transports_own_error_is_reported(folder: Path) -> None:
    needs.transport("zeromq")
    (folder / "wirecost").write_text("no folder")
    outcome = tried("zeromq")
    assert (outcome.ms, outcome.missing) == (None, None)
    assert "set XDG_RUNTIME_DIR" in (outcome.failed or "")


def test_a_process_that_ends_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.transport("zeromq")
    monkeypatch.setattr(trial, "ENDS", "wirecost.messaging.api.nothing")
    failed = tried("zeromq").failed or ""
    assert re.fullmatch(
        r"its (listener|sender).*: .*wirecost\.messaging\.api\.nothing",
        failed,
    )


def test_nothing_within_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.transport("zeromq")
    monkeypatch.setattr(trial, "PATIENCE_S", 0.0)
    assert (tried("zeromq").failed or "").startswith("no message")


def test_what_is_missing_has_not_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def no_server() -> Iterator[str | None]:
        raise NoServerError("fake: no server: apt install fake")
        yield None

    with fake_transports(monkeypatch):
        MISSING["fake"] = "not installed: pip install fake"
        assert (tried("fake").missing or "").endswith("pip install fake")
        MISSING.clear()
        monkeypatch.setattr(FakeTransport, "server", no_server)
        assert (tried("fake").missing or "").endswith("apt install fake")
