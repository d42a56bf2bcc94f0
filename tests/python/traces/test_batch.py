# SPDX-License-Identifier: Apache-2.0
"""Many traces: which are meant, where their outputs go, and what --resume converts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.sensor_views import sensor_view
from wirecost.data.traces import create_trace, open_trace
from wirecost.data.traces.batch import run as running
from wirecost.data.traces.batch.inputs import sources
from wirecost.data.traces.batch.jobs import Options, jobs
from wirecost.data.traces.batch.run import ConversionOutcome, ConversionTotals, convert_many
from wirecost.data.traces.conversion import Wanted
from wirecost.system.byte_sizes import parse_size
from wirecost.system.errors import UserError

PLAIN = Options(Wanted())
TO_MCAP = Options(Wanted(), format="mcap")


def trace(path: Path, frames: int = 2, first: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with create_trace(path, "SensorView") as writer:
        for number in range(first, first + frames):
            writer.write(number, sensor_view(number))
    return path


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Three traces in two folders, and a file that is none."""
    folder = tmp_path / "fleet"
    trace(folder / "a" / "one_sv_.osi")
    trace(folder / "a" / "b" / "two_sv_.osi", first=5)
    trace(folder / "c" / "three_sv_.mcap")
    (folder / "a" / "notes.txt").write_text("no trace")
    return folder


def relative(*words: str | Path) -> list[str]:
    return [str(source.relative) for source in sources([str(word) for word in words])]


def run(
    words: list[str], out: Path, options: Options = PLAIN, **how: bool
) -> tuple[ConversionTotals, list[str]]:
    """Totals, and the names of the outputs that this run made."""
    converted: list[str] = []

    def report(outcome: ConversionOutcome, _: ConversionTotals) -> None:
        if not outcome.error:
            converted.append(outcome.job.out.name)

    return convert_many(words, out, options, 1, report, **how), sorted(converted)


def test_patterns_are_expanded_and_mirrored(fleet: Path) -> None:
    assert relative(f"{fleet}/**/*.osi") == ["a/b/two_sv_.osi", "a/one_sv_.osi"]
    assert relative(f"{fleet}/**") == ["a/b/two_sv_.osi", "a/one_sv_.osi", "c/three_sv_.mcap"]
    assert relative(f"{fleet}/a/*.osi") == ["one_sv_.osi"]
    # Several patterns: below what they have in common, each trace once.
    both = [f"{fleet}/a/**/*.osi", f"{fleet}/c/*", f"{fleet}/a/one_sv_.osi"]
    assert relative(*both) == ["a/b/two_sv_.osi", "a/one_sv_.osi", "c/three_sv_.mcap"]


def test_a_name_with_wildcards_is_first_of_all_a_name(tmp_path: Path) -> None:
    odd = trace(tmp_path / "cut[1] ü *?'\".osi")
    trace(tmp_path / "cut1.osi")
    assert relative(odd) == [odd.name]


