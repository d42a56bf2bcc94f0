# SPDX-License-Identifier: Apache-2.0
"""Cheats of the study of the notification in C++ and Python, in its race."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.data.messages.subject import canonical
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import plan
from wirecost.measure.serializers.languages import backend_of
from wirecost.measure.serializers.race import run_race
from wirecost.measure.serializers.selection import CodecFile, ContenderSelection
from wirecost.results.records.journal import Journal
from wirecost_scenarios.notification.messages import MESSAGES, NotificationContent
from wirecost_scenarios.notification.race import NotificationRow, Side, subject_of

CHEATS = Path(__file__).parent / "notification"
CONTENT = NotificationContent("realistic", 16, 1)
WIRE = "ros1"
ALLOCATORS = ("glibc", "glibc-tuned")

IN_CPP = {
    "leaves_bytes": "as sent has another meta_data",
    "shorter_message": "as sent is no rsb_msgs.Notification",
    "swaps_fields": "as sent has another scope",
    "never_looks": "it did not read what was sent",
    "hands_over": "while it was timed, a message as sent is no rsb_msgs.Notification",
    "keeps_bytes": "it did not read what was sent",
}
"""Who is refused before anything is timed or while it is, and why."""
IN_PYTHON = {
    "hands_over_object": "while it was timed, a message as sent is no rsb_msgs.Notification",
    "keeps_results": "while it was timed, a message as sent has another",
}


def race(lang: str, suffix: str, cheats: list[str], folder: Path) -> dict[str, str]:
    """Return the contenders that failed beside the honest one, and why, under every allocator."""
    names = ["honest", *cheats]
    files = tuple(CodecFile(CHEATS / f"{name}{suffix}", WIRE) for name in names)
    about = subject_of(lang, WIRE)
    wanted = ContenderSelection(
        frozenset(), files, allocators=ALLOCATORS, flags=("-std=c++20", "-O0")
    )
    backend = backend_of(lang, about, wanted, lambda _: None)
    assert backend.missing == {}
    rows = [(one, NotificationRow(one.library, one.mode, "")) for one in backend.contenders()]
    filled = CONTENT.messages(subject_of(lang, "protobuf").message_class)
    part = Side(about, WIRE, backend, rows).part(CONTENT, filled, list(map(canonical, filled)))
    case = Case(part.entries, Journal(folder), lambda *_: None)
    run_race([part], case, plan(2, 2, 1))
    assert {entry.contender.library for entry in part.entries} == set(names)
    failures: dict[str, str] = {}
    for entry in part.entries:
        name = entry.contender.library
        if name == "honest":
            assert entry.failure is None
            assert entry.samples > 0
            continue
        assert entry.failure is not None, entry.key
        failures.setdefault(name, entry.failure)
    return failures


@pytest.mark.parametrize(
    ("lang", "suffix", "reasons"), [("cpp", ".hpp", IN_CPP), ("python", ".py", IN_PYTHON)]
)
def test_cheats_are_refused_before_they_are_timed_or_while_they_are(
    lang: str,
    suffix: str,
    reasons: dict[str, str],
    tmp_path: Path,
) -> None:
    failures = race(lang, suffix, list(reasons), tmp_path)
    for name, reason in reasons.items():
        assert reason in failures[name], name


def test_the_cheat_keeps_as_many_results_as_there_are_messages() -> None:
    text = (Path(__file__).parent / "notification" / "keeps_results.py").read_text()
    assert f"MESSAGES = {MESSAGES}\n" in text
