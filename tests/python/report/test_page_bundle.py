# SPDX-License-Identifier: Apache-2.0
"""The script that every page runs is our own, whatever lies in the cache."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.second_user import SECOND_USER, needs_root
from wirecost.results.report.shared.page import bundle

EVIL = "alert('another user')"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "wirecost"


def made_anew() -> str:
    bundle.cache_clear()
    return str(bundle())


def test_it_is_kept_and_read_again(cache: Path) -> None:
    first = made_anew()
    (cached,) = cache.iterdir()
    assert "vegaEmbed" in first
    assert cached.read_text() == first
    cached.write_text("kept")
    assert made_anew() == "kept"
    cached.write_bytes(b"\xff")
    assert made_anew() == first


def _open(path: Path) -> None:
    path.chmod(0o666)


def _above(path: Path) -> None:
    path.parent.parent.chmod(0o777)


def _link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def _others(path: Path) -> None:
    os.chown(path, SECOND_USER, -1)


@pytest.mark.parametrize("harm", [_open, _above, _link, pytest.param(_others, marks=needs_root)])
def test_what_another_user_may_have_written_is_not_run(
    harm: Callable[[Path], None], cache: Path
) -> None:
    made_anew()
    (cached,) = cache.iterdir()
    cached.write_text(EVIL)
    harm(cached)
    assert EVIL not in made_anew()
