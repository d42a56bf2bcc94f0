# SPDX-License-Identifier: Apache-2.0
"""Plug-ins of a folder: they are found by their texts, and imported when asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wirecost.system.plugins import load_plugins, module_names, plugin_facts, plugin_names


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "birds"
    (folder / "penguin").mkdir(parents=True)
    texts = {
        "__init__.py": "",
        "albatross.py": "BIRD = 1\n",
        "nest.py": "def BIRDS(): ...\ndef f():\n    BIRD = 0\n",
        "owl.py": 'BIRD = 2\nNAMES = ("barn owl", "owl")\nPLUGIN_ORDER = 2\n',
        "penguin/__init__.py": "class BIRD: ...\nPLUGIN_ORDER = 1\n",
        "vulture.py": "BIRD = 3\nraise ValueError\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def test_plugins_are_listed_without_importing_them(folder: Path) -> None:
    assert plugin_names(folder, "BIRD") == ["penguin", "owl", "albatross", "vulture"]
    assert plugin_facts(folder, "NAMES") == {"owl": ("barn owl", "owl")}
    assert module_names(folder) == ["albatross", "nest", "owl", "penguin", "vulture"]
    assert not any(name.startswith("birds") for name in sys.modules)


def test_what_plugins_declare_is_imported_in_their_order(folder: Path) -> None:
    with pytest.raises(ValueError):
        load_plugins("birds", folder, "BIRD")
    assert list(load_plugins("birds", folder, "NAMES")) == ["owl"]
    assert load_plugins("birds", folder, "NAMES")["owl"] is sys.modules["birds.owl"].NAMES  # type: ignore[attr-defined]
    for name in [name for name in sys.modules if name.partition(".")[0] == "birds"]:
        del sys.modules[name]
