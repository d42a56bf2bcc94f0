# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench transport``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Amount, Count, Scalar, Scenario, columns
from wirecost.results.records.table_columns import COUNT, TEXT

FLOOR, SOCKET = "floor-", "tcp"
"""Contenders that have no middleware, and show what one costs: the beginning of their names; the
plain socket, which others than the processes of one machine can have."""


class TransportAbout(common.About, kw_only=True):
    """A transport. ``versions``: of libraries, by name, as a client of each kind reported them."""

    versions: dict[str, str] = msgspec.field(default_factory=dict)
    server: str = ""


class Usage(msgspec.Struct, kw_only=True):
    """Costs of the processes of one part (publisher, subscribers, daemon).

    All but memory are per message that was sent. None where the machine does not report it.
    """

    cpu_ns: Amount | None = None
    kernel_ns: Amount | None = None
    """Part of ``cpu_ns`` that the kernel took."""
    wait_ns: Amount | None = None
    """Time in which its threads could run, but waited for a processor: what waking up takes."""
    switches: Amount | None = None
    """Context switches."""
    memory_bytes: Count | None = None
    """Resident, the most of all samples; of several processes the sum."""
    processes: Count = 0
    source: str = ""
    """Source of the processor time: ``cgroup``, ``clocks``, or ``mixed``."""


class Peak(msgspec.Struct, kw_only=True):
    """The highest rate that was carried without loss and with bounded latency, in Hz.

    ``above``: the lowest rate that was not; None where the search ended at its limit.
    ``confirmed_rate``: of a longer run at 90 %; ``confirmed``: whether that one held as well.
    ``tried``: each rate, whether it held, why not, and the latency's median and 99th percentile in
    nanoseconds.
    """

    rate: Amount = 0.0
    above: Amount | None = None
    limit: str = ""
    confirmed: bool = False
    confirmed_rate: Amount = 0.0
    confirmed_p99_ns: Amount | None = None
    seconds: Amount = 0.0
    tried: list[list[Scalar]] = []


class TransportRun(common.Run, kw_only=True):
    """A transport with one client and one group of settings, in one case.

    ``mode``: client and settings, ``python default``. Rates are messages per second.

    ``sent`` counts what the library took, ``lost`` what of it did not reach a subscriber, summed
    over all ``subscribers``; ``refused`` what it did not take. ``promise``: what is promised, or
    empty; ``broken``: how a promise was broken, empty where it held. ``reproduce``: a command line
    for it.
    """

    mode: str
    mware: str
    client: str
    settings: str
    pattern: str
    network: str
    size: Count
    subscribers: Count
    asked_rate: Amount
    """0: as fast as possible."""
    rate: Amount | None
    queue: Count | None
    reliable: bool | None
    promise: str = ""
    broken: str = ""
    reproduce: str = ""
    sent: Count
    refused: Count
    received: Count
    lost: Count
    duplicates: Count
    reordered: Count
    wrong: Count
    """Messages with other content than was sent: then there is a ``failure``."""
    checked: Count
    """Messages of which every byte was compared."""
    lost_before: Count = 0
    """Lost messages of those that were sent before anything was timed."""
    usage: dict[str, Usage] = msgspec.field(default_factory=dict)
    """Usage by part: ``publisher``, ``subscribers``, ``daemon``."""
    machine_cpu_ns: Amount | None = None
    """Time per message of the kernel's own threads for soft interrupts, which are in nobody's
    name."""
    wire_bytes: Amount | None = None
    """Bytes per message of the network's interfaces, sent from the publisher to subscribers."""
    wire_bytes_back: Amount | None = None
    message_bytes: Amount
    message_digest: str
    peak: Peak | None = None

    @property
    def is_floor(self) -> bool:
        """Return whether it has no middleware: it is shown, and neither ranked nor advised."""
        return self.mware == SOCKET or self.mware.startswith(FLOOR)


class Fault(msgspec.Struct, kw_only=True):
    """A fault and its effect; all but the first five are None where they are of no interest."""

    fault: str
    mware: str
    client: str
    settings: str
    network: str
    recovered_ns: Amount | None = None
    lost: Count | None = None
    duplicates: Count | None = None
    memory_bytes_before: Count | None = None
    memory_bytes_after: Count | None = None
    others: str = ""
    """Fate of those that had no fault."""
    failure: str | None = None
    timeline: list[list[int | None]] = msgspec.field(default_factory=list)
    """Each message for each subscriber: nanoseconds since the fault at which it was sent, its
    latency in nanoseconds or None where it did not arrive, and the subscriber: 0 has no fault, 1
    has it, 2 came in its place. A process that was killed has written nothing."""


class TransportMeta(common.Meta, kw_only=True):
    """``meta.json`` of ``bench transport``.

    ``networks``: each profile, its netem settings and what ping measured. ``settings``: what each
    group of settings of a transport says, name by name.
    """

    seconds: Amount
    processes: Count
    seed: int
    asked: dict[str, Scalar]
    """Options that hold for all contenders."""
    requested: list[str] = msgspec.field(default_factory=list)
    """Names of transports that were asked for, measured or not; none in folders of before."""
    contenders: Mapping[str, TransportAbout]
    runs: Sequence[TransportRun]
    networks: dict[str, dict[str, Scalar]] = msgspec.field(default_factory=dict)
    settings: dict[str, dict[str, Scalar]] = msgspec.field(default_factory=dict)
    faults: list[Fault] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
    no_shared_memory: str = ""
    """Why none of the requested transports with shared memory was measured; else empty."""

    def __post_init__(self) -> None:
        for run in self.runs:
            if run.contender not in self.contenders:
                raise ValueError(f"contenders lacks {run.contender}, which has a run")


PLUGIN_ORDER = 10
SCENARIO = Scenario(
    meta=TransportMeta,
    stages=("lateness", "publish", "request", "total"),
    baseline=("zeromq-tcp", "python default"),
    rivals=frozenset({"ros1"}),
    facts=(
        "mware", "client", "settings", "pattern", "network", "size", "subscribers", "asked_rate",
        "rate", "queue", "reliable", "promise", "broken", "reproduce", "sent", "refused",
        "received", "lost", "duplicates", "reordered", "wrong", "checked", "usage",
        "machine_cpu_ns", "wire_bytes", "wire_bytes_back", "peak", "p999_ns", "max_ns",
        "lost_before",
    ),
    columns=columns(
        {
            **dict.fromkeys(("mode", "mware", "client", "settings", "pattern", "network"), TEXT),
            "size": COUNT,
            "subscribers": COUNT,
            "subscriber": replace(COUNT, optional=True),
        }
    ),
)  # fmt: skip
"""Stages: ``lateness`` (due until the sending call began), ``publish`` (that call), ``total``:
until the message was received, or its reply. A repetition is one message at one subscriber.
``reqrep`` has ``request`` (until the replier had it) and no ``publish``."""
