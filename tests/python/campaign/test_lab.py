# SPDX-License-Identifier: Apache-2.0
"""lab.toml, addresses and keys: what is accepted, and what is refused with the place named."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from wirecost.measure.campaign.cluster.addresses import check_address, host_of
from wirecost.measure.campaign.cluster.keys import read_keys
from wirecost.measure.campaign.cluster.lab import read
from wirecost.system.errors import UserError

LAB = """\
address = "10.0.0.1"
[[machine]]
name = "xavier"
ssh = "robot@10.0.0.7"
wirecost = "my venv/bin/wirecost"
[[machine]]
name = "two"
start = ["ip", "netns", "exec", "two"]
"""


def test_how_workers_are_started(tmp_path: Path) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(LAB)
    messages = read(path)
    assert (messages.address, messages.port) == ("10.0.0.1", 0)
    xavier, two = messages.machines
    # A shell at the other end takes the words apart again.
    *ssh, last = xavier.words(["campaign", "worker", "a b"])
    assert ssh[0] == "ssh" and ssh[-1] == "robot@10.0.0.7"
    assert shlex.split(last) == ["my venv/bin/wirecost", "campaign", "worker", "a b"]
    assert two.words(["campaign"]) == ["ip", "netns", "exec", "two", "wirecost", "campaign"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "address: give"),
        ('address = "-o"\n', "address: give"),
        ('address = "a"\nport = 70000\n', "port: give a number"),
        ('address = "a"\n', "machine: is missing"),
        ('address = "a"\nmachine = [1]\n', "machine: is no table"),
        ('address = "a"\n[[machine]]\n', "machine 1: name: give"),
        ('address = "a"\n[[machine]]\nname = "x"\n', "machine x: give either ssh"),
        ('address = "a"\n[[machine]]\nname = "x"\nssh = "-oProxyCommand=x"\n', "machine x: ssh:"),
        ('address = "a"\n[[machine]]\nname = "x"\nssh = "y"\nstart = []\n', "give either ssh"),
        ('address = "a"\n[[machine]]\nname = "x"\nstart = [1]\n', "machine x: start: give a list"),
        ('address = "a"\n[[machine]]\nname = "x"\nstart = []\nnode = 1\n', "node: is unknown"),
        (LAB + LAB.partition("\n")[2], "machine xavier: is there twice"),
        ("address", "no TOML"),
    ],
)
def test_what_is_wrong_in_a_lab(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "lab.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=why) as caught:
        read(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_addresses() -> None:
    check_address("tls://[::1]:8786", "keys", False)
    assert host_of("tls://[::1]:8786") == "::1"
    check_address("tcp://127.0.0.1:8786", None, True)
    for address, keys, why in (
        ("10.0.0.1:8786", "keys", "give an address"),
        ("tls://10.0.0.1:99999", "keys", "give an address"),
        ("ucx://10.0.0.1:1", "keys", "give an address"),
        ("tls://10.0.0.1:1", None, "--keys FILE"),
        ("tcp://127.0.0.1:8786", None, "plain TCP"),
    ):
        with pytest.raises(UserError, match=why):
            check_address(address, keys, False)


def test_keys_of_others_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    path = tmp_path / "keys.pem"
    with pytest.raises(UserError, match="wirecost campaign keys"):
        read_keys(path)
    path.write_text("nothing of the kind")
    path.chmod(0o666)
    with pytest.raises(UserError, match="can be written by others"):
        read_keys(path)
    path.chmod(0o600)
    with pytest.raises(UserError, match="has no certificate"):
        read_keys(path)
