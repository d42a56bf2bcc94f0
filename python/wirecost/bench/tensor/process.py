# SPDX-License-Identifier: Apache-2.0
"""A worker as the harness sees it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

from wirecost import scratch
from wirecost.bench import other_python
from wirecost.bench.answering import TIMEOUT_S, Answering, WorkerFailedError
from wirecost.bench.tensor.contenders.base import Contender, Meeting
from wirecost.bench.tensor.interpreters import Interpreter

MODULE = "wirecost.bench.tensor.worker"
ENVIRONMENT = {"JAX_ENABLE_X64": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "RUST_LOG": "error"}


class End(Protocol):
    """One end of a contender, on this machine or on another one."""

    def send(self, do: str, **more: Any) -> None: ...
    def receive(self, within: float = TIMEOUT_S) -> dict[str, Any]: ...
    def ask(self, do: str, within: float = TIMEOUT_S, **more: Any) -> dict[str, Any]: ...
    def end(self) -> None: ...


class Worker(Answering):
    """See ``Answering``; on this machine."""

    def __init__(
        self,
        contender: Contender,
        role: str,
        meeting: Meeting,
        log: Path,
        more: dict[str, str],
        interpreter: Interpreter | None = None,
    ) -> None:
        """``more``: of the environment. ``interpreter``: instead of the contender's."""
        python = interpreter.path if interpreter else contender.python
        environment = (
            other_python.environment(contender.packages) if interpreter else dict(os.environ)
        )
        arguments = [
            contender.name, role, str(contender.size), meeting.topic, meeting.address or "",
            " ".join(map(str, meeting.descriptors)),
        ]  # fmt: skip
        super().__init__(
            f"{contender.name} {role}",
            [str(python), "-P", "-m", MODULE, *arguments],
            {**environment, **ENVIRONMENT, "TMPDIR": str(scratch.make("worker")), **more},
            log,
            meeting.descriptors,
        )


__all__ = ["TIMEOUT_S", "End", "Worker", "WorkerFailedError"]
