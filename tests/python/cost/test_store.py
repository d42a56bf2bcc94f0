# SPDX-License-Identifier: Apache-2.0
"""Costs of many recordings in a store, by vehicle and week, and two weeks compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

from cost.drives import mcap
from wirecost.cli import app
from wirecost.cli.cost_store import vehicles_of
from wirecost.results.records.stored_costs import week_of
from wirecost.system.errors import UserError
from wirecost.system.table_set import written_alone

MONDAY = 1_782_691_200 * 10**9
"""2026-06-29, the first day of week 27."""
WEEK = 7 * 86_400 * 10**9
CHANNELS = [
    ("/slow", "cdr", "a/msg/B", "ros2msg", b"uint8[] x\n"),
    ("/grows", "cdr", "a/msg/B", "ros2msg", b"uint8[] x\n"),
]


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [*map(str, words)])


def drive(path: Path, begin_ns: int, hz: int, size: int) -> Path:
    """Write ten seconds of two topics."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = [(number, begin_ns + n * 10**9 // rate,
             b"\0\1\0\0" + count.to_bytes(4, "little") + bytes(count))
            for number, (rate, count) in enumerate([(10, 1000), (hz, size)])
            for n in range(10 * rate)]  # fmt: skip
    mcap(path, CHANNELS, sorted(data, key=lambda message: message[1]))
    return path


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Two vehicles in two weeks; one topic of the second grows in rate and size."""
    for vehicle in ("a", "b"):
        for week, (hz, size) in enumerate([(20, 1000), (40 if vehicle == "b" else 20, 2000)]):
            for day in range(2):
                path = tmp_path / "drives" / vehicle / f"{week}-{day}.mcap"
                drive(
                    path,
                    MONDAY + week * WEEK + day * 86_400 * 10**9,
                    hz,
                    size if vehicle == "b" else 1000,
                )
    return tmp_path / "drives"


def test_two_weeks_of_a_fleet(fleet: Path, tmp_path: Path) -> None:
    store = tmp_path / "costs"
    done = run("cost", fleet, "--store", store)
    assert done.exit_code == 0, done.exception
    assert "8 recordings of 2 vehicles in 2 weeks" in " ".join(done.stdout.split())
    assert len(done.stdout.splitlines()) <= 24
    assert "--baseline 2026-W27 --against 2026-W28" in " ".join(done.stdout.split())
    words = ("compare", store, "--baseline", "2026-W27", "--against", "2026-W28")
    compared = run(*words, "--json", "-")
    [change] = json.loads(compared.stdout)["changes"]
    assert (change["vehicle"], change["after"]["topic"]) == ("b", "/grows")
    assert change["grown"][:2] == ["rate", "size"]
    assert change["before"]["rate_hz"] == pytest.approx(20, rel=0.01)
    assert change["after"]["rate_hz"] == pytest.approx(40, rel=0.01)
    assert change["after"]["count"] == 800
    screen = run(*words)
    assert "b" in screen.stdout and "rate, size" in screen.stdout
    assert len(screen.stdout.splitlines()) <= 24
    grown = run(*words, "--fail-above", "5%")
    assert grown.exit_code == 3
    none = run("compare", store, "--baseline", "2026-W27", "--against", "2026-W40")
    assert "has no recording of it; there are 2026-W27, 2026-W28" in str(none.exception)
    rows = duckdb.sql(
        f"select vehicle, week, sum(count) from '{store}/*.parquet' where topic = '/slow' "
        "group by all order by all"
    ).fetchall()
    assert rows == [(v, f"2026-W{week}", 200) for v in "ab" for week in (27, 28)]


def test_only_new_and_changed_recordings_are_read_again(fleet: Path, tmp_path: Path) -> None:
    store = tmp_path / "costs"
    assert run("cost", fleet / "a", "--store", store).exit_code == 0
    more = run("cost", fleet, "--store", store, "--workers", 2)
    assert "8 recordings of 2 vehicles" in " ".join(more.stdout.split())
    assert "4 of them were there" in " ".join(more.stdout.split())
    changed = drive(fleet / "a" / "0-0.mcap", MONDAY + WEEK, 20, 1000)
    again = run("cost", changed, "--store", store, "--json", "-")
    counts = {(w["vehicle"], w["week"]): w["recordings"] for w in json.loads(again.stdout)["weeks"]}
    assert counts == {("a", "2026-W27"): 1, ("a", "2026-W28"): 3,
                      ("b", "2026-W27"): 2, ("b", "2026-W28"): 2}  # fmt: skip


def test_deleted_recordings_count_and_are_said(fleet: Path, tmp_path: Path) -> None:
    store, gone = tmp_path / "costs", fleet / "b" / "1-1.mcap"
    assert run("cost", fleet, "--store", store).exit_code == 0
    gone.unlink()
    again = run("cost", fleet, "--store", store, "--json", "-")
    [note] = json.loads(again.stdout)["notes"]
    begin, _, end = note.partition(f"{gone} is gone and still counts; remove ")
    file = Path(end.removesuffix(" to leave it out"))
    assert begin == "" and file.parent == store
    assert "8 recordings of" in " ".join(run("cost", fleet, "--store", store).stdout.split())
    file.unlink()
    left = run("cost", fleet, "--store", store)
    assert "7 recordings of" in " ".join(left.stdout.split()) and "is gone" not in left.stdout


def test_recordings_of_one_name_in_two_folders_are_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for week in (0, 1):
        folder = tmp_path / str(week)
        drive(folder / "a" / "drive.mcap", MONDAY + week * WEEK, 20, 1000)
        monkeypatch.chdir(folder)
        done = run("cost", ".", "--store", tmp_path / "costs", "--json", "-")
    counts = {week["week"]: week["recordings"] for week in json.loads(done.stdout)["weeks"]}
    assert counts == {"2026-W27": 1, "2026-W28": 1}


def test_a_store_of_something_else_stays_as_it_is(fleet: Path, tmp_path: Path) -> None:
    table = tmp_path / "columns" / "a_0-0.parquet"
    read = run("columns", "read", fleet, "--topic", "/slow", "--out", table.parent)
    assert read.exit_code == 0
    before = table.read_bytes()
    refused = str(run("cost", fleet, "--store", table.parent).exception)
    assert refused.startswith(f"{table}: is damaged, or no cost of this version")
    assert table.read_bytes() == before


def test_a_file_of_another_version_is_not_left_out(fleet: Path, tmp_path: Path) -> None:
    store = tmp_path / "costs"
    assert run("cost", fleet, "--store", store).exit_code == 0
    newer = store / "a_0-0.parquet"
    origin = pl.read_parquet_metadata(newer)["wirecost"].replace("-cost 1", "-cost 2")
    pl.read_parquet(newer).write_parquet(newer, metadata={"wirecost": origin})
    compared = run("compare", store, "--baseline", "2026-W27", "--against", "2026-W28")
    assert str(compared.exception).startswith(f"{newer}: ")


def test_of_two_runs_into_one_store_the_second_is_refused(fleet: Path, tmp_path: Path) -> None:
    store = tmp_path / "costs"
    store.mkdir()
    with written_alone(store):
        for words in (("cost", fleet, "--store"),
                      ("columns", "read", fleet, "--topic", "/slow", "--out")):  # fmt: skip
            refused = str(run(*words, store).exception)
            assert refused == f"{store}: another run writes there; wait until it has ended"
    assert run("cost", fleet, "--store", store).exit_code == 0


def test_recordings_that_cannot_be_read_are_said(fleet: Path, tmp_path: Path) -> None:
    broken = fleet / "a" / "broken.mcap"
    broken.write_bytes(b"no recording")
    done = run("cost", fleet, "--store", tmp_path / "costs")
    assert done.exit_code == 0
    assert "left out:" in done.stdout and "not an MCAP file" in done.stdout
    alone = run("cost", broken, "--store", tmp_path / "other")
    assert str(alone.exception).startswith(str(broken))
    assert not (tmp_path / "other").exists()


def test_the_vehicle_is_the_first_folder_or_what_a_rule_finds(tmp_path: Path) -> None:
    root = tmp_path / "all"
    a, b = root / "a" / "monday" / "1.mcap", root / "b" / "1.mcap"
    assert list(vehicles_of([root], [a, b], "").values()) == ["a", "b"]
    assert list(vehicles_of([a, b], [a, b], "").values()) == ["a", "b"]
    assert list(vehicles_of([b], [b], "").values()) == ["b"]
    assert list(vehicles_of([a, b], [a, b], r"(\w+)day|b/(\d)").values()) == ["mon", "1"]
    refused = run("cost", root, "--store", tmp_path / "costs", "--vehicle", "(")
    assert "--vehicle (: " in str(refused.exception)
    with pytest.raises(UserError, match="z\\*: is not in"):
        vehicles_of([a], [a], "z*")


def test_weeks_are_those_of_the_calendar() -> None:
    assert week_of(MONDAY) == "2026-W27" and week_of(MONDAY - 1) == "2026-W26"
    assert week_of(0) == "1970-W01" and week_of(2**64) == "2554-W29"
    assert week_of(1 << 80) == "no date"


def test_other_prices_are_said(fleet: Path, tmp_path: Path) -> None:
    store = tmp_path / "costs"
    first, second = ([fleet / v / f"{week}-0.mcap" for v in "ab"] for week in (0, 1))
    assert run("cost", *first, "--store", store).exit_code == 0
    assert run("cost", *second, "--store", store, "--lang", "python").exit_code == 0
    compared = run("compare", store, "--baseline", "2026-W27", "--against", "2026-W28")
    assert "by different prices" in " ".join(compared.stdout.split())


@pytest.mark.parametrize("words", [["--vehicle", "a"], ["--store", "s", "--what-if"]])
def test_options_that_do_not_fit_are_refused(tmp_path: Path, words: list[str]) -> None:
    done = run("cost", tmp_path, *words)
    assert "--store" in str(done.exception)


def test_a_time_that_nobody_knows_is_not_none(tmp_path: Path) -> None:
    (tmp_path / "car").mkdir()
    for week in range(2):
        data = [(0, MONDAY + week * WEEK + n * 10**8, b'{"speed": 1.5}') for n in range(100)]
        mcap(tmp_path / "car" / f"{week}.mcap", [("/state", "json", "State", "", b"")], data)
    store = tmp_path / "costs"
    done = run("cost", tmp_path / "car", "--store", store, "--json", "-")
    assert [week["share"] for week in json.loads(done.stdout)["weeks"]] == [None, None]
    first, second = (f"2026-W{week}" for week in (27, 28))
    compared = run("compare", store, "--baseline", first, "--against", second)
    assert compared.exit_code == 0 and "of a core:" not in compared.stdout
