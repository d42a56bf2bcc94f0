# SPDX-License-Identifier: Apache-2.0
"""Callbacks of programs that nobody built with probes: Debian's, and ours without symbols."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from support.ros1_system import (
    DEBIAN_MODULES,
    MISSING,
    TOPIC_TOOLS,
    WIRECOST,
    Ros1System,
    ros1_system,
    until,
)
from wirecost.results.records.probe_log import events_of, read_logs
from wirecost.system.errors import UserError

BUILT = Path(__file__).parents[2] / "build" / "cmake"
CALLBACKS = BUILT / "tests" / "cpp" / "ros1" / "ros1_callbacks"
HOOK = BUILT / "cpp" / "wirecost" / "hooks" / "ros1" / "libwirecost-hook-ros1.so"
ROSOUT = Path("/usr/lib/rosout/rosout")
REPUBLISH = Path("/usr/lib/image_transport/republish")
RUN = [str(WIRECOST), "probe", "run"]
NO_COUNTERS = {"WIRECOST_PROBE_COUNTERS": "none"}

Enough = Callable[[pl.DataFrame], bool]

pytestmark = [
    pytest.mark.skipif(MISSING, reason="needs roscore, rospy and topic-tools of Debian"),
    pytest.mark.skipif(not HOOK.exists(), reason="needs a build with tests"),
]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ros1System]:
    """Somebody publishes on /in."""
    with ros1_system(tmp_path_factory.mktemp("ros")) as made:
        made.node("source")
        until(lambda: "/in" in made.published())
        yield made


def environment(system: Ros1System, **variables: str) -> dict[str, str]:
    return system.environment | NO_COUNTERS | variables


def some_callbacks(events: pl.DataFrame) -> bool:
    return events.filter(~pl.col("section").str.ends_with(" deserialize")).height > 20


def recorded(
    system: Ros1System,
    folder: Path,
    *words: str | Path,
    enough: Enough = some_callbacks,
    **variables: str,
) -> Any:
    """Return the events of a program that SIGINT ended once there were enough."""
    command = [WIRECOST, "probe", "run", "--out", folder, "--", *words]
    with subprocess.Popen(
        [str(word) for word in command],
        env=environment(system, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            until(lambda: _has(folder, enough))
        finally:
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
    assert process.returncode in {0, 130}, errors
    return events_of(read_logs([folder])), output


def _has(folder: Path, enough: Enough) -> bool:
    if not any(folder.glob("*.wprobe")):
        return False
    try:
        return enough(events_of(read_logs([folder])))
    except UserError:  # a log is being made
        return False


def sections(events: pl.DataFrame, kind: str = "section") -> set[str]:
    return set(events.filter(pl.col("kind") == kind)["section"])


def test_a_relay_of_debian(system: Ros1System, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    folder = tmp_path / "logs"
    events, output = recorded(system, folder, TOPIC_TOOLS / "relay", "/in", "/out", "__name:=relay")
    assert {"/relay /in deserialize", "/relay /in in_cb"} <= sections(events)
    assert sorted(sections(events, "span")) == snapshot
    callbacks = events.filter(section="/relay /in in_cb")
    waits = events.filter(section="/relay /in queue wait")
    assert callbacks.height == waits.height
    assert callbacks["value"].to_list() == waits["value"].to_list()
    assert callbacks["value"].min() > 0
    # A wait ends where its callback begins, and each message has an identity of its own.
    gaps = callbacks["begin_ns"].sort() - waits["end_ns"].sort()
    assert 0 <= gaps.min() <= gaps.median() < 100_000
    assert waits["message"].n_unique() == waits.height
    published = events.filter(section="/relay publish /out")
    assert set(published["parent"]) == {"/relay /in in_cb"}
    assert "/in · subscription" in output


def test_the_throttle_of_debian_and_an_inherited_preload(
    system: Ros1System, tmp_path: Path
) -> None:
    words = (TOPIC_TOOLS / "throttle", "messages", "/in", "1000", "/slow", "__name:=throttle")
    theirs = BUILT / "cpp" / "wirecost" / "heap" / "libwirecost-heap.so"
    events, _ = recorded(system, tmp_path / "logs", *words, LD_PRELOAD=str(theirs))
    assert "/throttle /in in_cb" in sections(events)


def test_rosout_of_debian(system: Ros1System, tmp_path: Path) -> None:
    script = tmp_path / "start"
    script.write_text(f"#!/bin/sh\nexec {ROSOUT} __name:=second\n")
    script.chmod(0o755)
    talker = tmp_path / "talk.py"
    talker.write_text(TALKER)
    system.start("/usr/bin/python3", talker, PYTHONPATH=DEBIAN_MODULES)
    events, _ = recorded(system, tmp_path / "logs", script)
    assert any(one.startswith("/second /rosout rosgraph_msgs/Log") for one in sections(events))


TALKER = """
import rospy
rospy.init_node("talker")
while not rospy.is_shutdown():
    rospy.loginfo("words")
    rospy.sleep(0.02)
