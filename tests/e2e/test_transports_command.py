# SPDX-License-Identifier: Apache-2.0
"""``wirecost transports`` as a user reads it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from support.commands import commands
from support.programs import execute
from wirecost.measure.bench.transport.choices import PROCESSES
from wirecost.messaging.transport import find, names
from wirecost.results.records.longer_run import run_for_tail

WIRECOST = Path(sys.executable).with_name("wirecost")


def run(*options: str, width: int = 80, **variables: str) -> subprocess.CompletedProcess[str]:
    return execute(
        [WIRECOST, "transports", *options],
        env=os.environ | {"COLUMNS": str(width)} | variables,
        timeout=300,
    )


def transports(*options: str, width: int = 80) -> subprocess.CompletedProcess[str]:
    done = run(*options, width=width)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("width", [80, 120])
def test_every_transport_is_reported_within_the_width(width: int) -> None:
    assert len(transports(width=width).stdout.splitlines()) <= 24
    reported = transports("--all", width=width).stdout
    lines = reported.splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in reported
    first = {line.split()[0] for line in lines if line and not line.startswith(" ")}
    assert set(names()) | {"numpy", "torch"} <= first
    words = " ".join(reported.split())
    for name in names():
        kind = find(name)
        can = kind.capabilities
        for text in (can.server, can.exposed, can.kept, kind.missing() or ""):
            assert not text or text.split()[0] in words


def test_the_printed_command_is_one() -> None:
    """It measures what works here, in a run that has a 99th percentile."""
    line = transports().stdout.splitlines()[-1]
    assert line.startswith("wirecost bench transport ")
    words = shlex.split(line)
    values = dict(zip(words[3::2], words[4::2], strict=True))
    assert "iceoryx2" in values["--middlewares"].split(",")
    assert all(find(name).missing() is None for name in values["--middlewares"].split(","))
    arrivals = float(values["--rate"]) * float(values["--seconds"]) * PROCESSES
    assert run_for_tail(float(values["--seconds"]), PROCESSES, arrivals) is None
    options = {name for option in commands()["bench", "transport"].params for name in option.opts}
    assert options >= set(values)


def test_json_tells_the_same() -> None:
    document = json.loads(transports("--json", "-").stdout)
    by_name = {one["name"]: one for one in document["transports"]}
    assert by_name["websocket"]["native_client"] is None
    assert by_name["zeromq"]["native_client"] in (True, False)
    assert by_name["iceoryx2"]["native_client"] in (True, False)
    assert list(by_name) == names()
    for name, one in by_name.items():
        can = find(name).capabilities
        assert (one["send_copies"], one["full"]) == (can.send_copies, can.full)
        assert (one["missing"] is None) == (find(name).missing() is None)
    assert sum(one["default"] for one in by_name.values()) == 1
    frameworks = {one["name"]: one for one in document["frameworks"]}
    assert frameworks["numpy"]["version"] == __import__("numpy").__version__
    assert frameworks["paddle"]["install"] == "pip install paddlepaddle"


def rows(table: str) -> dict[str, str]:
    """Transports and what is beside them, lines joined."""
    found: dict[str, str] = {}
    last = ""
    for line in table.partition("─\n")[2].partition("\nTime of")[0].splitlines():
        name, _, rest = line.partition(" ")
        last = name or last
        found[last] = " ".join((found.get(last, "") + rest).split())
    return found


def test_a_message_is_sent_through_each() -> None:
    done = run("--test")
    found = rows(done.stdout)
    assert list(found) == names()
    assert max(map(len, done.stdout.splitlines())) <= 80
    for name, text in found.items():
        if find(name).missing() is not None:
            assert text.startswith("missing not installed: "), name
        elif not find(name).capabilities.server:
            assert re.fullmatch(r"ok in.*ms", text), name
    assert done.returncode == (1 if any(t.startswith("failed") for t in found.values()) else 0)


def test_only_the_named_ones_are_tested() -> None:
    document = json.loads(transports("--test", "zeromq,iceoryx2", "--json", "-").stdout)
    assert [one["name"] for one in document["tests"]] == ["iceoryx2", "zeromq"]
    assert [one["name"] for one in document["transports"]] == names()
    for one in document["tests"]:
        assert (one["missing"] is None) == (find(one["name"]).missing() is None)
        assert one["failed"] is None
        assert (one["ms"] is None) == (one["missing"] is not None)


def test_what_fails_is_named_and_fails_the_command() -> None:
    # In the place of a long path another one is taken, so pytest's own folders will not do.
    with TemporaryDirectory(dir="/tmp") as runtime:
        (Path(runtime) / "wirecost").write_text("no folder")
        done = run("--test", "zeromq", XDG_RUNTIME_DIR=runtime)
    found = rows(done.stdout)
    assert done.returncode == 1
    assert re.fullmatch("failed .*XDG_RUNTIME_DIR .*", found["zeromq"])


def test_nothing_of_it_is_imported() -> None:
    program = (
        "import sys; from wirecost.messaging.api.available import frameworks, transports;"
        "transports(); frameworks();"
        "heavy = {'zmq', 'zenoh', 'iceoryx2', 'rospy', 'grpc', 'pandas', 'jax', 'torch'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
