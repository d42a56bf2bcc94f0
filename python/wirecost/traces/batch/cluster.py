# SPDX-License-Identifier: Apache-2.0
"""Traces in several processes, by dask.distributed: a scheduler in this process and workers of one
thread each, on the loopback interface and with TLS keys that only they have.

Only paths and outcomes pass the scheduler. A trace whose worker ends is converted again by another;
one whose workers ended ATTEMPTS - 1 times may be innocent, because it waited for the guilty one in
the same worker, so it gets its last attempt with nothing beside it.
"""

from __future__ import annotations

import logging
import queue
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from itertools import islice
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from wirecost import scratch
from wirecost.errors import UserError
from wirecost.printable import shown
from wirecost.traces.batch import worker_output
from wirecost.traces.batch.jobs import Job, Options
from wirecost.traces.batch.journal import Journal
from wirecost.traces.batch.work import Outcome, convert_jobs
from wirecost.traces.batch.worker_output import last_line

ATTEMPTS = 3
WINDOW = 4
"""Tasks for each worker that the scheduler knows: enough that none waits for work."""
HANDFUL = 8
"""Most traces that one task has."""
TASKS = 16
"""Of as many tasks each worker gets, at least, before a task has several traces."""
RESTART_S = 120.0
"""After so long without any worker, all are started anew."""
LOOK_S = 1.0
"""How often the workers are looked after while nothing ends."""
SILENT = logging.CRITICAL + 1
LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
MISSING = "--workers: needs dask.distributed; pip install 'wirecost[campaign]'"

Handful = tuple[Job, ...]


def engine() -> Any:
    """dask.distributed. Raises UserError where it is not installed."""
    try:
        import cryptography  # noqa: F401, PLC0415 - makes the keys
        import distributed  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as error:
        raise UserError(MISSING) from error
    return distributed


