# SPDX-License-Identifier: Apache-2.0
"""The study notification: the ticket's sizes to the byte, equal work, whole documents."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

REPETITIONS = ("--repetitions", "2", "--processes", "1")
SIZES = (4, 128)
TICKET_BYTES = {
    "protobuf": (55, 933),
    "wirecost-protobuf": (55, 933),
    "wirecost-ros1": (104, 972),
    "gencpp": (104, 972),
    "wirecost-cdr": (137, 1001),
    "fast-cdr": (137, 1001),
}
MODES = {
    "protobuf": {"new", "reused", "arena"},
    "wirecost-protobuf": {"new", "recycled", "reused", "view", "facade"},
    "wirecost-ros1": {"new", "recycled", "reused", "view"},
    "wirecost-cdr": {"new", "recycled", "reused", "view"},
    "hand-written": {"new", "recycled", "reused"},
    "memcpy": {"reused"},
    "gencpp": {"new", "reused"},
    "fast-cdr": {"new", "reused"},
}


@pytest.fixture(scope="module")
def ticket(measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return measure(
        "notification", *REPETITIONS, "--lang", "cpp", "--content", "ticket", "--sizes", "4,128",
        "--modes", "new,view",
    )  # fmt: skip


@pytest.fixture(scope="module")
def document(measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    options = ("--lang", "cpp,python", "--sizes", "128", "--content", "ticket")
    return measure("notification", *REPETITIONS, *options)


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


def allocations(document: dict[str, Any]) -> dict[tuple[str, str, str], float]:
    rows = totals(document, "cpp")
    return {(r["contender"], r["mode"], r["case"]): r["allocations"] for r in rows}


def test_only_new_objects_without_a_free_list_allocate(document: dict[str, Any]) -> None:
    found = allocations(document)
    for (contender, mode, case), count in found.items():
        if contender.startswith(("wirecost", "hand-written")):
            assert (count == 0) == (mode not in {"new", "facade"}), (contender, mode, case)
    # Seven strings and a list, at the sender and at the receiver.
    case = "ticket, size factor 128"
    for contender in ("wirecost-ros1", "hand-written", "gencpp", "wirecost-cdr", "fast-cdr"):
        assert found[contender, "new", case] == 16
    assert found["protobuf", "new", case] > 16


@pytest.fixture(scope="module")
def under_allocators(measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    options = ("--lang", "cpp", "--sizes", "32", "--content", "ticket", "--modes", "new")
    found = measure("notification", *REPETITIONS, *options, "--allocators", "glibc,wirecost")
    found["meta"] = json.loads((found["folder"] / "meta.json").read_text())
    return found


def test_every_contender_proves_its_allocator(under_allocators: dict[str, Any]) -> None:
    assert under_allocators["failures"] == []
    files = {"glibc": "libc.so", "wirecost": "libwirecost-heap.so"}
    seen = set()
    for run in under_allocators["meta"]["runs"]:
        mode, allocator = run["mode"].split(" ")
        assert Path(run["malloc"]).name.startswith(files[allocator])
        seen.add((run["contender"], mode, allocator))
    has_new = [name for name, modes in MODES.items() if "new" in modes]
    assert seen == {(name, "new", allocator) for name in has_new for allocator in files}
    assert set(under_allocators["meta"]["allocators"]) == set(files)


def test_allocations_are_counted_beside_each_allocator(under_allocators: dict[str, Any]) -> None:
    found = allocations(under_allocators)
    assert all(count is not None for count in found.values())
    assert found["gencpp", "new wirecost", "ticket, size factor 32"] == 16


def test_ratios_and_tables_span_the_allocators(
    under_allocators: dict[str, Any], wirecost: Run
) -> None:
    rows = totals(under_allocators, "cpp")
    assert {row["ratio"]["to"] for row in rows} == {"protobuf new glibc"}
    done = wirecost("report", under_allocators["folder"], "--format", "md,csv,svg")
    assert done.returncode == 0, done.stderr
    text = (under_allocators["folder"] / "report.md").read_text()
    assert "gencpp new wirecost" in text and "allocations (malloc" in text
    assert "Here under glibc." in text
    _, table = text.split("### C++ · ticket, size factor 32 · by allocator")
    assert "glibc | wirecost" in table
    assert table.partition("###")[0].count("\n| ") == 1 + len(
        {row["contender"] + mode for row in rows for mode in row["mode"].split(" ")[:1]}
    )


def test_samples_have_all_stages(document: dict[str, Any]) -> None:
    stages: dict[tuple[str, ...], set[str]] = {}
    for row in document["rows"]:
        key = (row["lang"], row["contender"], row["mode"], row["case"])
        stages.setdefault(key, set()).add(row["stage"])
    for key, found in stages.items():
        assert found == {"fill", "encode", "decode", "read", "destroy", "total"}, key


def test_report_shows_the_tickets_table(ticket: dict[str, Any], wirecost: Run) -> None:
    done = wirecost("report", ticket["folder"], "--format", "md,csv,svg")
    assert done.returncode == 0, done.stderr
    text = (ticket["folder"] / "report.md").read_text()
    assert "The ticket's table" in text
    _, table = text.split("The ticket's table and this machine")
    assert "1953 ns" in table
    (view,) = [line for line in text.splitlines() if line.startswith("| cpp wirecost-ros1 view")]
    assert "borrowing" in view
