# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench tensor``: measure, then print and keep the report."""

from __future__ import annotations

import ctypes
import os
import re
import secrets
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import Advance
from wirecost.cli.ending import JsonFile
from wirecost.cli.options import option
from wirecost.cli.scenario_command import Out
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.tensor.contenders import contender_names as contenders
from wirecost.measure.bench.tensor.link import host_port
from wirecost.measure.bench.tensor.plugins import DEVICES, PLUGINS
from wirecost.results.records.journal import Journal
from wirecost.results.report.shared.terminal import say
from wirecost.system import scratch
from wirecost.system.chosen import chosen
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.regular_file import read_regular
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    from wirecost.measure.bench.tensor.cases import TensorPlan, TensorSettings
    from wirecost.measure.bench.tensor.interpreters import Interpreter

EXAMPLE = "wirecost bench tensor --plugins numpy --mwares iceoryx2,zeromq"

ROLES = ("both", "publish", "listen")
LISTEN_AT = "127.0.0.1:7790"
TOKEN = re.compile(r"[A-Za-z0-9]{8,64}")
TOKEN_VARIABLE = "WIRECOST_TOKEN"
MOST_TOKEN_FILE = 4096
"""Bytes of a file with a token."""


def command(
    plugins: Annotated[
        str | None,
        option("Plugins, comma-separated; default: all, or numpy with --sweep.", known=PLUGINS),
    ] = None,
    mwares: Annotated[
        str | None,
        option(
            "Transports, raw libraries and floors, comma-separated; default: all.", known=contenders
        ),
    ] = None,
    shapes: Annotated[str, option("Extents of the array.", "--shape", metavar="NxN,…")] = "200x200",
    dtypes: Annotated[
        str, option("Types of elements, such as float32,float64.", "--dtype", metavar="T,T,…")
    ] = "float64",
    devices: Annotated[str, option("cpu, cuda, cuda-ipc.", "--device", known=DEVICES)] = "cpu",
    content: Annotated[
        str, option("ones (but for the number and some elements) or random.")
    ] = "ones",
    rate: Annotated[float, option("Messages per second.", metavar="HZ")] = 100.0,
    trials: Annotated[int, option("Messages of each contender.", metavar="N")] = 200,
    processes: Annotated[
        int, option("Fresh pairs of processes of each contender, one a round.", metavar="N")
    ] = PROCESSES,
    seed: Annotated[int, option("Seed of the contenders' order in each round.")] = 1,
    pattern: Annotated[str, option("pubsub or reqrep.")] = "pubsub",
    sweep: Annotated[bool, option("64 B to 64 MiB: latency, and throughput back to back.")] = False,
    python: Annotated[
        list[str] | None,
        option(
            "Interpreter that has a plugin's framework, such as torch=/opt/torch/bin/python; "
            "once for each. Both ends run there.",
            metavar="PLUGIN=PATH",
        ),
    ] = None,
    role: Annotated[
        str,
        option(
            "both: on this machine; publish or listen: one on each of two machines.", known=ROLES
        ),
    ] = "both",
    peer: Annotated[
        str | None, option("With --role publish: address of the listener.", metavar="HOST:PORT")
    ] = None,
    token: Annotated[
        str | None,
        option(
            "With --role publish: the token that the listener prints. The list of processes "
            f"shows it at first: prefer --token-file, or the variable {TOKEN_VARIABLE}.",
            metavar="WORD",
        ),
    ] = None,
    token_file: Annotated[
        Path | None, option("With --role publish or listen: the token is in there.", metavar="FILE")
    ] = None,
    listen_at: Annotated[
        str | None,
        option(
            f"With --role listen: where to wait; default {LISTEN_AT}, this machine only.",
            metavar="HOST:PORT",
        ),
    ] = None,
    address: Annotated[
        list[str] | None,
        option(
            "Where a transport's ends meet, such as dds=5@10.0.0.1; once for each transport.",
            metavar="NAME=ADDRESS",
        ),
    ] = None,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Arrays and tensors over middlewares: one-way latency."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.tensor import addresses, listener
    from wirecost.measure.bench.tensor import scenario as tensor
    from wirecost.measure.bench.tensor.cases import TensorSettings
    from wirecost.measure.bench.tensor.remote import Remote

    places = addresses.parse(address or [])
    _check_role(role, peer, listen_at)
    word, source = _token(role, token, token_file)
    if role == "listen":
        host, port = host_port("--listen-at", listen_at or LISTEN_AT)
        with scratch.run():
            listener.serve(host, port, word, places, _show, source)
        return
    available = contenders()
    console = Console(stderr=True)
    used = chosen("--plugins", plugins or ("numpy" if sweep else ",".join(PLUGINS)), PLUGINS)
    middlewares = chosen("--mwares", mwares, available) if mwares else tuple(available)
    others = _others(python or [], middlewares, devices, role)
    settings = TensorSettings(
        used,
        middlewares,
        tuple(dict.fromkeys(map(_shape, shapes.split(",")))),
        tuple(dict.fromkeys(dtypes.split(","))),
        chosen("--device", devices, DEVICES),
        content,
        rate,
        trials,
        pattern,
        sweep,
        places,
        processes,
        seed,
        others,
    )
    settings.check()
    lost: str | None = None
    with ExitStack() as stack:
        remote = None
        if peer is not None:
            remote = stack.enter_context(Remote(*host_port("--peer", peer), word))
        plan = settings.plan(None if remote is None else remote.loopback)
        _announce(console, settings, plan)

        def measure(journal: Journal, advance: Advance) -> None:
            nonlocal lost
            lost = tensor.run(settings, plan, journal, advance, remote)

        measure_and_report(tensor.SCENARIO, out, json_file, measure)
    if lost is not None:
        raise UserError(f"{lost}; what was measured before was kept")


def _others(
    texts: list[str], mwares: tuple[str, ...], devices: str, role: str
) -> dict[str, Interpreter]:
    from wirecost.measure.bench.tensor import interpreters

    if texts and role != "both":
        raise UserError(f"--python: is for one machine; leave it or --role {role} out")
    device = next((name for name in devices.split(",") if name != "cpu"), "cpu")
    return {
        name: interpreters.probed(path, name, mwares, device)
        for name, path in interpreters.parse(texts, PLUGINS).items()
    }


def _announce(console: Console, settings: TensorSettings, plan: TensorPlan) -> None:
    from wirecost.measure.bench.tensor import scenario as tensor

    combinations = sum(len(case.combinations) for case in plan.cases)
    minutes = tensor.expected_seconds(settings, plan) / 60
    contenders, cases = counted(combinations, "contender"), counted(len(plan.cases), "case")
    say(console, f"{contenders} of {cases}: about {minutes:.1f} min")


def _check_role(role: str, peer: str | None, listen_at: str | None) -> None:
    if role not in ROLES:
        raise UserError(f"--role {role}: there are {', '.join(ROLES)}")
    if listen_at is not None and role != "listen":
        raise UserError("--listen-at: needs --role listen")
    if (peer is not None) != (role == "publish"):
        raise UserError("--peer HOST:PORT: needed with --role publish, and only then")


def _token(role: str, option_word: str | None, file: Path | None) -> tuple[str, str]:
    """Return the token, and the option by which the other machine gets it if the user chose it.

    Raises UserError.
    """
    if option_word:
        _hide(option_word)
    inherited = os.environ.pop(TOKEN_VARIABLE, None)  # no child needs it
    token: str | None
    if option_word is not None and file is not None:
        raise UserError("--token and --token-file: choose one")
    if file is not None:
        name, source, token = "--token-file", "--token-file FILE", _token_in(file)
    elif option_word is not None or role == "both" or inherited is None:
        name, source, token = "--token", "the same --token" if option_word else "", option_word
    else:
        name, source, token = TOKEN_VARIABLE, f"the same {TOKEN_VARIABLE}", inherited
    if token is not None and (role == "both" or not TOKEN.fullmatch(token)):
        raise UserError(f"{name}: give 8 to 64 letters and digits, with --role publish or listen")
    if role == "publish" and token is None:
        raise UserError("--token: give the one that the listener prints")
    return token or secrets.token_hex(8), source


def _hide(word: str) -> None:
    """Overwrite a word of this process's command line, which the list of processes shows."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    at = ctypes.string_at(begin, end - begin).find(word.encode()) if begin else -1
    if at >= 0:
        ctypes.memset(begin + at, ord("x"), len(word.encode()))


def _token_in(file: Path) -> str:
    try:
        return read_regular(file, MOST_TOKEN_FILE).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "no text"
        raise UserError(f"--token-file {file}: {why}; name a file with the token") from error


def _show(line: str) -> None:
    print(line, flush=True)


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split("x"))
    except ValueError:
        raise UserError(f"--shape {text}: give extents, such as 200x200 or 3x480x640") from None