class Cluster:
    """``count`` workers. ``replaced``: how many ended before their work, and were replaced."""

    def __init__(self, options: Options, count: int, most: int | None, journal: Journal) -> None:
        self._distributed = engine()
        self._options, self._count, self._most, self._journal = options, count, most, journal
        self._folder = Path()
        self.replaced = 0

    def converted(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """The outcome of each, in the order in which they end. Raises UserError."""
        size = max(1, min(HANDFUL, len(jobs) // (self._count * TASKS)))
        largest_first = iter(sorted(jobs, key=lambda job: -job.source.size))
        waiting = deque(iter(lambda: tuple(islice(largest_first, size)), ()))
        suspects: deque[Handful] = deque()
        reason = "all ended, by a signal or for lack of memory"
        for _ in range(ATTEMPTS):
            try:
                with self._started() as (cluster, client):
                    yield from self._done(cluster, client, waiting, suspects)
            except _StartError as error:
                reason = str(error)
                continue
            if not waiting and not suspects:
                return
        raise UserError(
            f"--workers {self._count}: {reason}; go on with --resume and fewer --workers"
        )

    def _done(
        self, cluster: Any, client: Any, waiting: deque[Handful], suspects: deque[Handful]
    ) -> Iterator[Outcome]:
        """Ends early, with the rest in ``waiting``, if no worker is left."""
        ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        flying: dict[Any, Handful] = {}
        alone = False
        seen = time.monotonic()
        while waiting or suspects or flying:
            if not waiting and not flying and not alone:
                alone = True
                waiting.extend((job,) for handful in suspects for job in handful)
                suspects.clear()
                cluster.scheduler.allowed_failures = 0
            room = 1 if alone else self._count * WINDOW
            while waiting and len(flying) < room:
                handful = waiting.popleft()
                self._journal.begin(handful)
                future = client.submit(convert_jobs, handful, self._options, self._most, pure=False)
                flying[future] = handful
                future.add_done_callback(ended.put)
            try:
                future = ended.get(timeout=LOOK_S)
            except queue.Empty:
                now = time.monotonic()
                seen = now if cluster.scheduler.workers else seen
                if not _alive(cluster) or now - seen > RESTART_S:
                    waiting.extend(flying.values())
                    return
                continue
            handful = flying.pop(future)
            yield from self._outcomes(future, handful, None if alone else suspects)
            future.release()

    def _outcomes(
        self, future: Any, handful: Handful, suspects: deque[Handful] | None
    ) -> Iterator[Outcome]:
        try:
            yield from future.result()
        except self._distributed.KilledWorker as error:
            if suspects is not None:
                suspects.append(handful)
                return
            printed = self._printed(error.last_worker.name)
            for job in handful:
                yield Outcome(
                    job.number,
                    f"{job.source.path}: its worker was killed {ATTEMPTS} times, by a signal or "
                    f"for lack of memory{printed}; convert it alone, or with fewer --workers",
                )
        except Exception as error:  # of Dask: the worker went away while it answered
            if suspects is not None:
                suspects.append(handful)
                return
            reason = shown(f"{type(error).__name__} of its worker: {error}")
            for job in handful:
                yield Outcome(job.number, f"{job.source.path}: {reason}; try it with --resume")

    def _printed(self, *workers: object) -> str:
        """The last that one of these workers printed, for a message; empty if that was nothing."""
        lines = (last_line(self._folder, worker) for worker in workers)
        return next((f" (it printed: {line})" for line in lines if line), "")

    @contextmanager
    def _started(self) -> Iterator[tuple[Any, Any]]:
        with ExitStack() as stack:
            stack.enter_context(scratch.run())
            self._folder = stack.enter_context(scratch.folder("convert"))
            stack.enter_context(_silenced())
            stack.enter_context(_configured(str(self._folder)))
            cluster = self._cluster()
            stack.callback(_end, cluster)
            losses = _losses(self._distributed)
            cluster.scheduler.add_plugin(losses)
            client = self._distributed.Client(cluster, set_as_default=False)
            stack.callback(client.close, timeout=LOOK_S)
            try:
                yield cluster, client
            finally:
                self.replaced += losses.lost

    def _cluster(self) -> Any:
        """Raises _StartError."""
        loop = _loop_without_ctrl_c()
        try:
            return self._distributed.LocalCluster(
                n_workers=self._count,
                threads_per_worker=1,
                memory_limit=0,  # the kernel holds it: memory.limit
                processes=True,
                loop=loop,
                host="127.0.0.1",
                security=self._distributed.Security.temporary(),
                silence_logs=SILENT,
                dashboard_address=None,
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            )
        except Exception as error:  # of Dask, or of whatever a worker cannot do
            printed = self._printed(*range(self._count))
            raise _StartError(f"cannot be started ({shown(error)}){printed}") from error


class _StartError(Exception):
    """The workers did not start, or one ended while they did."""


def _losses(distributed: Any) -> Any:
    """Counts workers that go away while there is work."""

    class Losses(distributed.SchedulerPlugin):  # type: ignore[misc]
        lost = 0

        def remove_worker(self, *_: Any, **__: Any) -> None:
            self.lost += 1

    return Losses()


def _settings(folder: str) -> dict[str, Any]:
    """Where Dask's defaults are for clusters that live longer and compute more."""
    environment = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), 1)
    return {
        "temporary-directory": folder,
        "distributed.scheduler.worker-saturation": 1.0,
        "distributed.scheduler.allowed-failures": ATTEMPTS - 2,
        "distributed.scheduler.work-stealing": False,
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.scheduler.http.routes": [],
        "distributed.worker.preload": [worker_output.__name__],
        "distributed.worker.http.routes": [],
        "distributed.worker.profile.enabled": False,
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": False,
        "distributed.worker.multiprocessing-method": "spawn",
        "distributed.nanny.pre-spawn-environ": {
            **environment,
            "DASK_DISTRIBUTED__LOGGING": str(dict.fromkeys(LOGGERS, SILENT)),
        },
        "distributed.comm.timeouts.connect": "120s",
        "distributed.diagnostics.nvml": False,
    }


def _loop_without_ctrl_c() -> Any:
    """An event loop in a thread of its own. That thread, and the workers that it starts, do not get
    the signals that the terminal sends to all processes: this one ends them in order."""
    from distributed.utils import LoopRunner  # noqa: PLC0415

    # It would be started in that thread, where Python would then let SIGINT through again.
    resource_tracker.ensure_running()
    runner = LoopRunner()
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        runner.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
    return runner.loop


@contextmanager
def _silenced() -> Iterator[None]:
    """What matters of a worker's end is in the outcomes."""
    former = logging.root.manager.disable
    logging.disable(SILENT)
    try:
        yield
    finally:
        logging.disable(former)


@contextmanager
def _configured(folder: str) -> Iterator[None]:
    """Dask with its defaults and our settings: the user's configuration is for other work."""
    import dask  # noqa: PLC0415

    former = deepcopy(dask.config.global_config)
    dask.config.refresh(paths=[], env={})
    try:
        with dask.config.set(_settings(folder)):
            yield
    finally:
        dask.config.global_config.clear()
        dask.config.global_config.update(former)


def _alive(cluster: Any) -> bool:
    """Whether some worker runs, or is being started."""
    return any(
        nanny.status.name in ("init", "starting", "running") for nanny in cluster.workers.values()
    )


def _end(cluster: Any) -> None:
    """At once: what is done is done, and what is not has no name yet."""
    with suppress(Exception):  # anything of it may be ending already
        cluster.sync(_kill_workers, list(cluster.workers.values()))
    with suppress(Exception):
        cluster.close(timeout=LOOK_S)


async def _kill_workers(nannies: list[Any]) -> None:
    for nanny in nannies:
        # Or else it would start another worker.
        nanny.status = type(nanny.status).closing_gracefully
        with suppress(Exception):
            await nanny.process.process.kill()
