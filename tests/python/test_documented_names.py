# SPDX-License-Identifier: Apache-2.0
"""The names by which programs import parts of wirecost: one module under two names."""

from __future__ import annotations

import importlib
import sys

import pytest

import wirecost
from support.programs import execute
from wirecost.system.documented_names import HOMES


@pytest.mark.parametrize("name", HOMES)
def test_a_name_is_the_module_in_its_room(name: str) -> None:
    module = importlib.import_module(HOMES[name])
    assert importlib.import_module(name) is module
    assert getattr(wirecost, name.removeprefix("wirecost.")) is module
    assert (module.__name__, module.__spec__.name) == (HOMES[name], HOMES[name])


def test_modules_below_a_name_are_not_loaded_twice() -> None:
    below = importlib.import_module("wirecost.traces.messages")
    assert below is importlib.import_module("wirecost.data.traces.messages")


def test_a_name_is_there_without_an_import_of_its_own() -> None:
    code = "import wirecost; print(wirecost.tensor.to_host.__module__)"
    done = execute([sys.executable, "-c", code], check=True)
    assert done.stdout.startswith("wirecost.messaging.tensor")


@pytest.mark.parametrize("name", ["wirecost.tensor.nothing", "wirecost.bench", "wirecost.nothing"])
def test_other_names_are_not_found(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=name.rpartition(".")[2]):
        importlib.import_module(name)
