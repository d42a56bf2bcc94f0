# SPDX-License-Identifier: Apache-2.0
"""A start of the worker, from which jobs are forked.

Interpreter, imports and the subject take several times as long as measuring a small message.
"""

from __future__ import annotations

import json
import subprocess
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from wirecost.measure.serializers.backend import END
from wirecost.system import children
from wirecost.system.children import failed


class Start:
    """A process that forks one for each job."""

    def __init__(
        self,
        command: Sequence[str],
        shared: Mapping[str, object],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start a worker. ``shared``: what all jobs have in common."""
        self._name = f"`{' '.join(command[:3])} …`"
        pipe = subprocess.PIPE
        self._process = children.start(
            command, environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        weakref.finalize(self, children.end, self._process)
        self._write(shared)
        self.is_free = True

    def _write(self, words: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # its status says why
            self._process.stdin.write(f"{json.dumps(words)}\n")
            self._process.stdin.flush()

    def lines(self, job: Mapping[str, object]) -> Iterator[str]:
        """Yield the lines that a fork prints for a job. Raises ProgramFailedError.

        The start is free again when they have all been taken.
        """
        self.is_free = False
        self._write(job)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for line in self._process.stdout:
            kind, _, end = line.partition("\t")
            if kind == END and line.endswith("\n"):
                self.is_free = True
                status, errors = json.loads(end)
                if status != 0:
                    raise failed(self._name, status, errors)
                return
            if line.endswith("\n"):
                yield line[:-1]
        errors = self._process.stderr.read()
        raise failed(self._name, self._process.wait(), errors)