def test_links_to_folders_are_not_followed_in_circles(fleet: Path) -> None:
    (fleet / "a" / "again").symlink_to(fleet)
    assert relative(f"{fleet}/**/*.osi") == ["a/b/two_sv_.osi", "a/one_sv_.osi"]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("none/**/*.osi", "no file fits"),
        ("fleet/*/../*.osi", "has .. behind a wildcard"),
        ("fleet/a/notes.txt", "not a trace"),
        ("fleet/a", "a folder; name the traces in it"),
        ("gone.osi", "No such file"),
        ("fleet/**x/*.osi", "cannot be expanded|no file fits"),
        ("pipe.osi", "not a trace"),
        ("nul\0.osi", "null"),
    ],
)
def test_what_is_no_trace_is_refused(
    fleet: Path, word: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet.parent)
    os.mkfifo("pipe.osi")
    with pytest.raises(UserError, match=says) as refused:
        sources([word])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "name", [b"line\nbreak.osi", b"\x1b[2J.osi", b"\xff.osi", b"\xe2\x80\xae.osi"]
)
def test_names_that_cannot_be_printed_are_refused_before_any_work(
    fleet: Path, name: bytes, tmp_path: Path
) -> None:
    trace(fleet / os.fsdecode(name))
    with pytest.raises(UserError, match="control characters or bytes that are not UTF-8; rename"):
        run([f"{fleet}/**/*.osi"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_two_inputs_with_one_output_are_refused_before_any_work(
    fleet: Path, tmp_path: Path
) -> None:
    trace(fleet / "a" / "one_sv_.mcap")
    words = [f"{fleet}/**/*"]
    with pytest.raises(UserError, match=r"one_sv_\.mcap and .*one_sv_\.osi: both would become"):
        run(words, tmp_path / "out", TO_MCAP)
    assert not (tmp_path / "out").exists()
    assert run(words, tmp_path / "out")[0].converted == 4


def test_an_output_cannot_also_be_a_folder(tmp_path: Path) -> None:
    trace(tmp_path / "in" / "x.osi")
    trace(tmp_path / "in" / "x.mcap" / "y.osi")
    with pytest.raises(UserError, match=r"has to be a folder for .*y\.osi"):
        jobs(sources([f"{tmp_path}/in/**/*.osi"]), tmp_path / "out", TO_MCAP)


@pytest.mark.parametrize("inside", [".", "..", "a"])
def test_outputs_do_not_lie_among_the_inputs(fleet: Path, inside: str) -> None:
    before = sorted(fleet.rglob("*"))
    with pytest.raises(UserError, match="choose an output folder next to the inputs"):
        run([f"{fleet}/**/*.osi"], fleet / inside)
    assert sorted(fleet.rglob("*")) == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (Options(Wanted(columns=("nothing",))), "--columns nothing"),
        (Options(Wanted(), format="bag"), "--format bag: choose one of osi, mcap, txth"),
        (Options(Wanted(), type_name="Lidar"), "--type Lidar: not an OSI message"),
        (Options(Wanted(columns=("all",), rows=True)), "choose one"),
    ],
)
def test_options_that_fit_no_trace_are_refused_at_once(
    fleet: Path, tmp_path: Path, options: Options, says: str
) -> None:
    with pytest.raises(UserError, match=says):
        run([f"{fleet}/**/*.osi"], tmp_path / "out", options)
    assert not (tmp_path / "out").exists()


def test_a_damaged_trace_does_not_stop_the_others(fleet: Path, tmp_path: Path) -> None:
    (fleet / "a" / "bad.mcap").write_bytes(b"\x89MCAP0\r\nrubbish")
    cut = fleet / "a" / "one_sv_.osi"
    cut.write_bytes(cut.read_bytes()[:-1])
    out = tmp_path / "out"
    totals, converted = run([f"{fleet}/**"], out)
    assert converted == ["one_sv_.osi", "three_sv_.mcap", "two_sv_.osi"]
    ((job, error),) = totals.failed
    assert job.source.path == fleet / "a" / "bad.mcap"
    assert error.startswith(f"{job.source.path}: not")
    ((_, warning),) = totals.warnings
    assert "cut off" in warning
    assert totals.frames == 1 + 2 + 2
    assert totals.done == totals.traces == 4
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert names == ["a/b/two_sv_.osi", "a/one_sv_.osi", "c/three_sv_.mcap"]
    with open_trace(out / "a" / "b" / "two_sv_.osi") as written:
        assert [bytes(message) for _, message in written.frames()] == [
            sensor_view(5),
            sensor_view(6),
        ]


def test_a_trace_without_a_whole_frame_is_damaged(fleet: Path, tmp_path: Path) -> None:
    bad = fleet / "a" / "one_sv_.osi"
    whole = bad.read_bytes()
    for content in (b"rubbish that is no trace", whole[:5], whole[:3]):
        bad.write_bytes(content)
        totals, converted = run([f"{fleet}/**"], tmp_path / "out", force=True)
        assert converted == ["three_sv_.mcap", "two_sv_.osi"]
        ((_, error),) = totals.failed
        assert "no whole frame" in error
        assert not (tmp_path / "out" / "a" / bad.name).exists()


def test_resume_does_only_what_is_missing(fleet: Path, tmp_path: Path) -> None:
    words, out = [f"{fleet}/**"], tmp_path / "out"
    assert len(run(words, out)[1]) == 3
    with pytest.raises(UserError, match=r"exists, as do 2 other outputs.*--resume.*--force"):
        run(words, out)
    totals, converted = run(words, out, resume=True)
    assert (converted, totals.finished_before, totals.traces) == ([], 3, 3)
    trace(fleet / "c" / "four_sv_.osi")
    (out / "a" / "one_sv_.osi").unlink()
    assert run(words, out, resume=True)[1] == ["four_sv_.osi", "one_sv_.osi"]


