# SPDX-License-Identifier: Apache-2.0
"""What a user gets wrong is answered with exit status 2 and a sentence that helps, before any work
is done and without a traceback."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from wirecost.__main__ import main

WRONG = """
bech osi                              | Did you mean 'bench'
bench ois                             | Did you mean 'osi'?
bench osi --contender columns         | --contenders
bench osi --contenders colums         | unknown contender colums; there are protobuf,
bench osi --reflections abc           | --reflections abc: give whole numbers
bench osi --reflections -5            | --reflections -5: must not be negative
bench osi --reflections ''            | give whole numbers, separated by commas
bench osi --steps 0                   | --steps 0: at least 1 step is needed
bench osi --processes 0               | --processes 0: at least 1 process is needed
bench osi --variant foo               | 'same-work', 'published'
bench osi --fmi 4                     | --fmi 4: give 2 or 3
bench osi --out /proc/x               | name a writable --out
bench osi --json /nonexistent/x.json  | name a writable --json file
bench osi --json /                    | name a writable --json file
bench notification --factors x        | No such option: --factors
bench notification --lang perl        | there are cpp, python, java
bench tensor --plugins nope           | there are numpy, torch
bench tensor --mwares nope            | there are memcpy, in-process
bench tensor --shape 0x3              | give positive extents
bench tensor --shape axb              | such as 200x200
bench tensor --dtype complex999       | such as float32
bench tensor --rate -1                | must lie between 0.1 and
bench tensor --trials 0               | must lie between 1 and
bench tensor --device gpu             | there are cpu, cuda
bench tensor --role listen --token x  | give 8 to 64 letters and digits
bench message                         | name a schema
bench message /nonexistent.proto      | no such file; name a .proto file
bench message /etc/passwd --type X    | not a kind of schema that is known; give .proto
bench repeated --lists nope           | --list
bench cloud --points -1               | must lie between 1 and
bench heap --processes x              | No such option: --processes
bench transport --mwares nope         | there are dds,
bench transport --sizes 1Q            | such as 100, 10k, 5MB
bench transport --network narow       | did you mean narrow?
bench transport --subscribers 0       | must lie between 1 and
bench transport --pattern foo         | there are pubsub, reqrep
compare a b                           | not a result folder
compare tests                         | name run B too
compare . . --margin x                | give a percentage, such as 5%
compare --fail-above 5                | Missing argument 'A'
compile                               | Missing argument
compile /nonexistent.proto --lang cpp --wire protobuf --out /tmp/x | no such file; name a .proto
compile /etc/passwd --lang cpp --wire protobuf --out /tmp/x | not a kind of schema that is known
report /tmp                           | name one that was measured
report /tmp --format svg --open       | add html to --format svg
log /etc/passwd                       | not a SET Level performance log
log /nonexistent                      | name a performance log
doctor --cpus 99999                   | write it like 2,8 or 2-5
doctor --noise x                      | Invalid value for '--noise'
transports --test nope                | there are dds,
echo                                  | Missing argument 'TOPIC'
echo nothing --transport nope         | transport 'nope' is unknown
hz nothing --window 0                 | at least 2 messages are needed
trace info /nonexistent.osi           | name a readable trace file
trace info /etc/passwd                | these are known: .osi, .mcap, .txth
trace convert a.osi                   | Missing argument
trace convert /nonexistent.osi /tmp/y.mcap | name a readable trace file
trace play x.osi --rate 0             | must be positive
columns advise /nonexistent           | these are known: .osi, .mcap, .txth
heap run                              | Missing argument
heap run -- /nonexistent              | give the program to run after --
heap run --pool 1X -- true            | give a size such as 64MiB or 2GiB, or auto
probe show /nonexistent               | name a probe log
probe show . --deadline -1            | such as 10ms, 250us or 1.5s
probe show . --format svg             | needs --figures DIR
probe show . --report x.pdf           | is an HTML page; name it x.html, or write figures
compare a b --report x.pdf            | is an HTML page; name it x.html, or write figures
probe chain . --from /a --to /b       | name another folder
probe chain . --from /a               | give both --from and --to
probe chain . --from /a --to /b --deadline 1h | such as 10ms, 250us or 1.5s
probe try                             | Missing argument
probe try --remedies x -- true        | there are fifo, heap, huge, lock, malloc, pin
probe try --for 0 -- true             | such as 10ms, 250us or 1.5s
probe try -- /nonexistent             | give the program to run after --
replay . --remedies heap              | needs --try
probe run                             | Missing argument
probe run --function f --without function -- true | choose one
probe run --report x.pdf -- true      | name it x.html
probe run --json /nonexistent/x -- true | name a writable --json file
probe attach 1 --function f --out x   | leave it out with --function
probe attach 1 --function f --every 1 | leave it out with --function
probe run -- /nonexistent             | give the program to run after --
record                                | Missing argument 'NODE'
replay /nonexistent                   | name a folder of wirecost record
campaign plan /nonexistent.toml       | name a campaign.toml
campaign run /etc/passwd --store /tmp/s | no TOML
campaign status /nonexistent          | name one that a campaign has filled
campaign query /nonexistent           | name a store that a campaign filled
campaign worker tcp://127.0.0.1:1     | use tls:// with --keys
results /nonexistent                  | measure with `wirecost bench`
results --last 0                      | greater than or equal to 1
"""
ROWS = [tuple(map(str.strip, line.split("|"))) for line in WRONG.strip().splitlines()]


@pytest.mark.parametrize(("words", "said"), ROWS, ids=[words for words, _ in ROWS])
def test_it_is_said_what_is_wrong_and_what_to_do(
    words: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "argv", ["wirecost", *shlex.split(words)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capfd.readouterr().err
    assert ended.value.code == 2
    assert said in " ".join(printed.replace("│", " ").split())
    assert "Traceback" not in printed
    lines = [line for line in printed.splitlines() if line.startswith("wirecost: ")]
    assert len(lines) == 1 or printed.startswith("Usage: ")
    assert not list(tmp_path.iterdir())
