# SPDX-License-Identifier: Apache-2.0
"""A message in all languages and libraries, and the result folder that they fill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from wirecost.data.messages import fields
from wirecost.data.messages.content import about_made_up, made_up
from wirecost.data.messages.ros.definitions import IDL, of_files, short
from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject, subject
from wirecost.data.traces.names import type_of
from wirecost.measure.at_rate.carrying import RateRequest, carrying
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.message.advice.changes import changes
from wirecost.measure.bench.message.advice.columns import MEASURED, long_lists
from wirecost.measure.bench.message.compiled_last import compile_and_measure, last_races
from wirecost.measure.bench.message.data import (
    RecordedMessages,
    hints_of_recording,
    of_recording,
    recorded,
)
from wirecost.measure.bench.message.first_look import first_look
from wirecost.measure.bench.message.settings import Settings
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.choices import LIBRARIES
from wirecost.measure.serializers.cpp.programs import NoCompilerError
from wirecost.measure.serializers.languages import backend_of
from wirecost.measure.serializers.race import RacePart, run_fields, run_race
from wirecost.measure.serializers.selection import CodecFile, ContenderSelection
from wirecost.results.records.schemas.message import TOGETHER
from wirecost.schema.compile import frontends
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError
from wirecost.system.terminal import Console

ROS = (".msg", ".srv", ".action", IDL)
INCUMBENTS = {
    "protobuf": ("protobuf",),
    "ros1": ("gencpp",),
    "cdr": ("rosidl-fastrtps", "fast-cdr"),
}
"""Libraries whose classes people use in C++, by wire; the first that takes part counts."""


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure the message. Raises UserError on what cannot be run."""
    say = measurement.report
    say("reading the schema")
    about = _subject(settings)
    recorded_messages = _messages(settings, about)
    messages, said = recorded_messages.messages, recorded_messages.said
    field_bytes, counted = fields.counted(about, messages)
    taken_out = fields.worth_taking_out(field_bytes, about)
    lists = long_lists(about, messages[:MEASURED], field_bytes)
    selection = ContenderSelection(
        libraries=frozenset(settings.library) or None,
        files=tuple(map(CodecFile, settings.contender)),
        lists=tuple(lists),
        ros2=Ros2Installation(settings.python),
        jobs=settings.jobs,
    )
    is_watched = Console(stderr=True).is_terminal
    look = first_look(about, messages, measurement.remark) if is_watched else None
    backends, missing = available_backends(
        settings.lang, lambda lang: backend_of(lang, about, selection, say, look)
    )
    contenders = {backend.lang: backend.contenders() for backend in backends}
    missing |= {
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
    rounds = settings.plan.samples
    count = sum(map(len, contenders.values())) + len(by_field) * len(variants)
    total = rounds * (count + sum(race.count for race in races))
    measurement.about(
        {name: value for backend in backends for name, value in backend.environment.items()},
        total=total,
        repetitions=rounds,
        processes=settings.plan.processes,
        seed=settings.seed,
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


def available_backends(
    langs: Sequence[str], make: Callable[[str], MessageBackend]
) -> tuple[list[MessageBackend], dict[str, str]]:
    """Return what languages have, and by language why others have nothing.

    Raises UserError where none has anything.
    """
    backends, missing = [], {}
    for lang in langs:
        try:
            backends.append(make(lang))
        except NoCompilerError as error:
            missing[lang] = str(error)
    if not backends:
        raise UserError("; ".join(missing.values()))
    return backends, missing


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
            raise UserError(f"--over {asked.over}: {error}; choose another middleware") from error
    return {"rate": asked.rate, "subscribers": asked.subscribers, "carrying": carried}


def _subject(settings: Settings) -> Subject:
    path, type_, schemas = settings.recording, settings.type_name, settings.schemas
    if schemas:
        if all(Path(name).suffix in ROS for name in schemas):
            return _of_ros(settings)
        descriptors = frontends.descriptors(schemas, settings.include)
        return subject(descriptors, schemas[0], type_)
    assert path is not None
    if path.suffix.lower() != ".osi":
        return of_recording(path, settings.topic, type_, settings.include)
    type_ = type_ or type_of(path) or ""
    if not type_:
        raise UserError(f"{path}: its name does not say its type; give --type, as osi3.SensorView")
    return subject(frontends.descriptors(["osi3"]), "osi3", type_)


def _of_ros(settings: Settings) -> Subject:
    """Return the subject of definitions that somebody gives.

    Dialect and type are those of the recording, unless they are given, too.
    """
    dialect, type_, recorded_type = settings.dialect, settings.type_name, ""
    if settings.recording is not None:
        seen, recorded_type = hints_of_recording(settings.recording, settings.topic)
        dialect = dialect or seen
    schemas = settings.schemas
    definitions = of_files(schemas, settings.include, dialect or None, type_ or recorded_type)
    if not type_ and recorded_type.count("/"):
        name = short(recorded_type)
        type_ = name if name in definitions.texts else ""
    return ros_subject(definitions, schemas[0], type_)


def _messages(settings: Settings, about: Subject) -> RecordedMessages:
    """Return the messages and where they are from."""
    if settings.recording is None:
        messages = made_up(about, settings.lengths, settings.seed)
        return RecordedMessages(
            messages, f"{len(messages)} {about_made_up(about, messages, settings.lengths)}"
        )
    has_schema = bool(settings.schemas)
    return recorded(settings.recording, about, settings.choice, settings.include, has_schema)
