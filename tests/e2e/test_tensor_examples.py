# SPDX-License-Identifier: Apache-2.0
"""The examples as the documentation starts them: a sender and a listener, two processes."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.programs import execute

EXAMPLES = Path(__file__).parents[2] / "examples" / "tensors"
TRANSPORT = "zeromq"
LONGEST_S = 120
PATTERNS = {
    "camera": r"(at \d+|nowhere), \d+\.\d ms ago, preview 80x60\n",
    "policy": r"step \d+: joints at( [+-]\d\.\d\d){7}\n",
    "telemetry": r"\d+ rows, \d+\.\d\d to 1\d\.\d\d m/s\n",
}
LISTENERS = {"policy": "policy_ask.py"}
SENDERS = {"policy": "policy_serve.py"}
NEEDS = {"camera": "PIL", "policy": "torch", "telemetry": "pandas"}


def missing(package: str) -> bool:
    return importlib.util.find_spec(package) is None


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """Topics of the test's own; paths of sockets are short."""
    with tempfile.TemporaryDirectory() as folder:
        yield os.environ | {"XDG_RUNTIME_DIR": folder, "OMP_NUM_THREADS": "1"}


@contextmanager
def running(script: str, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run an example, and end it by Ctrl-C, which none complains about."""
    # A shell's background job, as this may be, ignores Ctrl-C, and so would what it starts.
    command = ["env", "--default-signal=INT", sys.executable, str(EXAMPLES / script), TRANSPORT]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as program:
        watch = threading.Timer(LONGEST_S, program.kill)
        watch.start()
        try:
            yield program
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate()
            assert (program.returncode, errors) == (0, "")
        finally:
            watch.cancel()
            program.kill()


@pytest.mark.parametrize("name", PATTERNS)
def test_a_sender_and_a_listener(name: str, environment: dict[str, str]) -> None:
    if missing("zmq") or missing(NEEDS[name]):
        pytest.skip(f"needs pyzmq and {NEEDS[name]}")
    with (
        running(LISTENERS.get(name, f"{name}_listen.py"), environment) as listener,
        running(SENDERS.get(name, f"{name}_publish.py"), environment),
    ):
        assert listener.stdout is not None
        for _ in range(3):
            line = listener.stdout.readline()
            assert re.fullmatch(PATTERNS[name], line), line


def test_a_map_is_copied_or_shared(environment: dict[str, str]) -> None:
    if missing("zmq") or missing("iceoryx2"):
        pytest.skip("needs pyzmq and iceoryx2")
    command = [sys.executable, str(EXAMPLES / "one_map.py"), "2", "zeromq-tcp", "iceoryx2"]
    done = execute(command, env=environment, timeout=LONGEST_S)
    assert (done.returncode, done.stderr) == (0, "")
    copies = re.findall(r"(\S+) +\d+\.\d ms +(\d+\.\d) maps in memory\n", done.stdout)
    assert {name: round(float(count)) for name, count in copies} == {"zeromq-tcp": 2, "iceoryx2": 1}


@pytest.mark.skipif(not missing("torch"), reason="PyTorch is here")
def test_the_policy_tells_that_torch_is_missing(environment: dict[str, str]) -> None:
    command = [sys.executable, str(EXAMPLES / "policy_serve.py"), TRANSPORT]
    done = execute(command, env=environment, timeout=LONGEST_S)
    assert (done.returncode, done.stdout) == (1, "")
    # Environments of frameworks, which run this, too, have no plug-in for whole answers.
    assert done.stderr.startswith("policy_serve.py: ") and "pip install torch" in done.stderr
