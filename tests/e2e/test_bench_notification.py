# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench notification``: the ticket's sizes to the byte, equal work, whole documents."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

REPETITIONS = ("--repetitions", "2")
SIZES = (4, 8, 16, 32, 64, 128)
TICKET_BYTES = {
    "protobuf": (55, 83, 139, 251, 477, 933),
    "wirecost-protobuf": (55, 83, 139, 251, 477, 933),
    "wirecost-ros1": (104, 132, 188, 300, 524, 972),
    "gencpp": (104, 132, 188, 300, 524, 972),
    "wirecost-cdr": (137, 161, 217, 329, 553, 1001),
    "fast-cdr": (137, 161, 217, 329, 553, 1001),
}
MODES = {
    "protobuf": {"new", "reused", "arena"},
    "wirecost-protobuf": {"new", "reused", "view", "facade"},
    "wirecost-ros1": {"new", "reused", "view"},
    "wirecost-cdr": {"new", "reused", "view"},
    "hand-written": {"new", "reused"},
    "memcpy": {"reused"},
    "gencpp": {"new", "reused"},
    "fast-cdr": {"new", "reused"},
}


@pytest.fixture(scope="module")
def ticket(measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return measure("notification", *REPETITIONS, "--lang", "cpp", "--content", "ticket")


@pytest.fixture(scope="module")
def document(measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return measure("notification", *REPETITIONS, "--lang", "cpp,python", "--sizes", "16,128")


def totals(document: dict[str, Any], lang: str) -> list[dict[str, Any]]:
    return [r for r in document["rows"] if r["stage"] == "total" and r["lang"] == lang]


def test_every_message_of_the_ticket_has_its_size(ticket: dict[str, Any]) -> None:
    found = {(r["contender"], r["case"]): r["bytes"] for r in totals(ticket, "cpp")}
    for contender, sizes in TICKET_BYTES.items():
        for factor, size in zip(SIZES, sizes, strict=True):
            assert found[contender, f"ticket, size factor {factor}"] == size


def test_every_contender_and_mode_ran_and_carried_the_same(document: dict[str, Any]) -> None:
    assert document["failures"] == []
    modes: dict[str, set[str]] = {}
    digests: dict[str, set[str]] = {}
    for row in document["rows"]:
        if row["lang"] == "cpp":
            modes.setdefault(row["contender"], set()).add(row["mode"])
        digests.setdefault(f"{row['lang']} {row['case']}", set()).add(row["digest"])
    assert modes == MODES
    assert all(len(found) == 1 for found in digests.values())


def test_reused_objects_allocate_nothing(document: dict[str, Any]) -> None:
    allocations = {
        (r["contender"], r["mode"], r["case"]): r["allocations"] for r in totals(document, "cpp")
    }
    for (contender, mode, case), count in allocations.items():
        if contender.startswith("wirecost") and mode in ("reused", "view"):
            assert count == 0, (contender, mode, case)
    assert allocations["protobuf", "new", "ticket, size factor 128"] > 0


def test_samples_have_all_stages(document: dict[str, Any]) -> None:
    stages: dict[tuple[str, ...], set[str]] = {}
    for row in document["rows"]:
        key = (row["lang"], row["contender"], row["mode"], row["case"])
        stages.setdefault(key, set()).add(row["stage"])
    python = {"fill", "encode", "decode", "read", "destroy", "total"}
    for key, found in stages.items():
        assert found == (python if key[0] == "python" else python | {"size", "move"}), key


def test_report_shows_the_tickets_table(ticket: dict[str, Any], wirecost: Run) -> None:
    done = wirecost("report", ticket["folder"], "--format", "md,csv,svg")
    assert done.returncode == 0, done.stderr
    text = (ticket["folder"] / "report.md").read_text()
    assert "The ticket's table and this machine" in text
    assert "55 / 1953 ns" in text
    (view,) = [line for line in text.splitlines() if line.startswith("| cpp wirecost-ros1 view")]
    assert "borrowing" in view
