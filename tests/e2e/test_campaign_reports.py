# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign show``, ``report`` and ``import``, and ``compare`` on a store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from analysis.test_campaign import filled, run
from wirecost.results.store.store import Store

HOSTILE = "<script>alert(1)</script>\u202e'\"" + "n" * 4000


def wirecost(*arguments: str | Path, columns: int = 120) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wirecost", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": str(columns)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two machines that disagree, and one contender that became slower with v3."""
    folder = tmp_path_factory.mktemp("reports") / "store"
    made = filled(folder)
    for number in range(16):
        slow = 1.4 if number >= 8 else 1.0
        revision = "v3" if number >= 8 else "v2"
        run(made, number, "x86", {"a": 1000 * slow, "b": 2000}, revision)
        run(made, number, "arm", {"a": 4000 * slow, "b": 3000}, revision)
    return folder


@pytest.mark.parametrize("columns", [80, 120])
def test_a_store_is_shown(store: Path, columns: int, snapshot: SnapshotAssertion) -> None:
    done = wirecost("campaign", "show", store, "--baseline", "b", columns=columns)
    assert done.returncode == 0, done.stderr
    assert done.stdout == snapshot
    # Commands stay in one piece, so that they can be copied.
    lines = [line for line in done.stdout.splitlines() if "wirecost " not in line]
    assert max(map(len, lines)) <= columns


def test_a_store_as_json(store: Path) -> None:
    done = wirecost("campaign", "show", store, "--revision", "v2", "--json", "-")
    found = json.loads(done.stdout)
    (flip,) = found["does_not_transfer"]
    assert {flip["quicker_on"], flip["slower_on"]} == {"x86", "arm"}
    changes = {(one["machine"], one["contender"]): one for one in found["changes"]}
    assert set(changes) == {("x86", "a"), ("arm", "a")}
    assert all(one["revision"] == "v3" for one in changes.values())
    assert all(one["ci95"][0] < 1.4 < one["ci95"][1] for one in changes.values())
    refused = wirecost("campaign", "show", store, "--revision", "v9")
    assert refused.returncode == 2 and "are v2, v3" in refused.stderr


def test_a_page(store: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = wirecost("campaign", "show", store, "--report", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "does not transfer" in text and "Changes over time" in text
    full = wirecost("campaign", "show", store, "--report", "/dev/full")
    assert full.returncode != 0 and full.stderr.count("\n") == 1 and "Traceback" not in full.stderr


def test_names_of_others_are_text(tmp_path: Path) -> None:
    made = filled(tmp_path / "store")
    for number in range(9):
        for host in (HOSTILE[:200], "other"):
            run(made, number, host, {HOSTILE: 1000, "b": 900}, HOSTILE)
    page = tmp_path / "page.html"
    done = wirecost("campaign", "show", tmp_path / "store", "--report", page)
    assert done.returncode == 0, done.stderr
    assert "<script>alert" not in page.read_text()
    assert "\u202e" not in wirecost("campaign", "show", tmp_path / "store").stdout


def test_revisions_are_compared_machine_by_machine(store: Path) -> None:
    words = ("--baseline", "v2", "--against", "v3")
    done = wirecost("compare", store, *words, "--json", "-", "--fail-above", "10%")
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)["comparisons"]
    assert {one["machine"] for one in found} == {"arm", "x86"}
    for one in found:
        verdicts = {row["contender"]: row["verdict"] for row in one["rows"]
                    if row["percentile"] == "p50"}  # fmt: skip
        assert verdicts == {"a": "slower", "b": "no difference"}
    done = wirecost("compare", store, "--baseline", "v2", "--against", "v9")
    assert done.returncode == 2 and "are v2, v3" in done.stderr
    done = wirecost("compare", store)
    assert done.returncode == 2 and "--baseline and --against" in done.stderr


def test_old_folders_are_imported_once(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    folders = []
    for number in range(2):
        folders.append(tmp_path / f"run{number}")
        done = wirecost(
            "bench", "tensor", "--plugins", "numpy", "--middlewares", "in-process,memcpy",
            "--processes", "1", "--trials", "2", "--out", folders[-1],
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    copy = shutil.copytree(folders[0], tmp_path / "copy")
    broken = tmp_path / "broken"
    broken.mkdir()
    words = ("campaign", "import", tmp_path / "store", *folders, copy, broken)
    done = wirecost(*words, "--machine", "lab", "--revision", "old", "--campaign", "before",
                    "--json", "-")  # fmt: skip
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert (found["imported"], found["there"], len(found["failed"])) == (2, 1, 1)
    assert str(broken) in found["failed"][0]
    again = wirecost(*words, "--machine", "lab", "--campaign", "before")
    assert "0 imported, 3" in " ".join(again.stdout.split())
    records = Store(tmp_path / "store").records()
    assert records.select("host", "revision", "repetition").sort("repetition").rows() == [
        ("lab", "old", 0), ("lab", "old", 1),
    ]  # fmt: skip
    assert set(records["arguments"].list.join(" ")) == snapshot
    status = wirecost("campaign", "status", tmp_path / "store")
    assert "2 were imported" in status.stdout
    shown = wirecost("campaign", "show", tmp_path / "store")
    assert shown.returncode == 0 and "in-process" in shown.stdout, shown.stderr
