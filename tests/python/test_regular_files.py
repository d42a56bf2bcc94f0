# SPDX-License-Identifier: Apache-2.0
"""No command waits for what is no file: a FIFO that nobody writes, a device."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from typer.testing import CliRunner

from wirecost.cli import app
from wirecost.system.errors import UserError
from wirecost.system.regular_file import open_regular, read_regular

PATIENCE_S = 20

COMMANDS = {
    "report": ("report folder", "folder/meta.json"),
    "report samples": ("report folder", "folder/samples.parquet"),
    "compare": ("compare folder folder", "folder/meta.json"),
    "compare probe logs": ("compare one.wprobe one.wprobe", "one.wprobe"),
    "probe show": ("probe show one.wprobe", "one.wprobe"),
    "probe convert": ("probe convert one.wprobe --format parquet --out x", "one.wprobe"),
    "log": ("log log.json", "log.json"),
    "trace info osi": ("trace info sv_one.osi", "sv_one.osi"),
    "trace info mcap": ("trace info one.mcap", "one.mcap"),
    "trace info txth": ("trace info sv_one.txth", "sv_one.txth"),
    "trace convert": ("trace convert sv_one.osi x.mcap", "sv_one.osi"),
    "columns advise": ("columns advise one.pcd", "one.pcd"),
    "replay": ("replay folder", "folder/node.json"),
    "heap run": ("heap run --pool auto --profile one.json -- true", "one.json"),
    "compile proto": ("compile one.proto --out x", "one.proto"),
    "compile set": ("compile one.fds --out x", "one.fds"),
    "compile ros": ("compile pkg/msg/One.msg --out x", "pkg/msg/One.msg"),
    "bench osi": ("bench osi --player --trace sv_one.osi --out x", "sv_one.osi"),
}


@pytest.fixture
def patience() -> Iterator[None]:
    """Make a command that waits fail instead."""

    def over(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise AssertionError("waits")

    former = signal.signal(signal.SIGALRM, over)
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, former)


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("what", COMMANDS)
def test_a_fifo_is_refused(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command, name = COMMANDS[what]
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    if name.endswith("samples.parquet"):
        data = Path(__file__).parents[1] / "data" / "results" / "lists" / "meta.json"
        Path("folder/meta.json").write_bytes(data.read_bytes())
    os.mkfifo(name)
    done = CliRunner().invoke(app, command.split())
    assert isinstance(done.exception, UserError), (done.exception, done.output)
    assert Path(name).name in str(done.exception)
    assert str(done.exception).isprintable()
    assert "; " in str(done.exception)


def test_what_is_opened_is_a_regular_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    (tmp_path / "link").symlink_to(path)
    assert read_regular(tmp_path / "link", 7) == b"content"
    with open_regular(path) as file:
        assert file.read() == b"content"
    with pytest.raises(OSError, match="larger than the 6 bytes"):
        read_regular(path, 6)
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "socket"))
        for name, reported in (
            (tmp_path, "Is a directory"),
            (tmp_path / "none", "No such file"),
            (tmp_path / "fifo", "a FIFO, not a regular file"),
            (tmp_path / "socket", "a socket, not a regular file"),
            (Path("/dev/zero"), "a device, not a regular file"),
        ):
            with pytest.raises(OSError, match=reported):
                open_regular(name)


@pytest.mark.parametrize(
    "command",
    [
        "trace info sv_one.osi",
        "trace info one.mcap",
        "trace info sv_one.txth",
        "columns advise one.pcd",
        "bench message --data one.mcap --out x",
    ],
)
def test_a_pointer_of_git_lfs_is_no_damaged_file(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = next(Path(word) for word in command.split() if "one." in word)
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 14233\n")
    done = CliRunner().invoke(app, command.split())
    assert isinstance(done.exception, UserError), (done.exception, done.output)
    assert f"{path}: only" in str(done.exception)
    assert "git lfs pull" in str(done.exception)
