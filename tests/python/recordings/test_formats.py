# SPDX-License-Identifier: Apache-2.0
"""One list of formats: each command that takes a recording reads all, or refuses one in a line."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any, NoReturn, get_args

import pytest
from typer.testing import CliRunner

from recordings.small import small_recording
from support.commands import commands
from wirecost.cli import app
from wirecost.cli.options import RECORDINGS, RecordingPath
from wirecost.data.recordings import formats
from wirecost.data.recordings.recording import Recording, is_recording
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.system.errors import UserError
from wirecost.system.plugins import plugin_facts

ROOT = Path(__file__).parents[3]
FORMATS = Path(formats.__file__).parent
COMMANDS = commands()


def _marks(command: Any) -> dict[str, RecordingPath]:
    """Return the parameters of a command that are declared to be recordings."""
    parameters = signature(command.callback).parameters.values()
    return {
        parameter.name: mark
        for parameter in parameters
        for mark in get_args(parameter.annotation)
        if isinstance(mark, RecordingPath)
    }


TAKING = {
    (*words, param.opts[0]): (words, param, _marks(command)[param.name])
    for words, command in COMMANDS.items()
    for param in command.params
    if param.name in _marks(command)
}
"""Commands, with the argument or option of theirs that is declared to be a recording."""
WORDS = {
    ("columns", "read"): ["--out", "columns"],
    ("bench", "message"): ["--topic", "/nowhere"],
    ("trace", "play"): ["--contender", "protobuf", "--steps", "1"],
}
"""What a command needs so that it does not take long."""
NOWHERE = "--topic"


class WouldMeasureError(Exception):
    """A benchmark has read its files."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the path of a small recording of a format, which is written once."""
    return cache(lambda name: small_recording(tmp_path_factory.mktemp(name), name))


@pytest.mark.parametrize("name", formats.NAMES)
def test_each_format_is_a_recording(small: Callable[[str], Path], name: str) -> None:
    path = small(name)
    assert is_recording(path)
    with Recording(path) as recording:
        assert recording.count > 0
        assert len(list(recording.each())) == recording.count


def test_commands_declare_that_they_take_recordings() -> None:
    """The table is no empty one: these are known to every page."""
    taking = {words for words, *_ in TAKING.values()}
    assert taking >= {("cost",), ("compare",), ("convert-cloud",), ("replay",)}
    assert taking >= {("bench", name) for name in ("osi", "message", "codecs", "static")}
    assert taking >= {words for words in COMMANDS if words[0] == "trace"}


@pytest.mark.parametrize("name", formats.NAMES)
@pytest.mark.parametrize("place", TAKING, ids=" ".join)
def test_each_command_reads_each_format_or_says_what_it_takes(
    small: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: tuple[str, ...],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    def stop(*_: object, **__: object) -> NoReturn:
        raise WouldMeasureError

    monkeypatch.setattr(Measurement, "about", stop)
    words, param, mark = TAKING[place]
    path = small(name)
    done = CliRunner().invoke(app, [*words, *_arguments(words, param, str(path))])
    if done.exit_code == 0 or isinstance(done.exception, WouldMeasureError):
        return
    takes = NOWHERE if NOWHERE in WORDS.get(words, ()) else mark.takes
    assert takes, done.output
    assert isinstance(done.exception, UserError | SystemExit), done.output
    line = str(done.exception) if isinstance(done.exception, UserError) else done.output
    assert "Usage" not in line
    assert takes.lower() in line.lower()
    assert path.name in line
    if isinstance(done.exception, UserError):
        assert "\n" not in line


def _arguments(words: tuple[str, ...], param: Any, path: str) -> list[str]:
    """Return a command's words: the recording in its place, new files where others are needed."""
    if param.param_type_name == "option":
        return [param.opts[0], path, *WORDS.get(words, ())]
    arguments = []
    for other in COMMANDS[words].params:
        if other.param_type_name != "argument":
            continue
        if other is param or other.name in _marks(COMMANDS[words]):
            arguments.append(path)
        elif other.required:
            arguments.append("out.mcap")
    return [*arguments, *WORDS.get(words, ())]


@pytest.mark.parametrize("place", TAKING, ids=" ".join)
def test_help_names_each_format(place: tuple[str, ...]) -> None:
    words, _, mark = TAKING[place]
    output = CliRunner().invoke(app, [*words, "--help"]).output
    text = " ".join(output.replace("│", " ").split())
    if mark.takes:  # the list has formats that such a command refuses
        assert RECORDINGS not in text
        return
    for name in formats.NAMES.values():
        assert name in text


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("README.md", ["MCAP", "ROS bag", ".osi"]),
        ("docs/cost.md", ["MCAP", "bags of ROS 1 and ROS 2", ".osi"]),
        ("docs/bench-message.md", [*plugin_facts(FORMATS, "SUFFIX").values(), "folder"]),
    ],
)
def test_pages_name_each_format(page: str, names: list[str]) -> None:
    assert [name for name in names if name not in (ROOT / page).read_text()] == []
