# SPDX-License-Identifier: Apache-2.0
"""Measure middlewares with raw bytes: latency, losses, CPU time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.transport.choices import (
    FLOORS,
    KINDS,
    LEAST_BYTES,
    MOST_BYTES,
    NATIVE,
    NATIVE_ONLY,
    PATTERNS,
    PROCESSES,
    PYTHON,
)
from wirecost.measure.bench.transport.faults import registry
from wirecost.measure.network import profiles
from wirecost.system.byte_sizes import SIZE, parse_size
from wirecost.system.durations import TIME, seconds
from wirecost.system.errors import UserError

if TYPE_CHECKING:  # the command line lists the options
    from wirecost.messaging.transport.settings import AskedQuality

EXAMPLE = "wirecost bench transport --middlewares zeromq,zenoh --sizes 5M --rate 20 --subscribers 3"


def _middlewares(clients: Sequence[str] = KINDS) -> tuple[str, ...]:
    """Return the transports that these kinds of clients can have."""
    from wirecost.messaging.transport import names  # noqa: PLC0415 - imports them

    return (*names(), *(NATIVE_ONLY if NATIVE in clients else FLOORS))


def _settings() -> Iterable[str]:
    from wirecost.measure.bench.transport.setting_groups import names  # noqa: PLC0415 - too

    return names()


def _sizes(label: str, text: str) -> list[int]:
    words = option.words(label, text)
    return [parse_size(label, word, "100, 10k, 5MB or 64KiB") for word in words]


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of ``bench transport``."""

    middlewares: tuple[str, ...] = option.setting(
        (), "Middlewares, comma-separated; default: all that work here.", known=_middlewares
    )
    sizes: tuple[int, ...] = option.setting(
        (100, 10_000, 1_000_000, 8_000_000),
        "Sizes of a message: 100, 10k, 5MB, 64KiB.",
        metavar=f"{SIZE},…",
        parse=_sizes,
        shown="100,10k,1M,8M",
        check=option.within(LEAST_BYTES, MOST_BYTES),
    )
    rate: float | None = option.setting(
        None,
        "Messages per second; 0 sends as fast as possible; default: by size and network.",
        metavar="HZ",
        check=option.within(0, 1_000_000),
    )
    subscribers: tuple[int, ...] = option.setting(
        (1,), "Number of receiving processes.", check=option.within(1, 64)
    )
    pattern: str = option.setting("pubsub", "pubsub or reqrep.", known=PATTERNS)
    network: tuple[str, ...] = option.setting(
        (profiles.LOOPBACK,),
        "loopback, lan, wifi, lossy, wan, narrow, cut, or a .toml file of your own.",
        metavar="NAME,…",
        known=(profiles.LOOPBACK, *profiles.BUILT_IN),
        parse=option.words,
    )
    reliable: bool = option.setting(
        True, "What `--settings matched` asks for.", "--reliable/--best-effort"
    )
    queue: int = option.setting(
        16,
        "Messages that may wait at each end with `--settings matched`.",
        check=option.within(1, 1_000_000),
    )
    settings: tuple[str, ...] = option.setting(
        ("default", "matched"),
        "default: as installed; matched: all are asked for no loss and --queue messages, and "
        "the publisher waits where it can; of some middlewares: conflate, rmw, qos1, ros2, polled.",
        known=_settings,
    )
    client: tuple[str, ...] = option.setting(
        (PYTHON,), "python, native (compiled), or both, comma-separated.", known=KINDS
    )
    find_peak: bool = option.setting(
        False, "Also find the highest rate without loss.", "--find-peak"
    )
    faults: tuple[str, ...] = option.setting(
        (),
        "Also kill, restart and slow down processes: all, or late-joiner, many-topics, "
        "publisher-killed, publisher-restarted, queue-overflow, server-killed, slow-subscriber, "
        "subscriber-killed.",
        metavar="NAME,…|all",
        known=(registry.ALL, *registry.names()),
        parse=registry.chosen,
    )
    seconds: float = option.setting(
        1.5,
        "How long each process sends messages of one size.",
        metavar=TIME,
        parse=seconds,
        shown="1.5s",
        check=option.within(0.1, 600),
    )
    processes: int = option.processes(PROCESSES)
    seed: int = option.seed("Seed of the contenders' order in each round.")

    def check(self) -> None:
        """Raise UserError on what cannot be run."""
        super().check()
        _ = self.networks
        self._check_memory()
        if self.pattern == "reqrep":
            if self.subscribers != (1,):
                raise UserError("--pattern reqrep: one replier answers; leave --subscribers out")
            for name, has in (("--find-peak", self.find_peak), ("--faults", self.faults)):
                if has:
                    raise UserError(f"{name}: is for --pattern pubsub; leave --pattern out")

    def _check_memory(self) -> None:
        """Check that each end can have a message, and one be under way. Raises UserError."""
        import psutil  # noqa: PLC0415 - slow to import

        size, subscribers = max(self.sizes), max(self.subscribers)
        needed, free = (2 + subscribers) * size, psutil.virtual_memory().available
        if needed > free:
            raise UserError(
                f"--sizes {size}: {subscribers} subscribers need {needed / 1e9:.1f} GB, and"
                f" {free / 1e9:.1f} GB are free; give smaller ones, or fewer --subscribers"
            )

    @property
    def transports(self) -> tuple[str, ...]:
        """Transports to measure, where they can be."""
        return self.middlewares or _middlewares(self.client)

    @property
    def networks(self) -> list[profiles.Profile | None]:
        """Networks to measure over; None for loopback. Raises UserError on an unknown one."""
        return [None if name == profiles.LOOPBACK else profiles.find(name) for name in self.network]

    @property
    def quality(self) -> AskedQuality:
        """What the settings ``matched`` ask for."""
        from wirecost.messaging.transport.settings import AskedQuality  # noqa: PLC0415 - too

        return AskedQuality(self.reliable, self.queue)

    @property
    def asked(self) -> dict[str, Any]:
        """Settings that hold for all contenders."""
        return {
            "seconds": self.seconds,
            "reliable": self.reliable,
            "queue": self.queue,
            "seed": self.seed,
        }
