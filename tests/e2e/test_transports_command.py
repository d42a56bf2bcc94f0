# SPDX-License-Identifier: Apache-2.0
"""``wirecost transports`` as a user reads it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wirecost.transport import find, names

WIRECOST = Path(sys.executable).with_name("wirecost")


def transports(*options: str, width: int = 80) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [WIRECOST, "transports", *options],
        env=os.environ | {"COLUMNS": str(width)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


@pytest.mark.parametrize("width", [80, 120])
def test_every_transport_is_reported_within_the_width(width: int) -> None:
    reported = transports(width=width).stdout
    lines = reported.splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in reported
    first = {line.split()[0] for line in lines if line and not line.startswith(" ")}
    assert set(names()) | {"numpy", "torch"} <= first
    assert "Where none is named, wirecost.publish takes " in reported
    words = " ".join(reported.split())
    for name in names():
        kind = find(name)
        can = kind.capabilities
        for text in (can.server, can.exposed, can.kept, kind.missing() or ""):
            assert not text or text.split()[0] in words


def test_json_tells_the_same() -> None:
    document = json.loads(transports("--json", "-").stdout)
    by_name = {one["name"]: one for one in document["transports"]}
    assert list(by_name) == names()
    for name, one in by_name.items():
        can = find(name).capabilities
        assert (one["send_copies"], one["full"]) == (can.send_copies, can.full)
        assert (one["missing"] is None) == (find(name).missing() is None)
    assert sum(one["default"] for one in by_name.values()) == 1
    frameworks = {one["name"]: one for one in document["frameworks"]}
    assert frameworks["numpy"]["version"] == __import__("numpy").__version__
    assert frameworks["paddle"]["install"] == "pip install paddlepaddle"


def test_nothing_of_it_is_imported() -> None:
    program = (
        "import sys; from wirecost.messaging.available import frameworks, transports;"
        "transports(); frameworks();"
        "heavy = {'zmq', 'zenoh', 'iceoryx2', 'rospy', 'grpc', 'pandas', 'jax', 'torch'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
