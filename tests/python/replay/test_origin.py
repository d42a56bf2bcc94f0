# SPDX-License-Identifier: Apache-2.0
"""Makers of a recording; nothing of somebody else's is started unasked."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.replay_fakes import STAMPED, stamped
from support.second_user import needs_root, open_folder, python_as_second_user
from wirecost.replay.play.foreign import foreign
from wirecost.replay.play.options import StartOptions
from wirecost.replay.process.state import ProcessState, state_of
from wirecost.replay.recording import origin
from wirecost.replay.recording.snapshot import JoinedTopic, Snapshot, read_snapshot, write_snapshot
from wirecost.replay.recording.writer import INPUT, RecordingWriter
from wirecost.replay.systems import system_named
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable

NASTY = "\x1b[2K\r\n\u202egpj.sh\udc80"
LONGEST_LINE = 6000


def process(*arguments: str, **environment: str) -> ProcessState:
    """Return the state of a program that leaves a file where it ran."""
    here = state_of(os.getpid())
    return replace(
        here,
        executable=shutil.which("touch") or "/usr/bin/touch",
        arguments=["touch", *arguments],
        working_directory="/",
        environment=environment,
    )


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return recorded(tmp_path / "recording", process(str(tmp_path / "started")))


def recorded(folder: Path, started: ProcessState) -> Path:
    folder.mkdir(exist_ok=True)
    snapshot = Snapshot("ros1", "ros1", "/node", 1, "given", started)
    snapshot.executable_size = Path(started.executable).stat().st_size
    snapshot.inputs = [JoinedTopic(STAMPED, 0.0, 1)]
    with RecordingWriter(folder / "recording.mcap", system_named("ros1")) as writer:
        writer.write(writer.add_topic(STAMPED, INPUT), 1, 1, stamped(1))
    write_snapshot(folder, snapshot)
    return folder


def unsealed(folder: Path, **more: Any) -> Path:
    """Return the recording as an older version, or somebody else, wrote it."""
    path = folder / "node.json"
    content = json.loads(path.read_text())
    content.pop("seal", None)
    path.write_text(json.dumps(content | more))
    return folder


def replay(folder: Path, *words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wirecost", "replay", folder, "--wait", "0.5", "--no-report"]
    command += ["--out", folder.parent / "out", *words]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=120,
        stdin=subprocess.DEVNULL, **more,
    )  # fmt: skip


def test_ones_own_recording_is_known(recording: Path) -> None:
    assert read_snapshot(recording).made_here
    # Wherever it lies.
    moved = recording.rename(recording.with_name("moved"))
    assert read_snapshot(moved).made_here
    # It is written again, as while it was recorded.
    write_snapshot(moved, replace(read_snapshot(moved), notes=["ä \x1b", "nan"], duration_s=0.1))
    assert read_snapshot(moved).made_here


def changes(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of a document with something else to put there."""
    if isinstance(value, dict):
        yield (*place, "added"), "1"
        for key, inner in value.items():
            yield from changes(inner, (*place, key))
    elif isinstance(value, list):
        yield place, [*value, "added"]
        for index, inner in enumerate(value):
            yield from changes(inner, (*place, index))
    elif isinstance(value, str):
        yield place, value + "x"
    elif isinstance(value, bool) or value is None:
        yield place, 1
    else:
        yield place, value + 1


def test_no_part_can_be_changed(recording: Path) -> None:
    path = recording / "node.json"
    whole = json.loads(path.read_text())
    tried = 0
    for place, other in changes(whole):
        document = copy.deepcopy(whole)
        holder = document
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = other
        path.write_text(json.dumps(document))
        with contextlib.suppress(UserError):
            assert not read_snapshot(recording).made_here, place
        tried += 1
    assert tried > 40
    path.write_text(json.dumps(whole))
    assert read_snapshot(recording).made_here


def test_another_users_process_is_not_ones_own(tmp_path: Path) -> None:
    """Root can record anybody's, and must not run it as root unasked."""
    others = replace(process(), user=os.geteuid() + 1)
    assert not read_snapshot(recorded(tmp_path / "others", others)).made_here
    older = replace(process(), user=None)
    assert not read_snapshot(recorded(tmp_path / "older", older)).made_here


