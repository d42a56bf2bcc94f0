# SPDX-License-Identifier: Apache-2.0
"""Stores that are not folders: an S3 server of moto's, and fsspec's memory."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from campaign.test_store import RECORD, ROWS, SAMPLES
from support.programs import execute
from wirecost.results.store.store import FAILED, RECORDS, Store
from wirecost.results.store.store import SAMPLES as SAMPLES_KIND
from wirecost.system.errors import UserError

BUCKET = "results"


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    boto3, s3fs = pytest.importorskip("boto3"), pytest.importorskip("s3fs")
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    for name, value in {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        boto3.client("s3").create_bucket(Bucket=BUCKET)
        # moto's servers of one process have all buckets in common.
        yield f"s3://{BUCKET}/{secrets.token_hex(4)}"
    finally:
        server.stop()
        s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture(params=["s3", "memory"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "s3":
        yield request.getfixturevalue("s3")
        return
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.makedirs("/lab", exist_ok=True)
    yield "memory://lab"
    memory.rm("/lab", recursive=True)


def filled(url: str) -> Store:
    store = Store(url)
    store.begin()
    store.keep(replace(RECORD, outcome=FAILED, failure="why"), None, [])
    store.keep(RECORD, SAMPLES, ROWS)
    store.keep(replace(RECORD, task="1" * 16, start_ns=30, end_ns=40), SAMPLES, ROWS)
    return store


def test_a_store_at_a_url_is_as_one_in_a_folder(url: str) -> None:
    assert Store(url).records().is_empty()
    filled(url)
    opened = Store(url)
    assert opened.records()["task"].to_list() == ["0" * 16, "1" * 16]
    samples = opened.scan(SAMPLES_KIND)
    assert samples is not None
    assert samples.select("task", "scenario", "ns").collect().sort("task").rows() == [
        ("0" * 16, "osi", 5),
        ("1" * 16, "osi", 5),
    ]
    assert opened.scan(RECORDS) is not None
    opened.place.remove(opened.place.names(RECORDS)[0])
    opened.place.remove("records/never.parquet")
    assert len(Store(url).records()) == 1


def test_what_is_no_store_is_refused(url: str) -> None:
    store = Store(url)
    store.place.write("notes.txt", b"x")
    with pytest.raises(UserError, match="is no store and not empty"):
        Store(url)
    store.place.write("store.json", json.dumps({"store": 99}).encode())
    with pytest.raises(UserError, match="a store of version 99"):
        Store(url)


def test_a_campaign_at_a_url(s3: str) -> None:
    filled(s3)
    words = [sys.executable, "-m", "wirecost", "campaign"]
    done = execute([*words, "status", s3])
    assert done.returncode == 0, done.stderr
    assert "No two of" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nonsense://a/b", "nonsense"),
        ("http://127.0.0.1:1/a", "127.0.0.1:1"),
    ],
)
def test_a_url_that_cannot_be_used_is_one_line(url: str, why: str) -> None:
    with pytest.raises(UserError, match=why) as caught:
        Store(url).records()
    assert "\n" not in str(caught.value)
