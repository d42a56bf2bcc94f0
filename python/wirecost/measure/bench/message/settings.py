# SPDX-License-Identifier: Apache-2.0
"""Compare serializers on your own message, field by field."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.data.recordings import formats
from wirecost.measure.bench.engine import limits, option
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.measure.bench.message.choices import (
    BINARY,
    FRAMINGS,
    PROCESSES,
    REPETITIONS,
    SAMPLED,
    USUAL,
)
from wirecost.measure.serializers.choices import HEADERS, JAVA, LANGUAGES, LIBRARIES, MODULE
from wirecost.schema.compile.choices import DIALECTS
from wirecost.system.errors import UserError

if TYPE_CHECKING:  # the command line lists the options
    from wirecost.measure.at_rate.carrying import RateRequest
    from wirecost.measure.bench.message.data import MessageChoice

EXAMPLE = "wirecost bench message drive.mcap --topic /state"
RESERVED = frozenset(
    {"wirecost", "protobuf", "json", "messagepack", "gencpp", "genpy", "rosbags", "rclpy"}
    | {"cpp", "google", "users", "generated", "flatbuffers", "holders"}
)
"""Names that contenders and folders of programs have."""


def _transports() -> Iterable[str]:
    from wirecost.messaging.transport import names  # noqa: PLC0415 - imports them

    return names()


def _check_contender(label: str, path: Path) -> None:
    if path.suffix not in (*HEADERS, MODULE, JAVA):
        kinds = f"a C++ header ({', '.join(HEADERS)}), a Python module or a Java class"
        raise UserError(f"{label} {path}: give {kinds}")
    if not path.is_file():
        raise UserError(f"{label} {path}: no such file; name one")
    if path.stem in RESERVED or not path.stem.isidentifier():
        raise UserError(f"{label} {path}: give it a name of its own, of letters")


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of ``bench message``."""

    schema: tuple[str, ...] = option.argument(
        "[SCHEMA|RECORDING]…",
        ".proto, .msg, .srv, .action or .idl files, descriptor sets, Python modules; a recording "
        f"({', '.join(formats.NAMES.values())}) may bring its own.",
        takes="",
    )
    type_name: str = option.setting(
        "", "The message type, such as acme.drone.State or State.", "--type", metavar="NAME"
    )
    include: tuple[Path, ...] = option.setting(
        (), "Folder to search for imports; can be repeated.", "-I --include", metavar="DIR"
    )
    dialect: str = option.setting(
        "", "Dialect of .msg files: ros1 or ros2; default: detected.", known=DIALECTS
    )
    data: Path | None = option.setting(
        None,
        "Messages: a recording, length-delimited .binpb, .json, .jsonl, .textproto. Default: "
        "synthetic messages.",
        metavar="FILE",
        takes="",
    )
    framing: str = option.setting(
        "",
        "Content of a .binpb file: single or delimited messages; default: detected.",
        metavar="NAME",
        known=FRAMINGS,
    )
    topic: str = option.setting("", "The topic, if a recording has several.")
    first: int | None = option.setting(
        None,
        "With --data: measure only the first N messages.",
        metavar="N",
        check=limits.at_least_one,
    )
    sample: int | None = option.setting(
        None,
        f"With --data: measure N random ones. Default: {SAMPLED}.",
        metavar="N",
        check=limits.at_least_one,
    )
    elements: tuple[str, ...] = option.setting(
        (),
        "Length of a list, or number of bytes, in synthetic messages, by path or name; can be "
        "repeated.",
        metavar="FIELD=N",
    )
    lang: tuple[str, ...] = option.setting(
        USUAL,
        f"Languages of the contenders, comma-separated: {', '.join(LANGUAGES)}.",
        known=LANGUAGES,
    )
    library: tuple[str, ...] = option.setting(
        (),
        "Libraries to compare, comma-separated; default: all that are installed and compile fast.",
        metavar="NAME",
        known=LIBRARIES,
    )
    contender: tuple[Path, ...] = option.setting(
        (),
        "Your own codec: a C++ header, a Python module or a Java class; can be repeated.",
        metavar="FILE",
        check=_check_contender,
    )
    python: Path | None = option.setting(
        None,
        "For messages of ROS 2: a Python with ROS 2, if this one has none.",
        metavar="PATH",
    )
    rate: float | None = option.setting(
        None,
        "Messages per second: also print the share of one CPU core that they use.",
        metavar="HZ",
        check=option.within(0.1, 100_000),
    )
    subscribers: int = option.setting(
        1, "With --rate: number of receivers.", check=option.within(1, 64)
    )
    over: str = option.setting(
        "",
        "With --rate: also send the messages over this middleware, such as dds.",
        metavar="MIDDLEWARE",
        known=_transports,
    )
    repetitions: int | None = option.setting(
        None,
        f"Samples of each contender, over all processes. Default: {REPETITIONS}, or --processes "
        "if that is more.",
        metavar="N",
        check=limits.at_least_one,
    )
    processes: int = option.processes(PROCESSES)
    jobs: int = option.samples(
        os.cpu_count() or 1, "Number of compilers that run at the same time."
    )
    seed: int = option.seed("Seed of the content, the sample and the order.")

    def check(self) -> None:
        """Raise UserError on what cannot be run."""
        from wirecost.data.messages.ros import installed  # noqa: PLC0415 - the compiler

        super().check()
        self._check_sources()
        names = [path.stem for path in self.contender]
        for path in self.contender:
            if names.count(path.stem) > 1:
                raise UserError(f"--contender {path}: give it a name of its own, of letters")
        self._check_rate()
        installed.check(self.python)
        least, count = self.processes, self.repetitions
        if count is not None and count < least != PROCESSES:
            raise UserError(
                f"--processes {least}: has {count} samples; give --repetitions {least} or more"
            )

    def _check_sources(self) -> None:
        from wirecost.data.messages.shapes import MOST_ELEMENTS  # noqa: PLC0415 - the compiler

        recordings = [*self._recordings, *([] if self.data is None else [self.data])]
        if len(recordings) > 1:
            raise UserError(
                f"{self._recordings[-1]}: one recording is measured at a time; name one"
            )
        if not self.schema and not recordings:
            raise UserError(
                "give a schema (.proto, .msg, descriptor set, Python module), or --data FILE"
            )
        of_data = {"--first": self.first, "--sample": self.sample, "--topic": self.topic}
        for name, value in of_data.items():
            if value and not recordings:
                raise UserError(f"{name} {value}: is for --data or a recording; name one")
        for name, count in self.lengths.items():
            limits.between(f"--elements {name}=", count, 0, MOST_ELEMENTS)
        if recordings and self.elements:
            raise UserError("--elements: is for synthetic messages; leave it or --data out")
        if self.framing and not (recordings and recordings[0].suffix.lower() in BINARY):
            raise UserError(f"--framing {self.framing}: is for --data in {', '.join(BINARY)}")

    def _check_rate(self) -> None:
        if self.rate is None and (self.over or self.subscribers != 1):
            raise UserError("--over and --subscribers are for a rate; give --rate, as 100")
        if self.over:
            from wirecost.messaging.transport import find  # noqa: PLC0415 - imports them

            carrier = find(self.over)
            if why := carrier.missing() or carrier.no_server():
                raise UserError(f"--over {self.over}: {why}")

    @property
    def _recordings(self) -> list[Path]:
        from wirecost.data.recordings.recording import is_recording  # noqa: PLC0415

        return [path for path in map(Path, self.schema) if is_recording(path)]

    @property
    def recording(self) -> Path | None:
        """The file with messages; None for made-up ones."""
        return next(iter(self._recordings), self.data)

    @property
    def schemas(self) -> list[str]:
        """Files or modules with types."""
        recordings = self._recordings
        return [name for name in self.schema if Path(name) not in recordings]

    @property
    def lengths(self) -> dict[str, int]:
        """Lengths of lists of made-up messages, by path or name. Raises UserError."""
        lengths = {}
        for text in self.elements:
            name, _, count = text.partition("=")
            if not name or not count.isdecimal():
                raise UserError(f"--elements {text}: give FIELD=N, as points=1000")
            lengths[name] = int(count)
        return lengths

    @property
    def choice(self) -> MessageChoice:
        """Which messages of the recording are measured."""
        from wirecost.measure.bench.message.data import MessageChoice  # noqa: PLC0415

        return MessageChoice(self.topic, self.first, self.sample, self.seed, self.framing)

    @property
    def asked(self) -> RateRequest:
        """The rate at which messages are sent, and over what."""
        from wirecost.measure.at_rate.carrying import RateRequest  # noqa: PLC0415

        return RateRequest(self.rate, self.subscribers, self.over)

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes: one each at least."""
        samples = max(REPETITIONS, self.processes) if self.repetitions is None else self.repetitions
        return plan(samples, self.processes, self.seed)
