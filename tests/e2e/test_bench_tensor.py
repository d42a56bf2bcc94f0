# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench tensor`` as a user drives it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
MWARES = "memcpy,in-process,shm,shm-in-place,raw-zeromq,zeromq"
COLUMNS = {
    "case", "contender", "variant", "build", "mode", "plugin", "mware", "dtype", "shape", "pattern",
    "device", "stage", "repetition", "round", "ns", "bytes",
}  # fmt: skip


def test_numpy_over_zeromq_beside_floors(wirecost: Run, tmp_path: Path) -> None:
    out = tmp_path / "tensor"
    done = wirecost(
        "bench", "tensor", "--plugins", "numpy,cupy", "--shape", "200x200,3x4x5", "--trials", "5",
        "--mwares", MWARES, "--content", "random",
        "--out", out, "--json", "-",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert reported["failures"] == []
    assert "cupy" in reported["not_run"]
    totals = {
        (row["shape"], row["mware"]): row for row in reported["rows"] if row["stage"] == "total"
    }
    assert len(totals) == 12
    for (shape, mware), row in totals.items():
        assert (row["n"], row["lost"]) == (5, 0), (shape, mware)
        assert row["bytes"] >= (320_000 if shape == "200x200" else 480)
        assert row["median_ns"] > 0
    ours = totals["200x200", "zeromq"]
    assert (ours["plugin"], ours["dtype"], ours["pattern"]) == ("numpy", "float64", "pubsub")
    assert ours["ratio"]["to"] == "shm"
    assert ours["ratio_floor"]["to"] == "raw-zeromq"
    assert ours["rate"] > 50
    inside = totals["200x200", "in-process"]
    assert inside["case"] == "200x200 float64, in process"
    assert inside["ratio_floor"]["to"] == "memcpy"
    assert inside["rate"] is None
    samples = pl.read_parquet(out / "samples.parquet")
    assert set(samples.columns) == COLUMNS
    steps = samples.filter(contender="zeromq", shape="3x4x5")
    assert set(steps["stage"]) == {
        "lateness", "construct", "encode", "publish", "transit", "decode", "access", "total",
    }  # fmt: skip
    wide = steps.pivot("stage", index="repetition", values="ns")
    assert (wide["encode"] + wide["transit"] + wide["decode"] == wide["total"]).all()
    assert "Tensors over middlewares" in (out / "report.html").read_text()
    compared = wirecost("compare", out, out)
    assert compared.returncode == 0, compared.stderr


def test_requests_are_answered_with_the_same_object(wirecost: Run, tmp_path: Path) -> None:
    done = wirecost(
        "bench", "tensor", "--plugins", "numpy", "--mwares", "zeromq,shm", "--trials", "5",
        "--pattern", "reqrep", "--out", tmp_path / "out", "--json", "-",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert reported["not_run"]["shm"] == "has no requests"
    rows = {row["stage"]: row for row in reported["rows"]}
    assert rows["total"]["n"] == 5
    assert rows["total"]["median_ns"] > rows["reply"]["median_ns"] > 0


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (("--shape", "200by200"), "--shape 200by200: give extents"),
        (("--dtype", "complicated"), "--dtype complicated"),
        (("--mwares", "zeromk"), "--mwares zeromk: there are"),
        (("--rate", "0"), "--rate 0"),
        (("--plugins", "cupy", "--mwares", "zeromq"), "nothing can be measured: cupy"),
        (("--plugins", "numpy", "--mwares", "shm"), "nothing can be measured: floors carry no"),
    ],
)
def test_errors_are_one_line(wirecost: Run, options: tuple[str, ...], reported: str) -> None:
    done = wirecost("bench", "tensor", *options)
    assert done.returncode == 2
    assert done.stderr.startswith(f"wirecost: {reported}")
    assert len(done.stderr.splitlines()) == 1
