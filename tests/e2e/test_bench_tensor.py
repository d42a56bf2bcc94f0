# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench tensor`` as a user drives it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl

Run = Callable[..., "subprocess.CompletedProcess[str]"]
MWARES = "memcpy,in-process,shm,shm-in-place,raw-zeromq,zeromq"
COLUMNS = {
    "case", "contender", "variant", "build", "mode", "plugin", "mware", "dtype", "shape", "pattern",
    "device", "stage", "repetition", "process", "ns", "bytes",
}  # fmt: skip


def test_numpy_over_zeromq_beside_floors(wirecost: Run, tmp_path: Path) -> None:
    out = tmp_path / "tensor"
    done = wirecost(
        "bench", "tensor", "--plugins", "numpy,cupy", "--shape", "200x200,3x4x5", "--trials", "5",
        "--processes", "2",
        "--middlewares", MWARES, "--content", "random",
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
    assert inside["case"].endswith("in process")
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


def test_compression_is_a_stage_of_its_own(wirecost: Run, tmp_path: Path) -> None:
    out = tmp_path / "images"
    plugins = ["numpy", "image", "image-lz4", "image-zstd", "image-jpeg"]
    done = wirecost(
        "bench", "tensor", "--plugins", ",".join(plugins), "--shape", "120x160x3", "--trials", "5",
        "--processes", "2",
        "--dtype", "uint8,float32", "--middlewares", "zeromq,in-process,shm", "--out", out,
        "--json", "-",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert reported["failures"] == []
    assert "uint8" in reported["not_run"]["image-jpeg 120x160x3 float32"]
    samples = pl.read_parquet(out / "samples.parquet").filter(dtype="uint8")
    sizes = {}
    for plugin in plugins:
        for mware in ("zeromq", "in-process"):
            mine = samples.filter(plugin=plugin, contender=mware)
            wide = mine.pivot("stage", index="repetition", values="ns")
            stages = ["encode", "transit", "decode"]
            if "-" in plugin:
                stages += ["compress", "decompress"]
                assert (wide["compress"] > 0).all() and (wide["decompress"] > 0).all()
            else:
                assert not {"compress", "decompress"} & set(wide.columns)
            assert (sum(wide[name] for name in stages) == wide["total"]).all()
            sizes[plugin] = mine["bytes"][0]
    assert sizes["image-jpeg"] < sizes["image-zstd"] < sizes["image"] == sizes["numpy"]
    assert "decompress" in (out / "report.html").read_text()


def test_compressed_images_are_answered_too(wirecost: Run, tmp_path: Path) -> None:
    done = wirecost(
        "bench", "tensor", "--plugins", "image-jpeg,image-lz4", "--middlewares", "zeromq",
        "--trials", "5", "--processes", "2", "--shape", "64x64", "--dtype", "uint8",
        "--pattern", "reqrep", "--out", tmp_path / "out", "--json", "-",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert reported["failures"] == []
    stages = {row["stage"] for row in reported["rows"] if row["mode"] == "image-jpeg"}
    assert stages == {
        "lateness", "construct", "compress", "encode", "transit", "decode", "decompress", "reply",
        "total",
    }  # fmt: skip


def test_requests_are_answered_with_the_same_object(wirecost: Run, tmp_path: Path) -> None:
    done = wirecost(
        "bench", "tensor", "--plugins", "numpy", "--middlewares", "zeromq,shm", "--trials", "5",
        "--processes", "2",
        "--pattern", "reqrep", "--out", tmp_path / "out", "--json", "-",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert reported["not_run"]["shm"] == "has no requests"
    rows = {row["stage"]: row for row in reported["rows"]}
    assert rows["total"]["n"] == 5
    assert rows["total"]["median_ns"] > rows["reply"]["median_ns"] > 0
