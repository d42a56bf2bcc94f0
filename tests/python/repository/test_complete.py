# SPDX-License-Identifier: Apache-2.0
"""In CI nothing is missing that can be installed: no transport, language or contender vanishes."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

from support.skip_list import in_ci
from wirecost.measure.bench.engine.allocators import ALLOCATORS
from wirecost.measure.bench.tensor.plugins import PLUGINS
from wirecost.measure.serializers.choices import LANGUAGES
from wirecost.measure.serializers.languages import backend_of
from wirecost.messaging.api.available import frameworks
from wirecost.messaging.transport import find, names
from wirecost.messaging.transport.shared.server_process import program
from wirecost_scenarios.cloud import program as cloud
from wirecost_scenarios.heap import program as heap
from wirecost_scenarios.notification.race import selection, subject_of
from wirecost_scenarios.notification.settings import (
    WIRES,
    Settings,
)

pytestmark = pytest.mark.skipif(
    not in_ci(), reason="only in CI, where everything installable is installed"
)

SETUP = Path(__file__).parents[3] / "setup"
TOOLS = ["chromium", "javac", "mosquitto", "mvn", "nats-server", "roscore", "valgrind"]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Versions of all Python packages that the tests install, by their normalized names."""
    lines = [
        line for path in sorted(SETUP.glob("python-*.txt")) for line in path.read_text().split("\n")
    ]
    pinned = (line.split("==") for line in lines if line[:1] not in "#")
    return {normal(name): version for name, version in pinned}


PINS = pins()
PLUGIN_PACKAGES = {
    name: normal(one.pip or one.module.partition(".")[0]) for name, one in PLUGINS.items()
}
FRAMEWORK_PACKAGES = {
    one.name: normal(one.install.removeprefix("pip install ")) for one in frameworks()
}


def test_every_pinned_package_is_installed() -> None:
    assert {name: importlib.metadata.version(name) for name in PINS} == PINS


@pytest.mark.parametrize(
    "name", [n for n, package in FRAMEWORK_PACKAGES.items() if package in PINS]
)
def test_a_framework_can_be_sent(name: str) -> None:
    (match,) = [framework for framework in frameworks() if framework.name == name]
    assert match.version is not None


@pytest.mark.parametrize("name", [n for n, package in PLUGIN_PACKAGES.items() if package in PINS])
def test_a_framework_can_be_measured(name: str) -> None:
    assert PLUGINS[name].missing("cpu") is None


@pytest.mark.parametrize("name", [name for name in names() if name != "ros2"])  # see tests/ros2
def test_a_transport_can_be_used(name: str) -> None:
    assert find(name).missing() is None
    with find(name).server():
        pass


@pytest.mark.parametrize(
    ("lang", "wire"),
    [
        pytest.param(
            lang, wire, marks=() if wire == "cdr" or lang == "java" else pytest.mark.thorough
        )
        for lang in LANGUAGES
        for wire in WIRES
    ],
)
def test_a_language_has_all_its_contenders(lang: str, wire: str) -> None:
    chosen = selection(Settings(), lang, wire)
    backend = backend_of(lang, subject_of(lang, wire), chosen, lambda _: None)
    assert backend.missing == {}
    assert backend.contenders()


def test_the_point_clouds_have_all_their_versions() -> None:
    assert cloud.absent() == {}


@pytest.mark.parametrize("name", sorted(ALLOCATORS.keys() - {"tlsf"}))  # that needs Rust
def test_an_allocator_can_be_measured(name: str) -> None:
    assert heap.missing(ALLOCATORS[name]) is None


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_installed(name: str) -> None:
    assert program(name) is not None
