# SPDX-License-Identifier: Apache-2.0
"""Times, sizes and lengths take the same forms in every command that has an option of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer

from support.commands import commands
from wirecost.cli import app
from wirecost.cli.cost_live import request_of
from wirecost.cli.options import reductions
from wirecost.data.advisor.errors import Errors
from wirecost.observe.heap.launch import pool_bytes
from wirecost.system.byte_sizes import SIZE
from wirecost.system.durations import TIME, seconds, spelled
from wirecost.system.errors import UserError
from wirecost.system.lengths import LENGTH

FORMS = {
    TIME: {"10s": 10.0, "500ms": 0.5, "1.5 s": 1.5, "250us": 250e-6, "250µs": 250e-6},
    SIZE: {"2MB": 2_000_000, "64KiB": 1 << 16, "64 kib": 1 << 16, "1.6k": 1600, "104": 104},
    LENGTH: {"1mm": 0.001, "0.001": 0.001, "0.5 cm": 0.005, "1e-3": 0.001, "1m": 1.0},
}
"""Values of texts by what help calls them."""
NEEDED = {TIME: 10, SIZE: 3, LENGTH: 2}
"""Fewest options of each kind that must be found, so that none is declared in another way."""
WRONG = ("", "x", "-1", "1 parsec", "1s1", "nan", "inf")
OPTIONS = [
    (words, parameter)
    for words, command in commands().items()
    if words not in (("cost",), ("lost",))  # a running graph's; the request reads it
    for parameter in command.params
    if str(parameter.metavar).removesuffix(",…") in FORMS
]


def converted(parameter: Any, text: str) -> Any:
    value = parameter.process_value(typer.Context(typer.main.get_command(app)), text)
    return value[0] if isinstance(value, tuple) else value


@pytest.mark.parametrize(("words", "parameter"), OPTIONS, ids=lambda item: str(item)[:60])
def test_every_option_takes_the_same_forms(words: tuple[str, ...], parameter: Any) -> None:
    for text, value in FORMS[parameter.metavar.removesuffix(",…")].items():
        assert converted(parameter, text) == pytest.approx(value, rel=1e-12), (words, text)
    for text in WRONG:
        with pytest.raises(UserError, match=f"^{parameter.opts[-1]} {text}: give"):
            converted(parameter, text)


def test_the_time_of_a_running_graph_takes_them_too() -> None:
    for text, value in FORMS[TIME].items():
        request = request_of("ros2", text, "50", None, None, listens=True, attaches=False)
        assert request.seconds == pytest.approx(value, rel=1e-12)
    for text in WRONG[1:]:  # none: until Ctrl-C
        with pytest.raises(UserError, match=f"^--for {text}: give"):
            request_of("ros2", text, "50", None, None, listens=True, attaches=False)


@pytest.mark.parametrize("kind", NEEDED)
def test_options_of_each_kind_are_found(kind: str) -> None:
    metavars = [str(parameter.metavar).removesuffix(",…") for _, parameter in OPTIONS]
    assert metavars.count(kind) >= NEEDED[kind]


def test_no_option_names_its_unit_instead() -> None:
    units = {"S", "SECONDS", "METRES", "DISTANCE", "BYTES", "MS"}
    for words, command in commands().items():
        assert not units & {str(parameter.metavar) for parameter in command.params}, words


@pytest.mark.parametrize(("text", "size"), FORMS[SIZE].items())
def test_a_pool_takes_them_too(text: str, size: int) -> None:
    if size > 1_000_000:
        assert pool_bytes(text, Path("none")) == size


def test_errors_of_fields_are_lengths_or_numbers() -> None:
    assert reductions(["a.x=error:1mm", "*=error:0.001", "b=auto"]) == (
        "a.x=error:0.001", "*=error:0.001", "b=auto",
    )  # fmt: skip
    errors = Errors.parse(["x=1mm", "yaw=0.5", "z=0"])
    assert errors.limits == {"x": 0.001, "yaw": 0.5, "z": 0.0}
    with pytest.raises(UserError, match=r"--error a.yaw: a.yaw is not a length; give .* rad"):
        Errors.parse(["a.yaw=1mm"]).of("L", "a.yaw")


@pytest.mark.parametrize("time_s", [10.0, 0.5, 250e-6, 3e-9, 1.5, 0.0])
def test_a_time_is_spelled_as_it_is_read(time_s: float) -> None:
    assert seconds("--for", spelled(time_s), may_be_zero=True) == pytest.approx(time_s, rel=1e-12)