def test_an_output_that_is_older_than_its_trace_is_converted_again(
    fleet: Path, tmp_path: Path
) -> None:
    words, out = [f"{fleet}/**"], tmp_path / "out"
    run(words, out)
    changed = trace(fleet / "a" / "one_sv_.osi", frames=3)
    written_ns = (out / "a" / "one_sv_.osi").stat().st_mtime_ns
    os.utime(changed, ns=(written_ns + 1, written_ns + 1))
    assert run(words, out, resume=True)[1] == ["one_sv_.osi"]
    assert run(words, out, resume=True)[1] == []
    with open_trace(changed) as original, open_trace(out / "a" / "one_sv_.osi") as converted:
        assert [bytes(m) for _, m in converted.frames()] == [bytes(m) for _, m in original.frames()]


def test_what_is_there_is_replaced_only_by_force(fleet: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "a").mkdir(parents=True)
    foreign = out / "a" / "one_sv_.osi"
    foreign.write_text("mine")
    with pytest.raises(UserError, match=r"one_sv_\.osi: exists; give another folder"):
        run([f"{fleet}/**"], out)
    assert run([f"{fleet}/**"], out, resume=True)[1] == ["three_sv_.mcap", "two_sv_.osi"]
    assert foreign.read_text() == "mine"
    assert run([f"{fleet}/**"], out, force=True)[0].converted == 3


def test_a_trace_that_changes_meanwhile_gives_no_output(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, convert = fleet / "a" / "one_sv_.osi", running.convert

    def grow(*arguments: object) -> object:
        done = convert(*arguments)  # type: ignore[arg-type]
        with path.open("ab") as file:
            file.write(b"more")
        return done

    monkeypatch.setattr(running, "convert", grow)
    totals, converted = run([str(path)], tmp_path / "out")
    assert converted == []
    assert "changed while it" in totals.failed[0][1]
    assert not (tmp_path / "out" / path.name).exists()


def test_a_full_disk_ends_the_conversion(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise every trace that is left would be reported.

    If nothing was converted, nothing stays; if something was, the message says how to go on."""
    convert, room = running.convert, 0

    def fill(*arguments: object) -> object:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(28, "No space left on device", "x.osi")
        return convert(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "convert", fill)
    out = tmp_path / "new" / "out"
    with pytest.raises(UserError, match=r"^x\.osi: No space left on device; make room; 0 of 3"):
        run([f"{fleet}/**"], out)
    assert list(tmp_path.iterdir()) == [fleet]
    room = 1
    there = "make room; 1 of 3 traces are done: convert the others with --resume"
    with pytest.raises(UserError, match=there):
        run([f"{fleet}/**"], out)
    assert sorted(path.name for path in out.rglob("*")) == ["a", "b", "two_sv_.osi"]
    room = 1
    with pytest.raises(UserError, match="2 of 3 traces are done"):
        run([f"{fleet}/**"], out, resume=True)
    room = 1
    totals, _ = run([f"{fleet}/**"], out, resume=True)
    assert (totals.finished_before, totals.converted) == (2, 1)


def test_where_no_trace_can_be_converted_nothing_is_left(fleet: Path, tmp_path: Path) -> None:
    for trace_file in fleet.rglob("*_sv_.*"):
        trace_file.write_bytes(b"no trace")
    totals, _ = run([f"{fleet}/**"], tmp_path / "out")
    assert len(totals.failed) == 3
    assert list(tmp_path.iterdir()) == [fleet]


@pytest.mark.parametrize("error", [MemoryError(), ValueError("unexpected\nlines")])
def test_whatever_a_trace_causes_is_one_line(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> object:
        raise error

    monkeypatch.setattr(running, "convert", fail)
    totals, converted = run([f"{fleet}/**"], tmp_path / "out")
    assert (len(totals.failed), converted) == (3, [])
    assert all("\n" not in text and "; " in text for _, text in totals.failed)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GiB", 2 << 30),
        ("1.5 GB", 1_500_000_000),
        ("800M", 800_000_000),
        ("512MiB", 512 << 20),
        ("1k", 1000),
        ("1K", 1000),
        ("1kB", 1000),
        ("1Ki", 1024),
        ("3 tib", 3 << 40),
        ("2T", 2 * 10**12),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size("--memory", text) == size


@pytest.mark.parametrize("text", ["", "-1", "2 apples", "1e9", "GiB", "２GiB", "inf"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="give a size such as 2GiB"):
        parse_size("--memory", text)
