# SPDX-License-Identifier: Apache-2.0
"""campaign.toml: what is wrong in it is said before anything starts, with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.measure.campaign.definition import Definition, read
from wirecost.system.errors import UserError

WHOLE = """\
name = "one"
seed = 7
repetitions = 2

[[bench]]
scenario = "osi"
expected = "1.5 min"
machines = ["here", "arm"]

[bench.options]
fmi = 2

[bench.matrix]
reflections = [10, 20]

[[bench.exclude]]
reflections = 20

[[bench]]
scenario = "map"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "campaign.toml"
    path.write_text(text)
    return path


def test_a_whole_file(tmp_path: Path) -> None:
    messages: Definition = read(written(tmp_path, WHOLE))
    assert (messages.name, messages.seed, messages.repetitions) == ("one", 7, 2)
    osi, map_ = messages.benches
    assert (osi.expected_s, osi.machines, osi.options) == (90.0, ("here", "arm"), {"fmi": 2})
    assert (osi.matrix, osi.exclude) == ({"reflections": [10, 20]}, ({"reflections": 20},))
    assert (map_.number, map_.expected_s, map_.machines) == (1, 300.0, ("here",))


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "why"),
    [
        ('name = "one"', "", 1, "name", "give 1 to 64 letters"),
        ('name = "one"', 'name = "a b"', 1, "name", "give 1 to 64 letters"),
        ("seed = 7", "seed = -1", 2, "seed", "give a whole number from 0"),
        ("seed = 7", "sed = 7", 2, "sed", "is unknown; there are name, seed"),
        ("repetitions = 2", "repetitions = true", 3, "repetitions", "give a whole number from 1"),
        ('scenario = "osi"', "scenario = 1", 6, "scenario", "give one of `wirecost bench --help`"),
        ('"1.5 min"', '"soon"', 7, "expected", 'give a time, such as "90 s"'),
        ('"1.5 min"', '"0 s"', 7, "expected", "give a time"),
        ('["here", "arm"]', "[]", 8, "machines", "give a list of texts"),
        ("fmi = 2", "out = 2", 11, "out", "is not for a campaign"),
        ("fmi = 2", "fmi = {a = 1}", 11, "fmi", "give a text, a number, true, false or a list"),
        ("fmi = 2", "reflections = 2", 14, "reflections", "is in options too"),
        ("[10, 20]", "10", 14, "reflections", "give a list of values"),
        ("reflections = 20\n", "fmi = 2\n", 17, "fmi", "is not in the matrix"),
        ("[[bench.exclude]]", "[bench.exclude]", 16, "bench.exclude", "with two brackets"),
        ('scenario = "map"', 'scenario = "map"\nmatrix = 3', 21, "bench.matrix", "write a table"),
    ],
)
def test_what_is_wrong_has_a_line(
    tmp_path: Path, old: str, new: str, line: int, key: str, why: str
) -> None:
    path = written(tmp_path, WHOLE.replace(old, new, 1))
    with pytest.raises(UserError) as raised:
        read(path)
    text = str(raised.value)
    assert text.startswith(f"{path}:{line}: {key}: ") and why in text and "\n" not in text


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"name = ", "no TOML"),
        (b"\xff", "not UTF-8"),
        (b"x = " + b"[" * 10_000, "no TOML"),
        (b'name = "a"\nbench = 3', "is missing; write a table"),
        (b'name = "a"\nbench = [3]', "is no table"),
        (b'name = "\x1b"', "no TOML"),
    ],
)
def test_what_is_no_campaign(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(content)
    with pytest.raises(UserError, match=why) as raised:
        read(path)
    assert "\x1b" not in str(raised.value)
    with pytest.raises(UserError, match="name a campaign"):
        read(tmp_path / "none.toml")
