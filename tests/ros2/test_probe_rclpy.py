# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe run`` on nodes of rclpy as they are: names, and the nodes' own counts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from support.networks import run_inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of
from wirecost.results.records.probe_log import events_of, read_logs

TICKS = 25
WORKER, CALLER = "/robot/worker", "/caller"
SECTIONS = {
    f"{WORKER} timer 20 ms callbacks.Worker.on_tick": "on_tick",
    f"{WORKER} /robot/talk callbacks.Worker.on_text": "on_text",
    f"{WORKER} /robot/talk lambda callbacks.py:LINE": "lambda",
    f"{WORKER} /robot/talk callbacks.Worker.on_part": "on_part",
    f"{WORKER} /robot/talk callbacks.Worker.on_coroutine": "on_coroutine",
    f"{WORKER} service /robot/ask callbacks.Worker.on_ask": "on_ask",
    f"{WORKER} client /robot/ask callbacks.Worker.on_answer": "on_answer",
    f"{WORKER} task callbacks.Worker.on_task": "on_task",
    f"{WORKER} guard condition callbacks.Worker.on_guard": "on_guard",
    f"{WORKER} action /robot/climb goal callbacks.Worker.on_goal": "on_goal",
    f"{WORKER} action /robot/climb execute callbacks.Worker.on_execute": "on_execute",
    f"{CALLER} /robot/talk callbacks.Caller.on_far": "on_far",
    f"{CALLER} /robot/talk callbacks.Caller.on_message": "on_message",
    f"{CALLER} action /robot/climb feedback callbacks.Caller.on_feedback": "on_feedback",
    f"{CALLER} action /robot/climb goal response callbacks.Caller.on_response": "on_response",
    f"{CALLER} action /robot/climb result callbacks.Caller.on_result": "on_result",
    f"{WORKER} publish /rosout": "rosout",
}
"""What the node calls each of its callbacks."""
WAITS = {
    f"{WORKER} publish /robot/talk": TICKS,
    f"{WORKER} /robot/talk publish→take": 4 * TICKS,
    f"{WORKER} /robot/talk take→callback": 4 * TICKS,
    f"{CALLER} /robot/talk publish→take": TICKS,
    f"{CALLER} /robot/talk take→callback": TICKS,
}
ECHO = """
import rclpy
from rclpy.node import Node
from std_msgs.msg import String

class Echo(Node):
    def __init__(self):
        super().__init__("echo")
        self.calls = 0
        self.create_subscription(String, "chatter", self.on_text, 10)
        self.publisher = self.create_publisher(String, "chatter", 10)

    def on_text(self, message):
        self.calls += 1

def main():
    rclpy.init()
    node = Echo()
    for _ in range(5):
        node.publisher.publish(String())
    while node.calls < 5:
        rclpy.spin_once(node)
    return 0

if __name__ == "__main__":
    main()
"""


def probe_run(
    logs: Path,
    *words: str | Path,
    network: str = "loopback",
    options: tuple[str, ...] = (),
    **more: str,
) -> subprocess.CompletedProcess[str]:
    """``more``: variables of the environment."""
    environment = ["env", *(f"{name}={value}" for name, value in more.items())]
    wirecost = [sys.executable, "-m", "wirecost", "probe", "run", "--out", logs, *options]
    done = run_inside(network, [*environment, *map(str, wirecost), "--", *words])
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize(("fault", "status"), [("none", 0), ("copy", 3)])
def test_a_control_loop_keeps_its_budget_without_a_copy(
    fault: str, status: int, tmp_path: Path
) -> None:
    example = NODES.parents[2] / "examples" / "probe" / "control.py"
    # Times are left out: other tests take the processor.
    limits = example.with_suffix(".toml").read_text().splitlines()
    (tmp_path / "budget.toml").write_text("\n".join(one for one in limits if "p99" not in one))
    check = [sys.executable, "-m", "wirecost", "probe", "check", "--json", tmp_path / "out.json"]
    budget = ["--budget", tmp_path / "budget.toml"]
    done = run_inside("loopback", [*check, *budget, "--", python_of("jazzy"), example, fault])
    assert done.returncode == status, done.stderr
    judged = json.loads((tmp_path / "out.json").read_text())["budgets"]
    owns = [
        one["origins"][0]["own"] for one in judged if one["quantity"] == "allocations" and status
    ]
    lines = example.read_text().splitlines()
    assert [lines[own["line"] - 1].strip() for own in owns] == ['state = array("d", state)'][
        :status
    ]


def counts_of(logs: Path) -> dict[str, int]:
    return dict(events_of(read_logs([logs])).group_by("section").len().rows())