"""

KINDS = {
    "/callbacks /words std_msgs/String {anonymous}::by_function",
    "/callbacks /words std_msgs/String main::{lambda#1}",
    "/callbacks /words std_msgs/String {anonymous}::Listener::virtually",
    "/callbacks /words std_msgs/String {anonymous}::Listener::with_event",
    "/callbacks /words std_msgs/String {anonymous}::Listener::changing",
    "/callbacks /words std_msgs/String {anonymous}::Listener::throwing",
    "/callbacks timer 50 ms {anonymous}::Listener::tick",
    "/callbacks timer 20 ms {anonymous}::Listener::wall_tick",
    "/callbacks timer 20 ms {anonymous}::Listener::steady_tick",
}


def run_to_its_end(system: Ros1System, folder: Path, *words: str | Path, **more: str) -> Any:
    done = subprocess.run(
        [*RUN, "--out", str(folder), "--json", "-", "--", *map(str, words)],
        env=environment(system, **more), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return events_of(read_logs([folder])), json.loads(done.stdout)


def test_callbacks_of_every_kind(system: Ros1System, tmp_path: Path) -> None:
    events, document = run_to_its_end(system, tmp_path / "logs", CALLBACKS)
    assert sections(events) >= KINDS | {"own", "/callbacks /words deserialize"}
    assert {one["section"] for one in document["sections"]} >= KINDS
    ticks = events.filter(section="/callbacks timer 50 ms {anonymous}::Listener::tick")
    assert ticks.height == 40
    assert events.filter(section="/callbacks publish /words").height == 40
    assert set(events.filter(section="/callbacks publish /words")["parent"]) == set(
        ticks["section"]
    )
    # An exception leaves its section.
    assert all(log.unclosed == log.unmatched == 0 for log in read_logs([tmp_path / "logs"]))
    # A probe of the program's own lies within the hook's, and they measure the same.
    outer = "/callbacks /words std_msgs/String {anonymous}::by_function"
    own = events.filter(section="own")
    assert set(own["parent"]) == {outer}
    assert own.height == events.filter(section=outer).height


IN_PYTHON = """
import ctypes, sys
name = ctypes.create_string_buffer(b"callbacks")
ctypes.CDLL(sys.argv[1]).main(1, (ctypes.c_char_p * 2)(ctypes.addressof(name)))
"""


def test_callbacks_of_an_extension_of_python(system: Ros1System, tmp_path: Path) -> None:
    """Libraries that an extension is linked to are in no global scope."""
    module = CALLBACKS.with_name("libros1_callbacks_module.so")
    words = (sys.executable, "-c", IN_PYTHON, module)
    events, _ = run_to_its_end(system, tmp_path / "logs", *words)
    assert sections(events) >= KINDS
    preloaded = {"LD_PRELOAD": str(HOOK)}
    subprocess.run([*map(str, words)], env=environment(system, **preloaded), timeout=60, check=True)


def test_callbacks_without_symbols(system: Ros1System, tmp_path: Path) -> None:
    stripped = CALLBACKS.with_name("ros1_callbacks_stripped")
    events, _ = run_to_its_end(system, tmp_path / "logs", stripped)
    found = sections(events)
    assert any(one.startswith("/callbacks /words std_msgs/String") for one in found)
    listener = "/callbacks /words std_msgs/String {anonymous}::Listener::ros1_callbacks_stripped+0x"
    assert sum(one.startswith(listener) for one in found) >= 3
    assert any(one.startswith("/callbacks timer 50") for one in found)


def test_hooks_leave_a_program_with_probes_alone_where_asked(
    system: Ros1System, tmp_path: Path
) -> None:
    events, _ = run_to_its_end(
        system, tmp_path / "logs", CALLBACKS, WIRECOST_HOOK_UNLESS_PROBED="1"
    )
    assert sections(events) == {"own"}
    events, _ = run_to_its_end_without(system, tmp_path / "without")
    assert sections(events) == {"own"}


def run_to_its_end_without(system: Ros1System, folder: Path) -> Any:
    done = subprocess.run(
        [str(WIRECOST), "probe", "run", "--without", "ros1", "--out", str(folder), "--", CALLBACKS],
        env=environment(system), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return events_of(read_logs([folder])), done.stdout


def test_a_killed_node_keeps_its_records(system: Ros1System, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    node = [TOPIC_TOOLS / "relay", "/in", "/killed", "__name:=killed"]
    command = [WIRECOST, "probe", "run", "--out", folder, "--", *node]
    with subprocess.Popen(
        [str(word) for word in command], env=environment(system), stdout=subprocess.DEVNULL
    ) as process:
        until(lambda: _has(folder, some_callbacks))
        (log,) = [one for one in folder.glob("relay-*.wprobe") if _main_thread(one)]
        os.kill(int(log.name.split("-")[1]), signal.SIGKILL)
        assert process.wait(30) == 128 + signal.SIGKILL
    assert events_of(read_logs([folder])).filter(section="/killed /in in_cb").height > 5


def _main_thread(log: Path) -> bool:
    _, process, thread = log.stem.split("-")[:3]
    return process == thread


def test_callbacks_of_rospy(system: Ros1System, tmp_path: Path) -> None:
    node = tmp_path / "node.py"
    node.write_text(ROSPY_NODE)
    node.chmod(0o755)
    callback = "/listener /in std_msgs/Header node.Node.on_header"
    service = "/listener service /listener/empty std_srvs/Empty node.Node.on_empty"
    timer = "/listener timer 10 ms node.Node.tick"

    def has_ticked(events: pl.DataFrame) -> bool:
        return {callback, timer} <= sections(events) and some_callbacks(events)

    events, _ = recorded(
        system,
        tmp_path / "logs",
        node,
        enough=has_ticked,
        PYTHONPATH=DEBIAN_MODULES,
        PATH="/usr/bin:/bin",
    )
    assert {callback, timer, service} <= sections(events)
    waits = {"/listener /in queue wait", "/listener publish /from_python"}
    assert waits <= sections(events, "span")
    assert events.filter(section=callback)["value"].min() > 8
    published = events.filter(section="/listener publish /from_python")
    assert set(published["parent"]) == {callback}
    # A service's threads come and go; their logs do not pile up.
    assert len(list((tmp_path / "logs").glob("*.wprobe"))) < 6


ROSPY_NODE = """#!/usr/bin/env python3
import rospy, threading
from std_msgs.msg import Header
from std_srvs.srv import Empty, EmptyResponse

