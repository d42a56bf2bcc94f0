# SPDX-License-Identifier: Apache-2.0
"""Result folders, damaged piece by piece: what `wirecost report` and `wirecost compare` are given.

An input is a folder as a zip archive; its first name is that of the good folder it was made of.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from attack.folder_edits import FOLDER, Files, mutated, packed, unpacked
from attack.target import Target
from support import probe_logs
from wirecost.results.analysis.compare.comparison import CompareSettings, compare
from wirecost.results.analysis.compare.runs import read_run
from wirecost.results.analysis.summary import document, summarize
from wirecost.results.records import json_document
from wirecost.results.records.folder import META, SAMPLES
from wirecost.results.records.journal import NAME as JOURNAL
from wirecost.results.records.probe_log import SUFFIX, read_logs
from wirecost.results.records.reading import read_results
from wirecost.results.records.table_columns import COUNT, NUMBER, TEXT
from wirecost.results.records.table_file import read_table
from wirecost.results.report.compare.document import document as compared_document
from wirecost.results.report.compare.first import comparison_answer
from wirecost.results.report.probe.answer import probe_answer
from wirecost.results.report.probe.judged import judged
from wirecost.results.report.results.export import write_report
from wirecost.results.report.shared import markdown
from wirecost.results.report.shared.page import page

DATA = Path(__file__).parents[1] / "data" / "results"
"""Good folders of every scenario, and of every older version of one."""


@cache
def good() -> dict[str, bytes]:
    """Return good result folders by name.

    They are the folders of tests/data/results, with a node's probe logs in the replay, and a
    folder of probe logs alone."""
    folders = {
        folder.name: {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        for folder in sorted(DATA.iterdir())
        if folder.is_dir()
    }
    folders["replay"] |= {f"probe/run-{run}/1.wprobe": _probe_log(run) for run in (1, 2)}
    doctor = {"verdict": "ok", "checks": [{"title": "turbo", "verdict": "ok", "value": "off"}]}
    logs = {"1.wprobe": _probe_log(1), "2.wprobe": _probe_log(2)}
    folders["logs"] = logs | {"doctor.json": json.dumps(doctor).encode()}
    folders["journal"] = {JOURNAL: _journal(folders["lists"])}
    return {
        name: packed({f"{name}/{path}": content for path, content in files.items()})
        for name, files in folders.items()
    }


def _journal(files: Files) -> bytes:
    """Return the journal that a run killed before its end would have left of a folder."""
    meta = json.loads(files[META])
    samples = pl.read_parquet(io.BytesIO(files[SAMPLES]))
    runs = meta.pop("runs")
    lines: list[dict[str, Any]] = [{"journal": 1}, {"meta": meta}]
    who = ("case", "variant", "build", "contender", "mode", "wire", "elements")
    for number, run in enumerate(runs):
        same = {name: run[name] for name in who}
        lines.append({"run": number, "about": run, "columns": same, "logs": None})
        rows = samples.filter(**same).select("stage", "repetition", "ns", "bytes")
        if run["failure"] is None:
            lines.append({"run": number, "rows": rows.to_dict(as_series=False)})
            lines.append({"run": number, "about": run})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def corpus() -> list[bytes]:
    return list(good().values())


def _probe_log(seed: int) -> bytes:
    """Sections within each other whose times follow a counter, marks and a text."""
    chance = random.Random(seed)
    counters = [("minor-faults", 1), ("instructions", 2), ("cycles", 0)]
    content = probe_logs.header(counters, [(1, "outer"), (2, "inner")], dropped=3)
    for i in range(120):
        begin, faults = 1000 * i, chance.choice((0, 0, 0, 7))
        content += probe_logs.record(
            3 * i + 1, begin, begin + 300 + 50 * faults, section=1, counted=3, loop=i, value=i % 5,
            counters=(faults, chance.randrange(1000)),
        )  # fmt: skip
        content += probe_logs.record(3 * i + 2, begin + 1, begin + 90, section=2, parent=1, depth=1)
        mark = {"kind": 2, "section": 2, "part": i % 2, "loop": i // 2}
        content += probe_logs.record(3 * i + 3, begin + 5, begin + 5, **mark)
    return content


def report(folder: Path) -> None:
    """Write a report in every format that is text."""
    results = read_results(folder)
    rows = summarize(results)
    json.loads(json_document.text(document(results, rows)))
    write_report(results, rows, ["md", "csv", "html"])


def compared(one: Path, other: Path) -> None:
    """Write a comparison in every format that is text."""
    comparison = compare(read_run(one), read_run(other), CompareSettings(fail_above=0.05))
    json.loads(json_document.text(compared_document(comparison)))
    answer = comparison_answer(comparison)
    markdown.answer(answer)
    page(answer)


def probes(folder: Path) -> None:
    """Write the answer of ``wirecost probe show``."""
    logs = read_logs([folder])
    page(probe_answer(logs, judged(logs, {}, None)))


def read(data: bytes) -> None:
    """Write a report of the folder, and a comparison with the good one that it was made of."""
    files = unpacked(data)
    name = next(iter(files)).partition("/")[0]
    with tempfile.TemporaryDirectory() as scratch:
        _write(files, Path(scratch))
        folder = Path(scratch, name)
        if any(path.endswith(SUFFIX) and path.count("/") == 1 for path in files):
            probes(folder)
        else:
            report(folder)
        other = Path(scratch, "good")
        other.mkdir()
        _write(unpacked(good()[name]), other)
        compared(other / name, folder)


def _write(files: Files, to: Path) -> None:
    for path, content in files.items():
        place = to / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if content == FOLDER:
            place.mkdir()
        else:
            place.write_bytes(content)


def tables() -> list[bytes]:
    """Return samples as Parquet, with nulls and without."""
    return [unpacked(good()[name])[f"{name}/{SAMPLES}"] for name in ("lists", "heap", "tensor")]


def read_samples(data: bytes) -> None:
    """Read samples as those of a folder of any scenario."""
    path = Path(tempfile.gettempdir(), SAMPLES)
    path.write_bytes(data)
    try:
        read_table(path, {"case": TEXT, "stage": TEXT, "repetition": COUNT, "ns": NUMBER}, "again")
    finally:
        path.unlink()


FOLDERS = Target("result-folder", corpus, read, mutate=mutated)
TABLES = Target("result-table", tables, read_samples)


def many(races: int, contenders: int) -> bytes:
    """Return a folder of many races of many contenders, each with few samples."""
    files = unpacked(good()["lists"])
    meta = json.loads(files[f"lists/{META}"])
    run, about = meta["runs"][0], next(iter(meta["contenders"].values()))
    samples = pl.read_parquet(io.BytesIO(files[f"lists/{SAMPLES}"]))
    own = samples.filter(**{name: run[name] for name in ("case", "contender", "mode")})
    names = [f"c{number}" for number in range(contenders)]
    keys = [{"case": f"case {race}", "contender": name} for race in range(races) for name in names]
    meta |= {"runs": [run | key for key in keys], "contenders": dict.fromkeys(names, about)}
    table = io.BytesIO()
    rows = pl.DataFrame(keys).join(own.drop("case", "contender"), how="cross")
    rows.select(samples.columns).write_parquet(table)
    content = {META: json.dumps(meta).encode(), SAMPLES: table.getvalue()}
    return packed({f"lists/{name}": part for name, part in content.items()})


def report_of(data: bytes) -> None:
    """Write the report of a folder, as ``wirecost report`` does."""
    with tempfile.TemporaryDirectory() as scratch:
        _write(unpacked(data), Path(scratch))
        report(Path(scratch, "lists"))
