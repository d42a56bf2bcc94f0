# SPDX-License-Identifier: Apache-2.0
"""Wrapyfi's environment, servers and names, without its own code."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.messaging.transport.shared.server_process import reachable
from wirecost.system.errors import UserError
from wirecost_scenarios.wrapyfi import contender, environment
from wirecost_scenarios.wrapyfi.middlewares import IN_PROCESS, MIDDLEWARES, PREFIX, Middleware


def test_its_names_are_those_of_its_middlewares() -> None:
    assert tuple(f"{PREFIX}{name}" for name in (IN_PROCESS, *MIDDLEWARES)) == contender.NAMES
    assert not find_contender("wrapyfi-zeromq", 1).takes_compressed


def test_wrapyfi_is_refused_with_the_line_to_run_where_the_network_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    reported: list[str] = []
    with pytest.raises(
        UserError, match=r"run: .*/wirecost/wrapyfi/bin/python -P -m pip install wrapyfi=="
    ):
        environment.make(["numpy"], reported.append)
    (line,) = reported
    assert line.startswith("installing wrapyfi==") and str(tmp_path) in line
    assert find_contender("wrapyfi-zeromq", 1).name == "wrapyfi-zeromq"
    with pytest.raises(UserError, match=r"pip install -q .* --target .*/wrapyfi/alone wrapyfi=="):
        environment.make_alone(reported.append)
    assert not (tmp_path / "wirecost" / "wrapyfi" / "alone").exists()


def test_wrapyfis_yarp_is_ours_on_loopback(tmp_path: Path) -> None:
    assert MIDDLEWARES["yarp"].missing() is None
    with MIDDLEWARES["yarp"].server() as variables:
        host, port, _ = (Path(variables["YARP_CONFIG_HOME"]) / "yarp.conf").read_text().split()
        assert (host, variables["YARP_IP"]) == ("127.0.0.1", "127.0.0.1")
        assert reachable(host, int(port))
    for _ in range(2):
        environment._link_yarp(tmp_path)
    code = "import yarp; print(yarp.__file__)"
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-c", code],
        env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str(tmp_path / "yarp.py")


@pytest.mark.parametrize("name", ["zeromq", "zenoh"])
def test_both_ends_of_wrapyfi_are_told_the_same_ports(name: str) -> None:
    contender = find_contender(f"wrapyfi-{name}", 1)
    with contender.meeting() as meeting:
        ends = [contender.environment(meeting, role) for role in ("publish", "listen")]
    assert ends[0].items() <= ends[1].items()
    ports = {value for key, value in ends[0].items() if key.endswith("_PORT")}
    assert ports and all(0 < int(port) < 65536 for port in ports)


def test_what_wrapyfi_needs_between_its_peers_is_named(snapshot: SnapshotAssertion) -> None:
    no_program = Middleware("x", lambda: nullcontext({}), program="no-such-broker")
    no_module = Middleware("x", lambda: nullcontext({}), modules=("json", "nosuchtopic"))
    assert [no_program.missing(), no_module.missing()] == snapshot
    assert MIDDLEWARES["zeromq"].missing() is None


def test_wrapyfi_s_version_is_that_of_its_own_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    contender = find_contender("wrapyfi-zeromq", 64)
    assert contender.about()["library"] == "wrapyfi unknown version"
    site = tmp_path / "wirecost" / "wrapyfi" / "lib" / "python3.11" / "site-packages"
    about = site / "wrapyfi-0.5.1.dist-info" / "METADATA"
    about.parent.mkdir(parents=True)
    about.write_text("Metadata-Version: 2.1\nName: wrapyfi\nVersion: 0.5.1\n")
    assert contender.about()["library"] == "wrapyfi 0.5.1"
