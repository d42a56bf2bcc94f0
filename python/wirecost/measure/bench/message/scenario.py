# SPDX-License-Identifier: Apache-2.0
"""``bench message`` as a whole: settings, contenders, and the result folder they fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from wirecost.data.messages import fields
from wirecost.data.messages.content import about_made_up, made_up
from wirecost.data.messages.ros import installed
from wirecost.data.messages.ros.definitions import IDL, of_files, short
from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.shapes import MOST_ELEMENTS
from wirecost.data.messages.subject import Subject, subject
from wirecost.data.traces.names import type_of
from wirecost.measure.at_rate.carrying import RateRequest, carrying
from wirecost.measure.bench.engine import limits
from wirecost.measure.bench.engine.measurement import Measurement, Progress
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.measure.bench.message.advice.changes import changes
from wirecost.measure.bench.message.advice.columns import MEASURED, long_lists
from wirecost.measure.bench.message.choices import (
    FRAMINGS,
    PROCESSES,
    REPETITIONS,
    USUAL,
)
from wirecost.measure.bench.message.compiled_last import compile_and_measure, last_races
from wirecost.measure.bench.message.data import (
    MessageChoice,
    RecordedMessages,
    hints_of_recording,
    of_recording,
    recorded,
)
from wirecost.measure.bench.message.first_look import first_look
from wirecost.measure.bench.message.plain_files import BINARY
from wirecost.measure.serializers.choices import LIBRARIES
from wirecost.measure.serializers.languages import backend_of
from wirecost.measure.serializers.race import RacePart, run_fields, run_race
from wirecost.measure.serializers.selection import (
    HEADERS,
    JAVA,
    MODULE,
    CodecFile,
    ContenderSelection,
)
from wirecost.messaging.transport import find
from wirecost.results.records.journal import Journal
from wirecost.results.records.schemas.message import TOGETHER
from wirecost.schema.compile import frontends
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

SCENARIO = "message"
ROS = (".msg", ".srv", ".action", IDL)
LEAST_RATE, MOST_RATE = 0.1, 100_000
MOST_SUBSCRIBERS = 64
RESERVED = frozenset(
    {"wirecost", "protobuf", "json", "messagepack", "gencpp", "genpy", "rosbags", "rclpy"}
    | {"cpp", "google", "users", "generated", "flatbuffers", "holders"}
)
"""Names that contenders and folders of programs have."""
INCUMBENTS = {
    "protobuf": ("protobuf",),
    "ros1": ("gencpp",),
    "cdr": ("rosidl-fastrtps", "fast-cdr"),
}
"""Libraries whose classes people use in C++, by wire; the first that takes part counts."""


@dataclass(frozen=True)
class MessageSettings:
    """Settings of ``bench message``.

    ``schema``: files or modules; ``dialect``: of ``.msg`` files, empty to see it; ``elements``: of
    lists of made-up messages, by path or name; ``libraries``: those that take part, empty for all
    that can be had quickly; ``contenders``: files with codecs of the user's own;
    ``python``: that of a ROS 2.
    """

    schema: tuple[str, ...] = ()
    type: str = ""
    include: tuple[Path, ...] = ()
    dialect: str = ""
    data: Path | None = None
    choice: MessageChoice = field(default_factory=MessageChoice)
    elements: Mapping[str, int] = field(default_factory=dict)
    languages: tuple[str, ...] = USUAL
    libraries: tuple[str, ...] = ()
    contenders: tuple[Path, ...] = ()
    asked: RateRequest = field(default_factory=RateRequest)
    python: Path | None = None
    repetitions: int = REPETITIONS
    processes: int = PROCESSES
    jobs: int = 2

    def check(self) -> None:
        """Raise UserError on settings that cannot be run."""
        if not self.schema and self.data is None:
            raise UserError(
                "name a schema (.proto, .msg, descriptor set, Python module), or --data FILE"
            )
        for name, count in self.elements.items():
            limits.between(f"--elements {name}=", count, 0, MOST_ELEMENTS)
        if self.data is not None and self.elements:
            raise UserError("--elements is for made-up messages; leave it or --data out")
        for option, number in (("--first", self.choice.first), ("--sample", self.choice.sample)):
            if number is not None:
                limits.at_least_one(option, number)
        self._check_contenders()
        self._check_rate()
        limits.at_least_one("--repetitions", self.repetitions)
        limits.at_least_one("--processes", self.processes)
        limits.at_least_one("--jobs", self.jobs)
        installed.check(self.python)
        self._check_framing()
        limits.seed(self.choice.seed)

    def _check_framing(self) -> None:
        framing = self.choice.framing
        if framing not in ("", *FRAMINGS):
            raise UserError(f"--framing {framing}: there are {', '.join(FRAMINGS)}")
        if framing and (self.data is None or self.data.suffix.lower() not in BINARY):
            raise UserError(f"--framing {framing}: is for --data in {', '.join(BINARY)}")

    def _check_contenders(self) -> None:
        names: set[str] = set()
        for path in self.contenders:
            if path.suffix not in (*HEADERS, MODULE, JAVA):
                kinds = f"a C++ header ({', '.join(HEADERS)}), a Python module or a Java class"
                raise UserError(f"--contender {path}: give {kinds}")
            if not path.is_file():
                raise UserError(f"--contender {path}: no such file; name one")
            if path.stem in names or path.stem in RESERVED or not path.stem.isidentifier():
                raise UserError(f"--contender {path}: give it a name of its own, of letters")
            names.add(path.stem)

    def _check_rate(self) -> None:
        if self.asked.rate is None:
            if self.asked.over or self.asked.subscribers != 1:
                raise UserError("--over and --subscribers are for a rate; give --rate, as 100")
            return
        limits.between("--rate", self.asked.rate, LEAST_RATE, MOST_RATE)
        limits.between("--subscribers", self.asked.subscribers, 1, MOST_SUBSCRIBERS)
        if self.asked.over:
            carrier = find(self.asked.over)
            if why := carrier.missing() or carrier.no_server():
                raise UserError(f"--over {self.asked.over}: {why}")

    @property
    def plan(self) -> ProcessPlan:
        return plan(self.repetitions, self.processes, self.choice.seed)


def run(settings: MessageSettings, journal: Journal, progress: Progress) -> None:
    """Measure the message. Raises UserError on what cannot be run."""
    settings.check()

    def say(text: str) -> None:
        progress(0, 1, text)

    say("reading the schema")
    about = _subject(settings)
    recorded_messages = _messages(settings, about)
    messages, said = recorded_messages.messages, recorded_messages.said
    field_bytes, counted = fields.counted(about, messages)
    taken_out = fields.worth_taking_out(field_bytes, about)
    lists = long_lists(about, messages[:MEASURED], field_bytes)
    selection = ContenderSelection(
        libraries=frozenset(settings.libraries) or None,
        files=tuple(map(CodecFile, settings.contenders)),
        lists=tuple(lists),
        ros2=Ros2Installation(settings.python),
        jobs=settings.jobs,
    )

    def remark(text: str) -> None:
        progress(0, 0, text)

    look = first_look(about, messages, remark)
    backends = [backend_of(lang, about, selection, say, look) for lang in settings.languages]
    contenders = {backend.lang: backend.contenders() for backend in backends}
    missing = {
        f"{backend.lang} {name}": why
        for backend in backends
        for name, why in backend.missing.items()
        if name not in LIBRARIES or selection.takes(name)
    }
    if not any(contenders.values()):
        reasons = "; ".join(f"{name}: {why}" for name, why in missing.items())
        raise UserError(f"no contender can run; {reasons}")
    outermost = [path for path in taken_out if "." not in path]
    variants = {"": messages}
    for path in taken_out:
        variants[path] = fields.without(about, messages, [path])
    if len(outermost) > 1:
        variants[TOGETHER] = fields.without(about, messages, outermost)
    in_cpp = contenders.get("cpp", [])
    libraries = {contender.library for contender in in_cpp}
    incumbent = next((library for library in INCUMBENTS[about.wire] if library in libraries), "")
    by_field = [
        contender
        for contender in in_cpp
        if contender.library in ("wirecost", incumbent)
        and contender.mode == "reused"
        and len(variants) > 1
    ]
    races = last_races(backends, contenders)
    rounds = settings.repetitions
    count = sum(map(len, contenders.values())) + len(by_field) * len(variants)
    total = rounds * (count + sum(race.count for race in races))
    measurement = Measurement(SCENARIO, journal, progress)
    measurement.about(
        {name: value for backend in backends for name, value in backend.environment.items()},
        total=total,
        repetitions=rounds,
        processes=settings.plan.processes,
        seed=settings.choice.seed,
        type=about.type,
        content=said,
        messages=len(messages),
        counted_bytes=counted,
        fields=[asdict(item) for item in field_bytes],
        changes=[asdict(change) for change in changes(about, messages, field_bytes)],
        contenders={
            contender.key: {"library": contender.version, "wire": contender.wire}
            for those in (*contenders.values(), *(race.later.contenders for race in races))
            for contender in those
        },
        not_run=missing,
        at_rate=_at_rate(settings.asked, messages, say)
        if settings.asked.rate is not None
        else None,
        recorded_hz=recorded_messages.rate_hz,
        lists=list(dict.fromkeys(type_ for _, type_ in lists)),
        types={"ns": "Float64", "bytes": "Float64"},
    )
    failed: set[str] = set()
    for backend in backends:
        entries = [contender.entry(about.type) for contender in contenders[backend.lang]]
        with measurement.case(backend.lang, entries, rounds) as case:
            run_race([RacePart(about, messages, backend, entries)], case, settings.plan)
        failed |= {entry.contender.key for entry in entries if entry.failure}
    for backend in backends:
        for contender in by_field:
            if contender.lang != backend.lang or contender.key in failed:
                continue
            parts = [contender.part(about.type, name) for name in variants]
            with measurement.case(f"{contender.key} by field", parts, rounds) as case:
                run_fields(list(variants.values()), parts, backend, case, settings.plan)
    if races:
        compile_and_measure(races, about, messages, failed, measurement, settings.plan, missing)


def _at_rate(
    asked: RateRequest, messages: list[bytes], say: Callable[[str], None]
) -> dict[str, object]:
    """Return the numbers with which the report computes."""
    carried = None
    if asked.over:
        say(f"sending {asked.count:,} messages over {asked.over}")
        try:
            carried = asdict(carrying(asked, messages))
        except ProgramFailedError as error:
            raise UserError(f"--over {asked.over}: {error}; choose another transport") from error
    return {"rate": asked.rate, "subscribers": asked.subscribers, "carrying": carried}


def _subject(settings: MessageSettings) -> Subject:
    path, type_ = settings.data, settings.type
    if settings.schema:
        source = settings.schema[0]
        if all(Path(name).suffix in ROS for name in settings.schema):
            return _of_ros(settings)
        descriptors = frontends.descriptors(settings.schema, settings.include)
        return subject(descriptors, source, type_)
    assert path is not None
    if path.suffix.lower() != ".osi":
        return of_recording(path, settings.choice.topic, type_, settings.include)
    type_ = type_ or type_of(path) or ""
    if not type_:
        raise UserError(f"{path}: its name does not say its type; give --type, as osi3.SensorView")
    return subject(frontends.descriptors(["osi3"]), "osi3", type_)


def _of_ros(settings: MessageSettings) -> Subject:
    """Return the subject of definitions that somebody gives.

    Dialect and type are those of the recording, unless they are given, too.
    """
    dialect, type_ = settings.dialect, settings.type
    recorded_type = ""
    if settings.data is not None:
        seen, recorded_type = hints_of_recording(settings.data, settings.choice.topic)
        dialect = dialect or seen
    definitions = of_files(
        settings.schema, settings.include, dialect or None, type_ or recorded_type
    )
    if not type_ and recorded_type.count("/"):
        name = short(recorded_type)
        type_ = name if name in definitions.texts else ""
    return ros_subject(definitions, settings.schema[0], type_)


def _messages(settings: MessageSettings, about: Subject) -> RecordedMessages:
    """Return the messages and where they are from."""
    if settings.data is None:
        messages = made_up(about, settings.elements, settings.choice.seed)
        return RecordedMessages(
            messages, f"{len(messages)} {about_made_up(about, messages, settings.elements)}"
        )
    has_schema = bool(settings.schema)
    return recorded(settings.data, about, settings.choice, settings.include, has_schema)
