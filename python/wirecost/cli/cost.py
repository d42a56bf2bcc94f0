# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost``: what every topic of a recording costs each second, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import Output, answering
from wirecost.cli.options import RECORDINGS, RecordingPath, argument, option, transport_names
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.data.recordings.survey import RecordingSurvey
    from wirecost.results.records.cost import SystemCost

SYSTEMS = ("ros2", "ros1", "dds")
LANGUAGES = ("cpp", "python")
LISTENED, SAMPLED_ABOVE = "10s", "50MB"
"""Defaults of a running graph: how long, and bytes per second from which on a topic is sampled."""
EXAMPLE_FILE = "drive.mcap"
EXAMPLE = "wirecost cost drive.mcap --subscribers /points=3"


@answering()
def command(
    files: Annotated[
        list[Path] | None,
        argument(
            "[RECORDING]…",
            f"{RECORDINGS}; or probe logs, traces of LTTng.",
            show_default=False,
        ),
        RecordingPath(),
    ] = None,
    example: Annotated[
        bool, option(f"Write {EXAMPLE_FILE}, a synthetic recording, and read that.", "--example")
    ] = False,
    live: Annotated[
        str,
        option(
            "Listen to a running graph instead: ros2, ros1 or dds.", known=SYSTEMS, metavar="NAME"
        ),
    ] = "",
    for_: Annotated[str, option("With --live: how long.", "--for", metavar="TIME")] = LISTENED,
    watch: Annotated[bool, option("With --live: renew the table every second.")] = False,
    no_subscribe: Annotated[
        bool, option("With --live: only find who is there; no rates.", "--no-subscribe")
    ] = False,
    attach: Annotated[
        bool,
        option("With --live ros2: breakpoints say who pays; no subscription; needs root."),
    ] = False,
    serve: Annotated[
        int | None,
        option(
            "With --live: Prometheus metrics at this port of 127.0.0.1, until Ctrl-C or --for.",
            metavar="PORT",
            min=1,
            max=65535,
        ),
    ] = None,
    limit: Annotated[
        str, option("With --live: topics with more each second are sampled.", metavar="SIZE")
    ] = SAMPLED_ABOVE,
    python: Annotated[
        Path | None,
        option("With --live: the Python of a ROS, if this one has none.", metavar="PATH"),
    ] = None,
    domain: Annotated[
        int | None,
        option(
            "With --live dds: DDS domain; default: ROS_DOMAIN_ID, else 0.",
            metavar="N",
            min=0,
            max=232,
        ),
    ] = None,
    subscribers: Annotated[
        list[str] | None,
        option(
            "Receivers of a topic, such as /points=3; default 1, or those that are there; can be "
            "repeated.",
            metavar="TOPIC=N",
        ),
    ] = None,
    lang: Annotated[
        str,
        option(
            "Language of both ends: cpp or python. Default: cpp, or that of a graph's processes.",
            known=LANGUAGES,
            metavar="NAME",
            show_default=False,
        ),
    ] = "",
    include: Annotated[
        list[Path] | None,
        option("Folder with definitions that it lacks; can be repeated.", "-I", metavar="DIR"),
    ] = None,
    over: Annotated[
        str,
        option(
            "Add the processor time of this transport, measured in half a minute.",
            metavar="TRANSPORT",
            known=transport_names,
        ),
    ] = "",
    what_if: Annotated[
        bool, option("Print what each change would save, topic by topic.", "--what-if")
    ] = False,
    topic: Annotated[
        str, option("Show where this topic's bytes and time go, field by field.", metavar="NAME")
    ] = "",
    measure: Annotated[
        str,
        option(
            "Compile and measure the costliest N topics, or these, instead of computing.",
            metavar="N|TOPICS",
        ),
    ] = "",
    calibrate: Annotated[
        bool, option("First measure this machine's prices, once, in about 8 minutes.")
    ] = False,
    *,
    output: Output,
) -> Answer:
    """Print what each topic of a recording costs, and what pays."""
    from wirecost.data.recordings.survey import survey
    from wirecost.measure.cost.prices import known_prices
    from wirecost.measure.cost.system_cost import system_cost
    from wirecost.results.report.cost.system_answer import cost_answer

    if lang not in ("", *LANGUAGES):
        raise UserError(f"--lang {lang}: give cpp or python")
    if example:
        files = [_example(files, live)]
    if bool(files) == bool(live):
        raise UserError(
            "name a recording, or --live ros2 for a running graph; --example makes a recording"
        )
    of_live = {
        "--for": for_ != LISTENED and for_, "--limit": limit != SAMPLED_ABOVE and limit,
        "--watch": watch, "--no-subscribe": no_subscribe, "--python": python,
        "--domain": domain is not None, "--attach": attach, "--serve": serve is not None,
    }  # fmt: skip
    if not live and (given := _given(of_live)):
        raise UserError(f"{', '.join(given)}: for a running graph; name one with --live")
    if recorded := _recorded(files or []):
        from wirecost.cli.cost_shares import files_answer

        of_messages = {
            "--subscribers": subscribers, "--lang": lang, "--include": include, "--over": over,
            "--what-if": what_if, "--topic": topic, "--measure": measure, "--calibrate": calibrate,
        }  # fmt: skip
        return files_answer(recorded, _given(of_messages))
    counts = dict(_subscribers(text) for text in subscribers or ())
    if calibrate:
        _calibrate()
    if live:
        from wirecost.cli.cost_live import listened, request_of

        until = "" if serve is not None and for_ == LISTENED else for_
        request = request_of(
            live, until, limit, python, domain, listens=not no_subscribe, attaches=attach
        )
        console = output.console if watch else None
        read, cost = listened(request, include or [], counts, lang, console, serve)
    else:
        with progress() as advance:
            read = survey(files or [], include or [], advance)
        if not read.topics:
            raise UserError(f"{(files or [])[0]}: holds no message; name another recording")
        cost = system_cost(
            [str(path) for path in files or []], read, known_prices(), lang or "cpp", counts
        )
    if measure:
        cost = _measured(cost, read, measure)
    if over:
        cost = _carried(cost, over)
    if topic:
        cost = _with_inside(cost, read, topic)
    again = shell_line("wirecost", "cost", *cost.files, *(["--topic", topic] if topic else []))
    return cost_answer(cost, again, what_if=what_if)


