# SPDX-License-Identifier: Apache-2.0
"""Skips are failures in CI unless setup/skips.txt lists them, and are counted everywhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.programs import execute
from support.skip_list import allowed

ROOT = Path(__file__).parents[3]
SUITE = """
import pytest
def test_passes(): pass
@pytest.mark.skip(reason="no device")
def test_device(): pass
@pytest.fixture
def wire(): pytest.skip("no wire")
@pytest.mark.parametrize("number", range(2))
def test_wire(wire, number): pass
def test_inside(): pytest.skip("no wire")
@pytest.mark.xfail(reason="is known to fail")
def test_fault(): raise AssertionError
"""
MODULE = 'import pytest\npytest.skip("no module", allow_module_level=True)'
LISTED = """
# Comments

tests/*test_device* :: no device  why
tests/*test_[wi]* :: no wire\twhy
tests/test_module.py :: no module  why
"""
UNNEEDED = """
tests/test_old.py* :: no wire  why
tests/test_kernel.py* :: no perf  on some machines: forbidden
ctest::other :: no wire  why
"""
WARNING = "warning: setup/skips.txt allows what is not skipped: tests/test_old.py* :: no wire"
REFUSED = "skipped in CI but not listed in setup/skips.txt: tests/"

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run(ci, listed, options…)``: pytest over a suite whose repository lists these skips."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "python"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\ntestpaths = tests\n")
    for folder in ("tests", "setup"):
        pytester.mkdir(folder)
    (pytester.path / "tests" / "test_suite.py").write_text(SUITE)
    (pytester.path / "tests" / "test_module.py").write_text(MODULE)

    def run(ci: str, listed: str, *options: str) -> pytest.RunResult:
        monkeypatch.setenv("CI", ci)
        (pytester.path / "setup" / "skips.txt").write_text(listed)
        return pytester.runpytest_subprocess("-p", "support.skips", *options)

    return run


@pytest.fixture(params=[(), ("-p", "xdist.plugin", "-n", "2")], ids=["one process", "xdist"])
def processes(request: pytest.FixtureRequest) -> tuple[str, ...]:
    options: tuple[str, ...] = request.param
    return options


def test_elsewhere_skips_are_counted(run: Run, processes: tuple[str, ...]) -> None:
    done = run("", UNNEEDED, *processes)
    done.assert_outcomes(passed=1, skipped=5, xfailed=1)
    done.stdout.re_match_lines([r"=+ skipped =+", r" +3  no wire"])
    done.stdout.fnmatch_lines_random(["    1  no device", "    1  no module"])
    done.stdout.no_fnmatch_line("warning: *")


def test_in_ci_listed_skips_pass_and_lines_without_are_reported(
    run: Run, processes: tuple[str, ...]
) -> None:
    done = run("true", LISTED + UNNEEDED, *processes)
    assert done.ret == 0
    done.assert_outcomes(passed=1, skipped=5, xfailed=1)
    assert [line for line in done.outlines if "warning: " in line] == [WARNING]


@pytest.mark.parametrize("part", [("tests/test_suite.py",), ("-k", "wire")])
def test_lines_without_skips_are_no_matter_in_a_part_of_the_suite(
    run: Run, part: tuple[str, ...]
) -> None:
    done = run("true", LISTED + UNNEEDED, *part)
    assert done.ret == 0
    done.stdout.no_fnmatch_line("warning: *")


@pytest.mark.parametrize(
    ("allowed", "other", "refused"),
    [
        ("no device", "no other", ["test_suite.py::test_device: no device"]),
        ("[wi]", "i", [f"test_suite.py::test_wire[{n}]: no wire" for n in (0, 1)]),
        ("[wi]", "w", ["test_suite.py::test_inside: no wire"]),
        ("no module", "no *x", ["test_module.py: no module"]),
    ],
)
def test_in_ci_another_skip_fails(
    run: Run, processes: tuple[str, ...], allowed: str, other: str, refused: list[str]
) -> None:
    done = run("true", LISTED.replace(allowed, other), *processes)
    assert done.ret != 0
    found = {line for line in done.outlines if line.startswith(REFUSED)}
    assert found == {REFUSED + one for one in refused}


CTEST = """<testsuite>
<testcase name="traces" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>one line\nskipped: there are no traces\n</system-out></testcase>
<testcase name="off" status="disabled"><system-out>Disabled</system-out></testcase>
<testcase name="models" status="run"><system-out>skipped: in passing</system-out></testcase>
</testsuite>"""
GTEST = """<testsuites><testsuite name="Counters">
<testcase name="Count" status="run" result="completed" classname="Counters"/>
<testcase name="Agree" status="run" result="skipped" classname="Counters">
<skipped message="/a/b.cpp:5&#x0A;no perf"><![CDATA[/a/b.cpp:5\nno perf]]></skipped></testcase>
</testsuite></testsuites>"""
TRACES = "ctest::traces :: there are no*  why\n"
COUNTERS = "gtest::Counters.* :: no perf  why\n"
OFF = "ctest::off :: disabled  why\n"


@pytest.mark.parametrize(
    ("ci", "listed", "reported"),
    [
        ("", "", None),
        ("true", TRACES + COUNTERS + OFF, None),
        ("true", TRACES + OFF, "gtest::Counters.Agree: no perf"),
        ("true", COUNTERS + OFF, "ctest::traces: there are no traces"),
        ("true", TRACES + COUNTERS, "ctest::off: disabled"),
    ],
    ids=["elsewhere", "all listed", "a counter is not", "traces are not", "a disabled one is not"],
)
def test_skips_of_ctest_and_of_googletest(
    tmp_path: Path, ci: str, listed: str, reported: str | None
) -> None:
    for name, text in {
        "ctest.xml": CTEST,
        "gtest/counters.xml": GTEST,
        "setup/skips.txt": listed + "ctest::old :: nothing  w\ntests/x :: nothing  w\n",
        "setup/check-skips": (ROOT / "setup" / "check-skips").read_text(),
        "tests/python/support/skip_list.py": (
            ROOT / "tests/python/support/skip_list.py"
        ).read_text(),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = execute(
        [sys.executable, "setup/check-skips", "ctest.xml", "gtest"],
        cwd=tmp_path,
        env=os.environ | {"CI": ci},
    )
    assert done.returncode == bool(reported), done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["    1  there are no traces", "    1  disabled", "    1  no perf"]
    old = "warning: setup/skips.txt allows what is not skipped: ctest::old :: nothing"
    assert lines[3:] == [
        *([old] if ci else []),
        *([f"skipped in CI but not listed in setup/skips.txt: {reported}"] if reported else []),
    ]


def test_every_line_of_the_list_names_tests_a_reason_and_why() -> None:
    for pattern, why in allowed(ROOT).items():
        tests, _, reason = pattern.partition(" :: ")
        assert tests.startswith(("tests/", "ctest::", "gtest::")), pattern
        assert len(reason.replace("*", "").strip()) > 5, pattern
        assert len(why) > 5, pattern
