# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost``: what every topic of a recording costs each second, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    from wirecost.measure.cost.prices import PriceList
    from wirecost.measure.cost.pricing import Pricing
    from wirecost.results.records.cost import SystemCost

SYSTEMS = ("ros2", "ros1", "dds")
LANGUAGES = ("cpp", "python")
LISTENED, SAMPLED_ABOVE = "10s", "50MB"
"""Defaults of a running graph: how long, and bytes per second from which on a topic is sampled."""
EXAMPLE_FILE = "drive.mcap"
EXAMPLE = "wirecost cost drive.mcap --subscribers /points=3"


def _middlewares() -> list[str]:
    from wirecost.measure.cost.paths import MIDDLEWARES

    return [*MIDDLEWARES, *transport_names()]


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
        option(
            "With --live ros2, --calibrate, --prove: the Python that has rclpy or rospy, where "
            "this one has not.",
            metavar="PATH",
        ),
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
        option("Folder with definitions that files lack; can be repeated.", "-I", metavar="DIR"),
    ] = None,
    over: Annotated[
        str,
        option(
            "Middleware of all topics instead of the usual one, such as fastdds-udp, cyclonedds, "
            "zenoh, iceoryx2; others are first measured, in half a minute.",
            metavar="MIDDLEWARE",
            known=_middlewares,
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
        bool,
        option("First measure the libraries in use on this machine, once, in about 2 minutes."),
    ] = False,
    prove: Annotated[
        int | None,
        option(
            "Apply advice N to stand-ins of the topic's ends, and measure what it gains, within a "
            "minute.",
            metavar="N",
        ),
    ] = None,
    nodes: Annotated[
        Path | None,
        option(
            "YAML or TOML: for each node its language (cpp, python) and its topics.",
            metavar="FILE",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        option(
            "Keep what each recording's topics cost in this folder, by vehicle and week, for "
            "`compare`; of a RECORDING that is a folder, all in it.",
            metavar="DIR",
        ),
    ] = None,
    vehicle: Annotated[
        str,
        option(
            "With --store: the vehicle, as a regular expression that finds it in a path; default: "
            "the first folder.",
            metavar="REGEX",
        ),
    ] = "",
    workers: Annotated[
        int, option("With --store: processes that read recordings.", metavar="N", min=1, max=256)
    ] = 1,
    *,
    output: Output,
) -> Answer:
    """Print what each topic of a recording costs, and what helps."""
    from wirecost.cli.cost_proof import proved, with_options
    from wirecost.measure.cost.pricing import Pricing
    from wirecost.measure.cost.system_cost import system_cost
    from wirecost.results.report.cost.system_answer import cost_answer

    if example:
        files = [_example(files, live)]
    of_live = {
        "--for": for_ != LISTENED and for_, "--limit": limit != SAMPLED_ABOVE and limit,
        "--watch": watch, "--no-subscribe": no_subscribe,
        "--python": python is not None and not calibrate and prove is None,
        "--domain": domain is not None, "--attach": attach, "--serve": serve is not None,
    }  # fmt: skip
    _check(files, live, lang, nodes, _given(of_live))
    if prove is not None and (beside := _given({"--topic": topic, "--what-if": what_if})):
        raise UserError(f"{', '.join(beside)}: not with --prove, which prints one proof")
    counts = dict(_subscribers(text) for text in subscribers or ())
    if store is not None or vehicle or workers > 1:
        of_one = {
            "--live": live, "--what-if": what_if, "--topic": topic, "--measure": measure,
            "--calibrate": calibrate, "--prove": prove is not None, "--nodes": nodes,
        }  # fmt: skip
        priced = Pricing(_prices(over), lang or "cpp", over)
        return _stored(
            files or [], store, vehicle, workers, _given(of_one), include, counts, priced
        )
    if recorded := _recorded(files or []):
        from wirecost.cli.cost_shares import files_answer

        of_messages = {
            "--subscribers": subscribers, "--lang": lang, "--include": include, "--over": over,
            "--what-if": what_if, "--topic": topic, "--measure": measure, "--calibrate": calibrate,
            "--nodes": nodes, "--prove": prove,
        }  # fmt: skip
        return files_answer(recorded, _given(of_messages))
    if live:
        from wirecost.cli.cost_live import listened, request_of

        if calibrate:
            _calibrate({_WIRES[live]} if live in _WIRES else set(), {lang or "cpp"}, over, python)
        until = "" if serve is not None and for_ == LISTENED else for_
        request = request_of(
            live, until, limit, python, domain, listens=not no_subscribe, attaches=attach
        )
        console = output.console if watch else None
        about = Pricing(_prices(over), lang, over)
        read, cost, pricing = listened(request, include or [], counts, about, console, serve)
    else:
        read = _surveyed(files or [], include or [])
        of_nodes: Mapping[str, str] = {}
        if nodes is not None:
            from wirecost.measure.cost.nodes import read_nodes

            graph = read_nodes(nodes)
            graph.place(read)
            of_nodes = graph.langs
        langs = {lang or "cpp", *of_nodes.values()}
        if calibrate:
            _calibrate({topic.connection.wire for topic in read.topics}, langs, over, python)
        pricing = Pricing(_prices(over), lang or "cpp", over, of_nodes)
        cost = system_cost([str(path) for path in files or []], read, pricing, counts)
    if measure:
        cost = _measured(cost, read, measure, pricing)
    if prove is not None:
        return proved(cost, read, pricing, prove, python)
    if topic:
        cost = _with_inside(cost, read, topic)
    words = _words({
        "-I": include, "--subscribers": subscribers, "--lang": lang, "--over": over,
        "--nodes": nodes,
    })  # fmt: skip
    proving = [*words, *_words({"--python": "" if live else python})]  # of no other use there
    shown_topic = ["--topic", topic] if topic else []
    again = shell_line("wirecost", "cost", *cost.files, *words, *shown_topic)
    return cost_answer(with_options(cost, proving), again, what_if=what_if)


def _surveyed(files: list[Path], include: list[Path]) -> RecordingSurvey:
    from wirecost.data.recordings.survey import survey

    with progress() as advance:
        read = survey(files, include, advance)
    if not read.topics:
        raise UserError(f"{files[0]}: holds no message; name another recording")
    return read


def _stored(
    files: list[Path],
    store: Path | None,
    vehicle: str,
    workers: int,
    others: Sequence[str],
    include: list[Path] | None,
    counts: Mapping[str, int],
    pricing: Pricing,
) -> Answer:
    """Keep the costs of many recordings; ``others``: options that do not fit. Raises UserError."""
    from wirecost.cli.cost_store import CostReading, stored

    if store is None:
        raise UserError("--vehicle, --workers: are for --store; name a folder there")
    if others:
        raise UserError(f"{', '.join(others)}: not with --store, which keeps many costs")
    return stored(files, store, vehicle, CostReading(include or (), counts, pricing), workers)


def _check(
    files: list[Path] | None, live: str, lang: str, nodes: Path | None, of_live: Sequence[str]
) -> None:
    """Refuse options that contradict each other. Raises UserError."""
    if lang not in ("", *LANGUAGES):
        raise UserError(f"--lang {lang}: give cpp or python")
    if bool(files) == bool(live):
        raise UserError(
            "name a recording, or --live ros2 for a running graph; --example makes a recording"
        )
    if not live and of_live:
        raise UserError(f"{', '.join(of_live)}: for a running graph; name one with --live")
    if nodes is not None and live:
        raise UserError("--nodes: a running graph says itself which nodes it has")


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


def _words(options: Mapping[str, object]) -> list[str]:
    """Return the options by which the same figures come again, as words of a command."""
    words: list[str] = []
    for name, value in options.items():
        for item in value if isinstance(value, list) else [value]:
            words += [name, str(item)] if item not in (None, "") else []
    return words


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


_WIRES = {"ros2": "cdr", "dds": "cdr", "ros1": "ros1"}
"""Wire of a graph's messages."""


def _calibrate(wires: set[str], langs: set[str], over: str, python: Path | None) -> None:
    """Measure this machine's prices of what is in use, and keep them. Raises UserError."""
    from wirecost.data.messages.ros import installed
    from wirecost.measure.cost.calibration import CalibratedEnds, calibrated
    from wirecost.measure.cost.prices import PriceList, keep, own_path, own_prices
    from wirecost.measure.cost.pricing import Pricing

    installed.check(python)
    middleware = Pricing(PriceList({}), "", over).middleware_of
    ends = [
        CalibratedEnds(lang, wire, middleware(wire))
        for lang in sorted(langs)
        for wire in sorted(wires)
    ]
    with progress() as advance:
        prices = calibrated(
            ends, installed.Ros2Installation(python), lambda text: advance(0, 1, text)
        )
    try:
        keep(prices.over(own_prices()), own_path())
    except OSError as error:
        raise failed_write(own_path(), error, "set WIRECOST_STATE to a folder of yours") from error


def _prices(over: str) -> PriceList:
    """Return what is known, and the path of a transport that nobody priced. Raises UserError."""
    from wirecost.measure.cost.paths import ALIASES, MIDDLEWARES, PathTable
    from wirecost.measure.cost.prices import PriceList, known_prices

    prices, name = known_prices(), ALIASES.get(over, over)
    if not over or any(path.middleware == name for path in prices.paths.paths.values()):
        return prices
    from wirecost.measure.cost.over import measured_path
    from wirecost.messaging.transport import find

    try:
        carrier = find(over)
    except UserError as error:
        raise UserError(
            f"--over {over}: there is no such middleware; choose {', '.join(MIDDLEWARES)}, or one "
            "that `wirecost transports` lists"
        ) from error
    if why := carrier.missing() or carrier.no_server():
        raise UserError(f"--over {over}: {why}")
    with progress() as advance:
        path = measured_path(over, lambda text: advance(0, 1, text))
    return PriceList(prices.about, {}, PathTable({path.name: path}), prices.is_own).over(prices)


def _measured(cost: SystemCost, read: RecordingSurvey, asked: str, pricing: Pricing) -> SystemCost:
    """Return the same with measured times of some topics. Raises UserError."""
    from wirecost.measure.cost.measured_topics import chosen_topics, measured

    topics = chosen_topics(cost, asked)
    with progress() as advance:
        return measured(cost, read.topics, topics, pricing, lambda text: advance(0, 1, text))


def _with_inside(cost: SystemCost, read: RecordingSurvey, topic: str) -> SystemCost:
    """Return the same with what a topic consists of. Raises UserError."""
    import msgspec

    from wirecost.measure.cost.inside import inside
    from wirecost.measure.cost.prices import known_prices

    surveys = [
        survey for survey in read.topics if survey.connection.topic == topic and survey.count
    ]
    if not surveys:
        names = ", ".join(topic_cost.topic for topic_cost in cost.topics[:8])
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