@pytest.mark.parametrize("seal", ["", "ä", "0" * 64, 5, None, [], {"a": 1}, "0" * 100_000])
def test_what_is_no_seal_of_ours_is_none(seal: Any, recording: Path) -> None:
    assert not read_snapshot(unsealed(recording, seal=seal)).made_here


def test_another_machine_or_another_key_is_another_origin(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "machine-id").write_text("another\n")
    with monkeypatch.context() as patched:
        patched.setattr(origin, "MACHINE", tmp_path / "machine-id")
        assert not read_snapshot(recording).made_here
    monkeypatch.setenv("WIRECOST_STATE", str(tmp_path / "state"))
    assert not read_snapshot(recording).made_here
    assert not (tmp_path / "state" / origin.KEY_FILE).exists()


@pytest.mark.parametrize("harm", ["open folder", "short key", "link", "no folder"])
def test_without_a_private_key_nothing_is_ones_own(
    harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("WIRECOST_STATE", str(state))
    folder = recorded(tmp_path / "recording", process())
    assert read_snapshot(folder).made_here
    key = state / origin.KEY_FILE
    assert key.stat().st_mode & 0o777 == 0o600
    if harm == "open folder":
        state.chmod(0o777)
    elif harm == "short key":
        key.write_bytes(b"short")
    elif harm == "link":
        key.rename(tmp_path / "key")
        key.symlink_to(tmp_path / "key")
    else:
        shutil.rmtree(state)
        state.touch()
    assert not read_snapshot(folder).made_here
    write_snapshot(folder, read_snapshot(folder))  # is recorded all the same
    assert not read_snapshot(folder).made_here


def test_two_that_make_the_key_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRECOST_STATE", str(tmp_path / "state"))
    with ThreadPoolExecutor(8) as pool:
        seals = set(pool.map(lambda _: origin.seal({"a": 1}), range(32)))
    assert len(seals) == 1


def test_what_would_be_started_is_shown_whole_and_harmless() -> None:
    started = process(NASTY, "two words", LD_PRELOAD=f"/tmp/evil.so{NASTY}", PATH="/tmp/bin")
    snapshot = Snapshot("ros1", "ros1", "/node", 1, "given", started)
    start = foreign(snapshot, StartOptions([]), {"PATH": "/usr/bin"})
    assert start is not None
    text = "\n".join(start.lines())
    assert all(line.isprintable() for line in start.lines())
    assert r"$'\033[2K\015\012\342\200\256gpj.sh\200'" in text  # as a shell reads it
    assert "'two words'" in text
    assert "LD_PRELOAD=" in text
    assert "with PATH=/tmp/bin" in text
    assert started.executable in text
    assert start.line().isprintable()
    # Variables that are set so here already are not the recording's doing.
    same = foreign(snapshot, StartOptions([]), {"PATH": "/tmp/bin"})
    assert same is not None
    assert not any("PATH=/tmp/bin" in variable for variable in same.variables)
    # A command of one's own runs with the recording's variables.
    own = foreign(snapshot, StartOptions(["./mine"]), {})
    assert own is not None
    assert own.command == "./mine"
    assert own.variables == start.variables
    assert foreign(snapshot, StartOptions(["./mine"]), started.environment) is None
    assert foreign(replace(snapshot, made_here=True), StartOptions([]), {}) is None


def test_a_program_that_calls_itself_another_is_shown_by_its_file() -> None:
    started = replace(process("-rf", "/"), executable="/bin/rm", arguments=["relay", "-rf", "/"])
    start = foreign(Snapshot("ros1", "ros1", "/n", process=started), StartOptions([]), {})
    assert start is not None
    assert start.command == "/bin/rm -rf /"


@pytest.mark.parametrize("text", ["plain", "µ ä → 漢", "", "\t", "\x00\x7f\x9b", "a\u2028b", NASTY])
def test_printable(text: str) -> None:
    output = printable(text)
    assert output.isprintable()
    assert (output == text) == text.isprintable()


def test_ones_own_recording_starts_unasked(recording: Path, tmp_path: Path) -> None:
    done = replay(recording)
    assert (tmp_path / "started").exists(), done.stderr


def test_somebody_elses_is_refused_where_nobody_can_be_asked(
    recording: Path, tmp_path: Path
) -> None:
    done = replay(unsealed(recording))
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"wirecost: {recording}: not")
    assert f"touch {tmp_path / 'started'} in /" in line
    assert "--yes" in line
    assert not (tmp_path / "started").exists()
    assert not (tmp_path / "out").exists()