def _example(files: list[Path] | None, live: str) -> Path:
    """Write the example. Raises UserError where another system is named, too."""
    from wirecost.data.recordings.example import write_example

    if files or live:
        raise UserError("--example: is a recording of its own; name no other")
    path = Path(EXAMPLE_FILE)
    write_example(path)
    return path


def _given(options: Mapping[str, object]) -> list[str]:
    """Return the names of options that were given a value of their own."""
    return [name for name, value in options.items() if value not in (None, False, "", [])]


def _recorded(files: list[Path]) -> list[Path]:
    """Return the files if they are probe logs or traces, else none. Raises UserError on a mix."""
    from wirecost.data.recordings.recording import is_recording

    others = [path for path in files if not is_recording(path)]
    if not others:
        return []
    from wirecost.results.records.recorded import is_recorded

    recorded = list(filter(is_recorded, others))
    if recorded and len(recorded) < len(files):
        other = next(path for path in files if path not in recorded)
        raise UserError(f"{other}: no log, as {recorded[0]} is; name recordings or logs, not both")
    return recorded


def _calibrate() -> None:
    """Measure this machine's prices and keep them. Raises UserError."""
    from wirecost.measure.cost.calibration import calibrated
    from wirecost.measure.cost.prices import keep, own_path

    with progress() as advance:
        prices = calibrated(lambda text: advance(0, 1, text))
    try:
        keep(prices, own_path())
    except OSError as error:
        raise failed_write(own_path(), error, "set WIRECOST_STATE to a folder of yours") from error


def _measured(cost: SystemCost, read: RecordingSurvey, asked: str) -> SystemCost:
    """Return the same with measured times of some topics. Raises UserError."""
    from wirecost.measure.cost.measured_topics import chosen_topics, measured
    from wirecost.measure.cost.prices import known_prices

    wanted = chosen_topics(cost, asked)
    with progress() as advance:
        return measured(cost, read.topics, wanted, known_prices(), lambda text: advance(0, 1, text))


def _carried(cost: SystemCost, transport: str) -> SystemCost:
    """Return the same with what a transport takes. Raises UserError."""
    from wirecost.measure.cost.over import carrying_prices, with_carrying
    from wirecost.messaging.transport import find

    carrier = find(transport)
    if why := carrier.missing() or carrier.no_server():
        raise UserError(f"--over {transport}: {why}")
    with progress() as advance:
        prices = carrying_prices(transport, lambda text: advance(0, 1, text))
    return with_carrying(cost, transport, prices)


def _with_inside(cost: SystemCost, read: RecordingSurvey, topic: str) -> SystemCost:
    """Return the same with what a topic consists of. Raises UserError."""
    import msgspec

    from wirecost.measure.cost.inside import inside
    from wirecost.measure.cost.prices import known_prices

    surveys = [one for one in read.topics if one.connection.topic == topic and one.count]
    if not surveys:
        names = ", ".join(one.topic for one in cost.topics[:8])
        raise UserError(f"--topic {topic}: has no message here; there are {names}")
    most = max(surveys, key=lambda one: one.count)
    if most.subject is None:
        raise UserError(f"--topic {topic}: {most.unknown}")
    return msgspec.structs.replace(cost, inside=inside(most, known_prices(), cost.lang))


def _subscribers(text: str) -> tuple[str, int]:
    topic, _, count = text.rpartition("=")
    if not topic or not count.isdecimal() or len(count) > 4:
        raise UserError(f"--subscribers {text}: give TOPIC=N, such as /points=3, up to 9999")
    return topic, int(count)
