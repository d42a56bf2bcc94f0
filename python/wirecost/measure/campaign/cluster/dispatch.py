# SPDX-License-Identifier: Apache-2.0
"""Tasks to the workers of their machines, and what they measured into the store."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from wirecost.measure.campaign.cluster.keys import distributed, security
from wirecost.measure.campaign.cluster.orders import Order, carry_out, forget, where
from wirecost.measure.campaign.cluster.settings import ATTEMPTS, GONE_S
from wirecost.measure.campaign.cluster.worker_process import MACHINE, MEASURE
from wirecost.measure.campaign.running import TaskResult
from wirecost.measure.campaign.tasks import Task
from wirecost.results.store.store import RECORDS, Files, Record, read_record
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

WINDOW = 2
"""Tasks of each machine that the scheduler knows: the next begins as soon as one ends."""
LOOK_S = 1.0
ANSWER_S = 120.0
"""Longest time that results may take from their worker to here."""
LOST = "the scheduler has ended, or cannot be reached any more"

Kept = Callable[[Record, Files], None]
"""Callback that keeps what was measured in the store. May raise OSError."""


@dataclass
class _Machine:
    waiting: deque[Task]
    seen: float
    """When it had a worker last."""
    stored: list[str] = field(default_factory=list)
    """Keys that its worker has not been told yet."""
    flying: int = 0


class Dispatch:
    """``ended``: why a machine's worker has ended for good, None where it may come again."""

    def __init__(
        self,
        client: Any,
        campaign: str,
        resume: bool,
        places: dict[str, str],
        keep: Kept,
        ended: Callable[[str], str | None],
        gone_s: float = GONE_S,
    ) -> None:
        self._client = client
        self._campaign, self._resume, self._places = campaign, resume, places
        self._keep, self._ended, self._gone_s = keep, ended, gone_s
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._flying: dict[Any, Task] = {}
        self._machines: dict[str, _Machine] = {}

    def results(self, tasks: list[Task], there: set[str]) -> Iterator[TaskResult]:
        """Yield results as they come; machines in parallel, each one's in the order given.

        ``there``: keys that the store has. Raises UserError where the scheduler is lost, OSError of
        the store.
        """
        now = time.monotonic()
        for task in tasks:
            self._machines.setdefault(task.machine, _Machine(deque(), now)).waiting.append(task)
        while self._flying or any(machine.waiting for machine in self._machines.values()):
            for machine in self._machines.values():
                self._submit(machine)
            try:
                future = self._done.get(timeout=LOOK_S)
            except queue.Empty:
                yield from self._look()
                continue
            yield from self._given(future)
        self._tell(there)

    def _submit(self, machine: _Machine) -> None:
        while machine.waiting and machine.flying < WINDOW:
            task = machine.waiting.popleft()
            stored, machine.stored = tuple(machine.stored), []
            order = Order(self._campaign, task, self._resume, self._places, stored)
            future = self._client.submit(
                carry_out, order, pure=False, resources={MEASURE: 1, MACHINE + task.machine: 1}
            )
            self._flying[future] = task
            machine.flying += 1
            future.add_done_callback(self._done.put)

    def _given(self, future: Any) -> Iterator[TaskResult]:
        task = self._flying.pop(future, None)
        if task is None:  # of a machine that was given up
            return
        machine = self._machines[task.machine]
        machine.flying -= 1
        machine.seen = time.monotonic()
        files, why = self._answer(future)
        future.release()
        if files is None:
            yield TaskResult(task, None, why)
            return
        record = Record(**read_record(files[RECORDS]).row(0, named=True))
        if record.task != task.key:
            yield TaskResult(task, None, f"its worker answered with task {record.task}")
            return
        self._keep(record, files)
        machine.stored.append(task.key)
        yield TaskResult(task, record)

    def _answer(self, future: Any) -> tuple[Files | None, str]:
        killed = distributed().KilledWorker
        try:
            files, why = future.result(timeout=ANSWER_S)
        except killed:
            return None, f"its worker was killed {ATTEMPTS} times; --resume tries it again"
        except Exception as error:  # of Dask: the scheduler went away
            if future.status in {"cancelled", "lost"}:
                raise UserError(f"{LOST}; --resume goes on") from error
            return None, f"{type(error).__name__}: {shown(error)}"
        return files, str(why)

    def _look(self) -> Iterator[TaskResult]:
        """Give up machines without a worker."""
        if self._client.status != "running":
            raise UserError(f"{LOST}; --resume goes on")
        there = self._present()
        now = time.monotonic()
        for name, machine in self._machines.items():
            if not machine.waiting and not machine.flying:
                continue
            ended = self._ended(name)
            if name in there and ended is None:
                machine.seen = now
                continue
            if ended is None and now - machine.seen < self._gone_s:
                continue
            why = ended or f"has had no worker for {self._gone_s:.0f} s"
            flying = [future for future, task in self._flying.items() if task.machine == name]
            lost = [self._flying.pop(future) for future in flying]
            self._client.cancel(flying, force=True)
            lost += machine.waiting
            machine.waiting.clear()
            machine.flying = 0
            for task in lost:
                yield TaskResult(task, None, f"machine {name}: {why}; --resume tries it again")

    def _present(self) -> set[str]:
        """Return the machines that have a worker."""
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        except Exception as error:  # of Dask: the scheduler went away
            raise UserError(f"{LOST}; --resume goes on") from error
        return {
            name.removeprefix(MACHINE)
            for worker in workers
            for name in worker["resources"]
            if name.startswith(MACHINE)
        }

    def _tell(self, there: set[str]) -> None:
        """Tell the workers what is stored, which they need not keep."""
        stored = (*there, *(key for machine in self._machines.values() for key in machine.stored))
        with suppress(Exception):  # Or else it is told by a later campaign, or never.
            self._client.run(forget, stored, wait=True, on_error="ignore")


@contextmanager
def connected(address: str, keys: str | None) -> Iterator[Any]:
    """Connect a client to that scheduler. Raises UserError."""
    package = distributed()
    try:
        client = package.Client(
            address, security=security(keys), set_as_default=False, timeout=f"{GONE_S}s"
        )
    except Exception as error:  # of Dask, which wraps what is wrong
        why = "cannot be reached; is a scheduler there, and are these its keys?"
        raise UserError(f"{address}: {why} ({shown(error, 200)})") from error
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=LOOK_S)


def scheduler_place(client: Any) -> str:
    """Return the scheduler's host, by its boot's id."""
    return str(client.run_on_scheduler(where))
