# SPDX-License-Identifier: Apache-2.0
"""The Java contenders of ``bench notification``: every mode carries every message, and is timed."""

from __future__ import annotations

import pytest

from wirecost.bench.notification import readers
from wirecost.bench.notification.backend import VERIFIED, Content
from wirecost.bench.notification.content import canonical
from wirecost.bench.notification.cpp import Cpp
from wirecost.bench.notification.java import Java

CPP = Cpp()
JAVA = Java(CPP.messages)
CONTENT = Content("realistic", 16, 1)
PROTOBUF = ["protobuf/new/protobuf", "protobuf/reused/protobuf", "protobuf/view/protobuf"]

pytestmark = pytest.mark.skipif(JAVA.missing() is not None, reason=f"no Java: {JAVA.missing()}")


def test_protobuf_runs_as_it_is_mostly_used_and_at_its_best() -> None:
    listed = {one.key: one for one in JAVA.contenders()}
    assert set(PROTOBUF) < set(listed)
    assert {listed[key].library for key in PROTOBUF} == {"Protobuf Java 4.36.2"}


def test_every_mode_carries_every_message() -> None:
    keys = [one.key for one in JAVA.contenders()]
    expected = CPP.messages(CONTENT)[:VERIFIED]
    found = JAVA.carry(CONTENT, keys)
    assert len(found) == 2 * VERIFIED * len(keys)
    for one in found:
        assert one.decoded == expected[one.index], one.key
        sent = readers.read(one.key.split("/")[2], one.encoded)
        assert canonical(sent) == expected[one.index], one.key


def test_a_mode_is_timed() -> None:
    (samples,) = JAVA.measure(CONTENT, ["protobuf/reused/protobuf"], 2, lambda *_: None)
    assert [(one.stage, one.ns > 0) for one in samples] == [("total", True)] * 2