class Node:
    def __init__(self):
        self.publisher = rospy.Publisher("/from_python", Header, queue_size=10)
        rospy.Service("/listener/empty", Empty, self.on_empty)
        rospy.Subscriber("/in", Header, self.on_header)

    def on_header(self, header): self.publisher.publish(header)
    def on_empty(self, request): return EmptyResponse()
    def tick(self, event): pass

rospy.init_node("listener")
node = Node()
call = rospy.ServiceProxy("/listener/empty", Empty)
for _ in range(10):
    call()
rospy.Timer(rospy.Duration(0.01), node.tick)
rospy.spin()
"""


def test_a_replay_records_the_callbacks_of_a_node_without_probes(
    system: Ros1System,
    tmp_path: Path,
    snapshot: SnapshotAssertion,
) -> None:
    system.start(TOPIC_TOOLS / "relay", "/in", "/again", "__name:=again")
    until(lambda: "/again" in system.published())
    recording = tmp_path / "recording"
    done = system.wirecost("record", "/again", "--for", "2", "--out", recording)
    assert done.returncode == 0, done.stderr
    cases = {}
    for option in ("--hooks", "--no-hooks"):
        out = tmp_path / option
        done = system.wirecost(
            "replay", recording, option, "--out", out, "--no-report", "--json", "-"
        )
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)["rows"]
        cases[option] = {row["case"]: row["n"] for row in rows if row["stage"] == "turnaround"}
    assert cases["--no-hooks"] == {}
    assert sorted(cases["--hooks"]) == snapshot
    assert min(cases["--hooks"].values()) > 20


def test_a_static_program_runs_as_it_is(tmp_path: Path) -> None:
    program = Path("/sbin/ldconfig")
    if not program.exists():
        pytest.skip("needs ldconfig, which is linked statically")
    done = subprocess.run(
        [*RUN, "--out", str(tmp_path / "logs"), "--", str(program), "--version"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("ldconfig (")
    note, ended = done.stderr.splitlines()
    assert "linked statically" in note
    assert "no callback was" in ended


def test_another_roscpp_is_refused_in_one_line(system: Ros1System, tmp_path: Path) -> None:
    """It is the same library under another version's name: the node works, nothing is recorded."""
    library = Path("/usr/lib/x86_64-linux-gnu/libroscpp.so.4d")
    if not library.exists():
        pytest.skip("needs Debian's libroscpp of x86-64")
    other = tmp_path / "libroscpp.so.1.16.0"
    other.write_bytes(library.read_bytes())
    (tmp_path / library.name).symlink_to(other)
    command = [WIRECOST, "probe", "run", "--", TOPIC_TOOLS / "relay", "/in", "/other"]
    with subprocess.Popen(
        [str(word) for word in command],
        env=environment(system, LD_LIBRARY_PATH=str(tmp_path)),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        until(lambda: "/other" in system.published())
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert f"{tmp_path}/libroscpp.so.4d: not the" in errors
    assert "no callback was" in errors


CAMERA = """
import rospy
from sensor_msgs.msg import Image
rospy.init_node("camera")
publisher = rospy.Publisher("/image", Image, queue_size=2)
image = Image(height=100, width=100, encoding="mono8", step=100, data=bytes(10000))
rate = rospy.Rate(100)
while not rospy.is_shutdown():
    publisher.publish(image)
    rate.sleep()
"""


@pytest.mark.skipif(not REPUBLISH.exists(), reason="needs Debian's image-transport-tools")
def test_a_program_with_plugins(system: Ros1System, tmp_path: Path) -> None:
    """image_transport loads its transports while it runs, and subscribes when others do."""
    camera = tmp_path / "camera.py"
    camera.write_text(CAMERA)
    system.start("/usr/bin/python3", camera, PYTHONPATH=DEBIAN_MODULES)
    system.start(TOPIC_TOOLS / "relay", "/image2", "/image3")
    words = (REPUBLISH, "raw", "in:=/image", "raw", "out:=/image2", "__name:=republish")

    def published(events: pl.DataFrame) -> pl.DataFrame:
        return events.filter(section="/republish publish /image2")

    # Nothing is written until the relay has found it.
    def enough(events: pl.DataFrame) -> bool:
        return (
            some_callbacks(events)
            and not published(events).filter(pl.col("value") > 10_000).is_empty()
        )

    events, _ = recorded(system, tmp_path / "logs", *words, enough=enough)
    (callback,) = [one for one in sections(events) if "/image sensor_msgs/Image" in one]
    assert callback.startswith("/republish /image sensor_msgs/Image")
    assert set(published(events)["parent"]) == {callback}
