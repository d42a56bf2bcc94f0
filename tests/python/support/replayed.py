# SPDX-License-Identifier: Apache-2.0
"""A recording of the node that answers by itself, and its replay."""

from __future__ import annotations

import os
from pathlib import Path

from support.replay_fakes import (
    ANSWER,
    COMMAND,
    MAP,
    SERVICE,
    STAMPED,
    FakeSystem,
    stamped,
)
from wirecost.replay.middleware import Call
from wirecost.replay.play.options import PlayOptions, StartOptions
from wirecost.replay.play.replay import Settings, replay
from wirecost.replay.process.state import ProcessState, state_of
from wirecost.replay.recording.snapshot import JoinedTopic, Snapshot, write_snapshot
from wirecost.replay.recording.writer import INPUT, OUTPUT, RecordingWriter
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results

COUNT = 40
PERIOD_NS = 10_000_000
ABOUT = {"cpu": "test", "doctor": {"verdict": "warn"}}


def write_recording(folder: Path, *arguments: str, directory: Path | None = None) -> Path:
    """40 inputs at 100 Hz, a map that was kept, one call after 100 ms."""
    folder.mkdir(exist_ok=True)
    needs_map = "--needs-map" in arguments
    inputs = [STAMPED, *([MAP] if needs_map else [])]
    base = 1_700_000_000_000_000_000
    with RecordingWriter(folder / "recording.mcap", FakeSystem()) as writer:
        channels = {topic.name: writer.add_topic(topic, INPUT) for topic in inputs}
        output = writer.add_topic(ANSWER, OUTPUT)
        if needs_map:
            # Its subscription stands a little later than that of /in.
            writer.write(channels["/map"], base + 5 * PERIOD_NS, 0, b"\x03the map")
        for i in range(COUNT):
            writer.write(channels["/in"], base + i * PERIOD_NS, 0, stamped(i))
            answer = stamped(i)[:-4] + (i * (3 if needs_map else 2)).to_bytes(4, "little")
            writer.write(output, base + i * PERIOD_NS + 1000, 0, answer)
        call = Call("/twice", "/a", base + 10**8, base + 10**8 + 5, b"ab", b"abab")
        writer.write_call(SERVICE, call, call.request_ns)
    here = state_of(os.getpid())
    process = ProcessState(
        executable=here.executable,
        arguments=[*COMMAND, *arguments],
        working_directory=str(directory or folder),
        environment={"PATH": os.environ["PATH"]},
        affinity=here.affinity,
        policy="other",
        priority=0,
        nice=0,
        limits=here.limits,
    )
    size = Path(here.executable).stat().st_size
    snapshot = Snapshot("ros1", "ros1", "/node", 1, "given", process, size)
    snapshot.parameters = {"/node/gain": 2}
    snapshot.inputs = [JoinedTopic(topic, 0.0) for topic in inputs]
    snapshot.outputs = [JoinedTopic(ANSWER, 0.0)]
    snapshot.provides = [SERVICE]
    write_snapshot(folder, snapshot)
    return folder


def replayed(
    recording: Path,
    folder: Path,
    start_options: StartOptions | None = None,
    play_options: PlayOptions | None = None,
    repeats: int = 1,
    system: FakeSystem | None = None,
) -> tuple[Results, bool]:
    folder.mkdir(exist_ok=True)
    settings = Settings(
        recording,
        start_options or StartOptions([]),
        play_options or PlayOptions(),
        repeats,
        ["replay"],
    )
    whole = replay(settings, ABOUT, folder, lambda _: None, system or FakeSystem())
    return read_results(folder), whole