def test_yes_starts_it(recording: Path, tmp_path: Path) -> None:
    done = replay(unsealed(recording), "--yes")
    assert (tmp_path / "started").exists(), done.stderr


def test_a_refusal_is_one_short_line_whatever_it_names(tmp_path: Path) -> None:
    words = [NASTY, "x" * 200_000]
    folder = unsealed(recorded(tmp_path / "r", process(*words, LD_PRELOAD="y" * 200_000)))
    done = replay(folder)
    assert done.returncode == 2
    (line,) = done.stderr.split("\n")[:-1]
    assert line.isprintable()
    assert len(line) < LONGEST_LINE
    assert "characters more" in line


@pytest.mark.parametrize(("answer", "starts"), [("n\n", False), ("\n", False), ("y\n", True)])
def test_on_a_terminal_it_is_shown_and_asked(answer: str, starts: bool, tmp_path: Path) -> None:
    started = process(str(tmp_path / "started"), "--", NASTY.replace("\udc80", ""))
    folder = unsealed(recorded(tmp_path / "recording", started))
    command = [sys.executable, "-m", "wirecost", "replay", str(folder), "--wait", "0.5"]
    ours, terminal = pty.openpty()
    with subprocess.Popen(
        [*command, "--no-report", "--out", str(tmp_path / "out")],
        stdin=terminal, stdout=terminal, stderr=terminal, close_fds=True,
        env=os.environ | {"TERM": "xterm"}, start_new_session=True,
    ) as program:  # fmt: skip
        os.close(terminal)
        try:
            output = _until(ours, "[y/N]")
            assert not (tmp_path / "started").exists()
            assert "not a node" in output
            assert r"\033[2K\015\012\342\200\256gpj.sh" in output
            assert "\x1b[2K\r\n\u202e" not in output
            os.write(ours, answer.encode())
            rest = _until(ours, None)
            code = program.wait(60)
        finally:
            program.kill()  # one that waits for an answer would wait for ever
    os.close(ours)
    assert (tmp_path / "started").exists() == starts, rest
    if not starts:
        assert code == 2
        assert "not started" in rest


def _until(terminal: int, text: str | None) -> str:
    """Return what is printed until ``text`` comes, or until the end."""
    printed, end = "", time.monotonic() + 60
    while (text is None or text not in printed) and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            printed += part.decode("utf-8", "replace")
    return printed


@needs_root
def test_a_second_users_recording_is_not_ones_own() -> None:
    """Nor ours the second user's, even where the folder is open to both."""
    read = (
        "import dataclasses, os, pathlib, sys\n"
        "from wirecost.replay.recording.snapshot import read_snapshot, write_snapshot\n"
        "folder = pathlib.Path(sys.argv[1])\nsnapshot = read_snapshot(folder)\n"
        "print(snapshot.made_here)\n"
        "own = dataclasses.replace(snapshot.process, user=os.geteuid())\n"
        "snapshot = dataclasses.replace(snapshot, process=own)\n"
        "write_snapshot(folder, snapshot)\nprint(read_snapshot(folder).made_here)\n"
    )
    with open_folder(0o1777) as common:
        folder = recorded(common / "recording", process())
        assert read_snapshot(folder).made_here
        folder.chmod(0o777)
        state = {"WIRECOST_STATE": str(common / "theirs"), "PATH": os.environ["PATH"]}
        done = python_as_second_user(read, folder, environment=state)
        assert done.stdout.split() == ["False", "True"], done.stderr
        assert not read_snapshot(folder).made_here
        # Nor does it help to point at our key.
        state["WIRECOST_STATE"] = os.environ["WIRECOST_STATE"]
        done = python_as_second_user(read, folder, environment=state)
        assert done.stdout.split() == ["False", "False"], done.stderr
        assert not read_snapshot(folder).made_here
