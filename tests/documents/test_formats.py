# SPDX-License-Identifier: Apache-2.0
"""Keys, columns, limits and exit codes that pages state are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from documents.runs import ROOT
from wirecost.cli.compare import IMPRECISE, REGRESSION
from wirecost.cli.measuring import INTERRUPTED
from wirecost.data.traces.osi_index import HEADER
from wirecost.measure.bench.transport.faults import registry
from wirecost.measure.campaign import definition
from wirecost.measure.campaign.cluster import lab
from wirecost.measure.network import profiles
from wirecost.observe.doctor.check import Verdict
from wirecost.observe.doctor.examine import Examination, Finding
from wirecost.replay.play.results import OUTPUTS
from wirecost.replay.recording.snapshot_schema import Document, Joined, Process, Service, Topic
from wirecost.results.analysis.summary import FACTS, document, summarize
from wirecost.results.records.probe_log import HEADER_SIZE, RECORD
from wirecost.results.records.reading import read_results
from wirecost.results.store.store import SCHEMA
from wirecost.system.errors import UserError

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAME = re.compile(r"`([a-z]\w*)`")
RANGE = re.compile(r"^(\w+) = .*?([\d.]+) to ([\d.]+)[;,]?(?: else .*)?$", re.MULTILINE)


def page(name: str) -> str:
    return (DOCS / name).read_text()


def item(text: str, first: str) -> str:
    """Return the item of a list that begins so."""
    (found,) = re.findall(rf"^- `{first}`.*?(?=^- |^\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return str(found)


def names(text: str) -> set[str]:
    return set(NAME.findall(text))


def fields(*types: type[msgspec.Struct]) -> set[str]:
    return {name for each in types for name in each.__struct_fields__}


def test_the_profile_of_the_page_is_read_and_its_limits_hold(tmp_path: Path) -> None:
    (text,) = BLOCK.findall(page("formats/network-profile.md"))
    (tmp_path / "campus.toml").write_text(text)
    profile = profiles.read(tmp_path / "campus.toml")
    assert all(f"{key} = " in text for key in profile.record())
    ranges = RANGE.findall(text)
    assert len(ranges) == len(profile.record()) - 2  # a name; jitter has no limit of its own
    for key, least, most in ranges:
        for value, good in ((least, True), (most, True), (f"{float(most) + 1:g}", False)):
            (tmp_path / "own.toml").write_text(f"{key} = {value}\n")
            if good:
                profiles.read(tmp_path / "own.toml")
            else:
                with pytest.raises(UserError, match=key):
                    profiles.read(tmp_path / "own.toml")


def test_the_table_of_networks_is_the_built_in_ones() -> None:
    number = r"([\d.]+)"
    row = rf"^\| `(\w+)` \| {number} ms \| {number} ms \| {number} % \| (\d+) Mbit/s \| (\d+) "
    rows = re.findall(row, page("networks.md"), re.MULTILINE)
    assert {name: tuple(map(float, numbers)) for name, *numbers in rows} == {
        name: (p.delay_ms, p.jitter_ms, p.loss_percent, p.rate_mbit, p.queue_packets)
        for name, p in profiles.BUILT_IN.items()
    }


def test_files_of_a_campaign_are_read(tmp_path: Path) -> None:
    campaign, machines = BLOCK.findall(page("formats/campaign.md"))
    for name, text in (("campaign.toml", campaign), ("lab.toml", machines)):
        (tmp_path / name).write_text(text)
    assert definition.read(tmp_path / "campaign.toml").benches[0].scenario == "osi"
    assert len(lab.read(tmp_path / "lab.toml").machines) == 2


def test_the_store_has_the_columns_of_the_page() -> None:
    records = item(page("formats/campaign-store.md"), "records")
    assert set(SCHEMA) <= names(records)


def test_a_recording_has_the_keys_of_the_page() -> None:
    text = page("formats/recording.md").partition("## node.json")[2]
    listed = names(text) | {"format", "version"}
    assert fields(Document, Joined, Topic, Process, Service) - {"topic"} <= listed


def test_outputs_of_a_replay_have_the_columns_of_the_page() -> None:
    assert set(OUTPUTS) <= names(item(page("formats/result-folder.md"), "outputs.parquet"))


def test_summary_rows_have_the_keys_of_the_page() -> None:
    text = page("formats/result-folder.md").partition("## Summary rows")[2].partition("\n## ")[0]
    results = read_results(ROOT / "tests/data/results/osi")
    written = document(results, summarize(results))
    listed = set(re.findall(r"[a-z]\w*", text))
    assert set(written) <= listed
    assert set(written["rows"][0]) - set(FACTS) <= listed  # facts are the scenario's own


def test_the_doctor_has_the_keys_of_the_page() -> None:
    finding = Finding("load", "load", Verdict.OK, "0", "", [], [], [])
    written = Examination((1,), "", [finding]).document()
    listed = names(page("doctor.md").partition("## JSON")[2])
    assert set(written) | set(written["checks"][0]) <= listed  # type: ignore[index]


def test_sizes_of_binary_formats_are_the_stated_ones() -> None:
    probe, index = page("formats/probe-log.md"), page("formats/trace-index.md")
    assert f"a header of {HEADER_SIZE} bytes, then records of {RECORD.itemsize} bytes" in probe
    sizes = re.findall(r"^\| (\d+) \|", index, re.MULTILINE)
    assert sum(map(int, sizes)) == HEADER.size


def test_the_page_of_faults_has_every_fault() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", page("transport-faults.md"), re.MULTILINE)
    assert sorted(rows) == sorted(registry.names())


@pytest.mark.parametrize(
    ("status", "means"),
    [
        (UserError.status, "could not run"),
        (REGRESSION, "regression"),
        (IMPRECISE, "--require-precision"),
        (INTERRUPTED, "Ctrl-C"),
    ],
)
def test_exit_codes_are_those_of_the_page(status: int, means: str) -> None:
    assert re.search(rf"^\| {status} \| .*{means}", page("how-to/troubleshooting.md"), re.MULTILINE)