@pytest.mark.parametrize(
    ("distribution", "executor", "network"),
    [
        ("jazzy", "single", "loopback"),
        ("jazzy", "multi", "second"),
        ("kilted", "single", "second"),
        ("kilted", "multi", "loopback"),
        ("kilted", "events", "loopback"),
    ],
)
def test_every_callback_is_named_and_counted(
    distribution: str, executor: str, network: str, tmp_path: Path
) -> None:
    node = [python_of(distribution), NODES / "callbacks.py", executor, str(TICKS)]
    options = ("--deadline", "1ns", "--json", str(tmp_path / "shown.json"))
    remapped = [*node, "--ros-args", "-r", "chatter:=talk"]
    done = probe_run(tmp_path / "logs", *remapped, network=network, options=options)
    own = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    line = next(
        number
        for number, text in enumerate((NODES / "callbacks.py").read_text().splitlines(), start=1)
        if "lambda _: self.count" in text
    )
    counts = counts_of(tmp_path / "logs")
    expected = {
        section.replace("LINE", str(line)): own[name]
        for section, name in SECTIONS.items()
        if name in own
    }
    assert {name: counts.get(name) for name in expected} == expected
    waits = dict(WAITS)
    if executor == "events":  # which starts a coroutine when it has taken other messages
        waits[f"{WORKER} /robot/talk take→callback"] -= TICKS
    assert {name: counts.get(name) for name in waits} == waits
    assert own["on_coroutine"] == TICKS
    assert ("on_guard" in own) == (executor != "events")
    _only_callbacks_miss(json.loads((tmp_path / "shown.json").read_text()), expected)
    _coroutines_are_whole(events_of(read_logs([tmp_path / "logs"])))
    assert "not left" not in done.stdout
    assert (f"{WORKER} executor idle" in counts) == (executor != "events")


def _only_callbacks_miss(shown: dict[str, Any], callbacks: dict[str, int]) -> None:
    misses = {one["section"]: one["deadline_misses"] for one in shown["sections"]}
    waits = {name for name in misses if "publish" in name or "take" in name or "idle" in name}
    assert {misses[name] for name in waits} == {None}
    assert {n: misses[n] for n in callbacks if n not in waits} == {
        name: count for name, count in callbacks.items() if name not in waits
    }


def _coroutines_are_whole(events: pl.DataFrame) -> None:
    """One execution lasts over the service's answer that it waited for."""
    rows = events.filter(pl.col("section").str.ends_with("on_coroutine"))
    answered = events.filter(pl.col("section").str.ends_with("on_ask"))["begin_ns"].to_numpy()
    for begin, end in rows.select("begin_ns", "end_ns").rows():
        assert ((begin < answered) & (answered < end)).any()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_what_is_taken_without_a_callback_is_recorded(distribution: str, tmp_path: Path) -> None:
    probe_run(tmp_path / "logs", python_of(distribution), NODES / "polling.py", "20")
    counts = counts_of(tmp_path / "logs")
    assert counts["/poller /chatter publish→take"] == 20
    assert counts["/poller publish /chatter"] == 20
    assert not any("callback" in name or "lambda" in name for name in counts)


@pytest.mark.parametrize("start", ["module", "console script", "child"])
def test_however_it_is_started(start: str, tmp_path: Path) -> None:
    """The wheels start Python again, and start scripts start it in a process of its own."""
    python = python_of("jazzy")
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "echo.py").write_text(ECHO)
    script = tmp_path / "echo"
    script.write_text(
        "#!/usr/bin/env python3\nimport sys\nfrom pkg.echo import main\nsys.exit(main())"
    )
    script.chmod(0o755)
    child = f"import subprocess, sys; sys.exit(subprocess.call([{str(script)!r}]))"
    words = {
        "module": [python, "-m", "pkg.echo"],
        "console script": [script],
        "child": [sys.executable, "-c", child],
    }[start]
    path = f"{python.parent}:/usr/bin:/bin"
    probe_run(tmp_path / "logs", *words, PYTHONPATH=str(tmp_path), PATH=path)
    assert counts_of(tmp_path / "logs")["/echo /chatter pkg.echo.Echo.on_text"] == 5


def test_an_executor_that_is_not_known_is_reported(tmp_path: Path) -> None:
    """rclpy itself, whose executor calls something else than it does."""
    python = python_of("jazzy")
    installed = next((python.parents[1] / "lib").glob("python3*/site-packages/rclpy"))
    shutil.copytree(installed, tmp_path / "rclpy", ignore=shutil.ignore_patterns("__pycache__"))
    executors = tmp_path / "rclpy" / "executors.py"
    executors.write_text(re.sub(r"\.callback\b", ".function", executors.read_text()))
    (tmp_path / "node.py").write_text("import rclpy\nrclpy.init()\nrclpy.create_node('quiet')\n")
    done = probe_run(tmp_path / "logs", python, tmp_path / "node.py", PYTHONPATH=str(tmp_path))
    lines = [line for line in done.stderr.splitlines() if "rclpy" in line]
    assert len(lines) == 1
    assert re.fullmatch(
        r"wirecost: rclpy 7\S+: its executor is not known; callbacks are not recorded", lines[0]
    )
