# SPDX-License-Identifier: Apache-2.0
"""The point cloud benchmark's inputs, and how it judges versions' answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.codecs.synthetic import SENSORS, synthetic
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.system.errors import UserError
from wirecost_scenarios.cloud import areas, scans
from wirecost_scenarios.cloud import content as cloud
from wirecost_scenarios.cloud.content import growths
from wirecost_scenarios.cloud.schema import CloudMeta, CloudRun
from wirecost_scenarios.cloud.turns import difference


def write_pcd(path: Path, columns: dict[str, np.ndarray]) -> Path:
    count = len(next(iter(columns.values())))
    names = " ".join(columns)
    ones = " ".join("1" for _ in columns)
    header = (
        f"VERSION 0.7\nFIELDS {names}\nSIZE {' '.join('4' for _ in columns)}\n"
        f"TYPE {' '.join('F' for _ in columns)}\nCOUNT {ones}\nWIDTH {count}\nHEIGHT 1\n"
        f"POINTS {count}\nDATA binary\n"
    )
    values = np.column_stack(list(columns.values())).astype("<f4")
    path.write_bytes(header.encode() + values.tobytes())
    return path


@pytest.mark.parametrize("sensor", SENSORS)
def test_made_up_scans_have_a_sensors_size(sensor: str) -> None:
    channels, count = SENSORS[sensor]
    points = synthetic(sensor, 1).points
    assert len(points) == count
    assert points.dtype.itemsize == 32
    assert np.unique(points["channel"]).tolist() == list(range(channels))
    for channel in (0, channels - 1):
        ring = points["azimuth"][points["channel"] == channel]
        assert (np.diff(ring) > 0).all()
    assert not np.array_equal(points, synthetic(sensor, 2).points)


def test_a_scan_of_coordinates_alone_gets_its_rings(tmp_path: Path) -> None:
    points = synthetic("vlp16", 3).points
    path = write_pcd(tmp_path / "s.pcd", {name: points[name] for name in "xyz"})
    read = scans.read(path).points
    assert np.array_equal(read["channel"], points["channel"])
    for name in ("distance", "azimuth", "elevation"):
        assert np.allclose(read[name], points[name], rtol=1e-4, atol=1e-4), name


def test_scans_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no field z"):
        scans.read(write_pcd(tmp_path / "a.pcd", {"x": np.zeros(3), "y": np.zeros(3)}))
    random = np.random.default_rng(1)
    cloud = {name: random.normal(0, 10, 5000) for name in "xyz"}
    with pytest.raises(UserError, match="more than 128 elevations"):
        scans.read(write_pcd(tmp_path / "b.pcd", cloud))


def test_real_scans_are_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.delenv("WIRECOST_DATA", raising=False)
    real, why = scans.real()
    assert real == []
    assert why == snapshot
    (tmp_path / "lidar" / "vlp32").mkdir(parents=True)
    points = synthetic("vlp32", 1).points
    write_pcd(tmp_path / "lidar" / "vlp32" / "s.pcd", {name: points[name] for name in "xyz"})
    monkeypatch.setenv("WIRECOST_DATA", str(tmp_path))
    real, why = scans.real()
    assert [(scan.name, len(scan.points)) for scan in real] == [("vlp32/s", 26_216)]
    assert why.keys() == {"real vlp16 scan"}


def test_messages_that_come_in_turns_lack_more_and_more() -> None:
    whole = synthetic("vlp16", 1).points
    turns = scans.in_turns(whole, 1)
    sizes = [len(points) for points in turns]
    assert sizes[0] == len(whole)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.75 * len(whole)


def test_the_older_format_holds_the_same() -> None:
    points = synthetic("vlp16", 1).points
    older = scans.older(points)
    assert older.dtype.itemsize == 40
    assert np.array_equal(older["ring"], points["channel"])
    assert np.array_equal(older["intensity"], points["intensity"].astype(np.float32))


def inside(scene: areas.Scene) -> int:
    """Points in any area, by counting crossings."""
    x, y = scene.points["x"].astype(np.float64), scene.points["y"].astype(np.float64)
    within = np.zeros(len(x), bool)
    for area in scene.areas:
        odd = np.zeros(len(x), bool)
        for (ax, ay), (bx, by) in zip(area, np.roll(area, -1, axis=0), strict=True):
            crossed = (ay > y) != (by > y)
            odd ^= crossed & (x < ax + (y - ay) / (by - ay + (by == ay)) * (bx - ax))
        within |= odd
    return int(within.sum())


@settings(max_examples=20, deadline=None)
@given(
    st.integers(1, 2000), st.sampled_from([3, 8, 64]), st.floats(0, 1), st.integers(0, 2**63 - 1)
)
def test_scenes_have_the_share_inside(points: int, vertices: int, share: float, seed: int) -> None:
    scene = areas.scene(points, vertices, share, seed)
    assert len(scene.points) == points
    assert [area.shape for area in scene.areas] == [(vertices, 2)] * areas.AREAS
    if vertices >= 8:
        assert inside(scene) == round(points * share)
    packed = scene.packed_areas()
    assert len(packed) == areas.AREAS * (8 + 16 * vertices)


def test_versions_that_say_something_else_are_named(snapshot: SnapshotAssertion) -> None:
    right = [b"abcd", b"efgh"]
    assert difference(right * 2, right, "usual") is None
    assert {
        "other byte": difference([b"abcd", b"efgh", b"abcd", b"efxh"], right, "usual"),
        "other length": difference([b"abc"], right, "usual"),
    } == snapshot


def area(case: str, points: int) -> CloudRun:
    return CloudRun(
        case=case, variant="area, all", build="release", contender="usual", failure=None,
        mode="plain", message_bytes=0, message_digest="", study="area", points=points, vertices=8,
        inside=0.1, ask="all", heap=False, counters={},
    )  # fmt: skip


def meta_of(*runs: CloudRun) -> CloudMeta:
    return CloudMeta(
        schema=2, scenario="cloud", created="", command=[], interrupted=False, samples=9,
        environment={"compiler": "c", "flags": "f"}, seconds=1.0, format="", rules="", seed=1,
        contenders={}, runs=runs,
    )  # fmt: skip


def row(case: str, contender: str, ns: float) -> Row:
    return Row(
        case, contender, "area, all", "release", None, "total", 9, 1, ns, ns, ns, ns, (ns, ns), 0,
        "", None, None, None, "", "plain", area(case, 1), ns, ns,
    )  # fmt: skip


def test_growth_is_the_power_of_the_size() -> None:
    sizes = (10, 100, 1000)
    rows = [row(f"{n}", "usual", 3.0 * n * n) for n in sizes]
    rows += [row(f"{n}", "wirecost", 7.0 * n) for n in sizes]
    meta = meta_of(*(area(f"{n}", n) for n in sizes))
    by_version = {(growth.version, growth.over): growth for growth in growths(rows, meta)}
    assert set(by_version) == {("usual", "points"), ("wirecost", "points")}
    assert by_version["usual", "points"].order == pytest.approx(2)
    assert by_version["wirecost", "points"].order == pytest.approx(1)
    assert by_version["wirecost", "points"].sizes == list(sizes)


def test_a_case_of_one_size_has_no_growth() -> None:
    assert growths([row("a", "usual", 1.0)], meta_of(area("a", 5))) == []


def test_the_report_says_in_how_many_scans_the_usual_version_follows_faults(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    random = np.random.default_rng(1)
    parts = []
    for scan, price in (("one", 700), ("other", 900), ("none", 0)):
        for mode in ("plain", "heap"):
            faults = random.poisson(200, 60) if mode == "plain" else np.zeros(60, np.int64)
            times = 1e5 + price * faults + random.normal(0, 100, 60)
            columns = {"ns": times, "value": np.zeros(60, np.int64), "counter:minor-faults": faults}
            named = {"study": "ring", "contender": "usual", "mode": mode, "case": f"ring, {scan}"}
            literals = {name: pl.lit(text) for name, text in named.items()}
            parts.append(pl.DataFrame(columns).with_columns(**literals))
    content = cloud.content(Results(tmp_path, meta_of(), pl.concat(parts)), [])
    assert {"lead": content.lead, "tables": (table.title for table in content.tables)} == snapshot
    reported = [row[1] for row in content.tables[0].rows if row[0] == "usual plain"]
    assert reported == ["minor-faults", "unexplained"]
    assert [bool(table.notes) for table in content.tables] == [False, False, True]
