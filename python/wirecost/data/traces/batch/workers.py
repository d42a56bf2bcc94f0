# SPDX-License-Identifier: Apache-2.0
"""Traces in several processes, each with a ProcessPoolExecutor of its own.

When a process ends before its work, it is certain which trace it had, and no other worker is
disturbed. A trace whose worker ended is converted again, ATTEMPTS times in all. Only paths and
outcomes pass between the processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from multiprocessing import resource_tracker
from pathlib import Path

from wirecost.data.traces.batch.jobs import ConversionJob, Options
from wirecost.data.traces.batch.journal import ConversionJournal
from wirecost.data.traces.batch.work import ConversionOutcome, convert_job
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.printable import shown

ATTEMPTS = 3
TAIL = 4096
"""Bytes at the end of a worker's output in which its last line is looked for."""
TERMINAL_SIGNALS = {signal.SIGINT, signal.SIGHUP}
"""Sent by a terminal to all its processes; only this one acts on them and ends the workers."""


class Workers:
    """``count`` processes, each limited to ``most`` bytes of memory.

    ``replaced``: the number of processes that ended before their work and were replaced.
    """

    def __init__(
        self, options: Options, count: int, most: int | None, journal: ConversionJournal
    ) -> None:
        self._options, self._count, self._most, self._journal = options, count, most, journal
        self._executors: dict[int, ProcessPoolExecutor] = {}
        self._others = set(multiprocessing.active_children())
        self._folder = Path()
        self.replaced = 0

    def converted(self, jobs: Sequence[ConversionJob]) -> Iterator[ConversionOutcome]:
        """Yield the outcome of each, in the order in which they end. Raises UserError."""
        waiting = deque(sorted(jobs, key=lambda job: -job.source.size))
        idle = list(range(self._count))
        attempts: Counter[int] = Counter()
        running: dict[Future[ConversionOutcome], tuple[ConversionJob, int]] = {}
        with ExitStack() as stack:
            self._folder = stack.enter_context(scratch.folder("convert"))
            stack.callback(self._close)
            while waiting or running:
                while waiting and idle:
                    job, worker = waiting.popleft(), idle.pop()
                    self._journal.begin(job)
                    running[self._submit(worker, job)] = job, worker
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    job, worker = running.pop(future)
                    idle.append(worker)
                    attempts[job.number] += 1
                    try:
                        yield future.result()
                    except (BrokenProcessPool, MemoryError):
                        self.replaced += 1
                        self._executors.pop(worker).shutdown()
                        if attempts[job.number] < ATTEMPTS:
                            waiting.append(job)
                        else:
                            yield self._killed(job, worker)

    def _submit(self, worker: int, job: ConversionJob) -> Future[ConversionOutcome]:
        """Start the conversion, and the worker where it does not run. Raises UserError."""
        # Started here, since it lets the blocked signals through again in the thread that does.
        resource_tracker.ensure_running()
        former = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
        try:
            if worker not in self._executors:
                context = multiprocessing.get_context("spawn")
                output = self._output_of(worker)
                self._executors[worker] = ProcessPoolExecutor(1, context, _prepare, (output,))
            return self._executors[worker].submit(convert_job, job, self._options, self._most)
        except OSError as error:
            raise UserError(
                f"--workers {self._count}: cannot be started ({error.strerror}); go on with "
                "--resume and fewer --workers"
            ) from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)

    def _killed(self, job: ConversionJob, worker: int) -> ConversionOutcome:
        line = _last_line(self._output_of(worker))
        printed = f" (it printed: {line})" if line else ""
        return ConversionOutcome(
            job.number,
            f"{job.source.path}: its worker was killed {ATTEMPTS} times, by a signal or for lack "
            f"of memory{printed}; convert it alone, or with fewer --workers",
        )

    def _output_of(self, worker: int) -> Path:
        return self._folder / f"worker-{worker}.txt"

    def _close(self) -> None:
        """End all workers at once: what is done is done, and what is not has no name yet.

        Waits for the executors' threads, which hold up nothing once the workers are dead: Python
        3.11 prints a traceback where it ends while one of them closes its pipe.
        """
        for process in set(multiprocessing.active_children()) - self._others:
            process.kill()
        for executor in self._executors.values():
            executor.shutdown(cancel_futures=True)


def _prepare(output: Path) -> None:
    """Prepare a worker: what it prints goes to a file, and it ends with its parent."""
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    os.close(file)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _last_line(output: Path) -> str:
    """Return the last line that a worker printed; empty if it printed nothing."""
    try:
        with output.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return shown(next((line for line in reversed(lines) if line.strip()), ""))
