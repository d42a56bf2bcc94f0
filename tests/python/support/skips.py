# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: counts skips by reason, and fails those in CI that setup/skips.txt lacks."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest

from support.skip_list import Skip, counts, refusal, unneeded

SELECTING = ["collectonly", "deselect", "ignore", "keyword", "lf", "markexpr", "maxfail"]
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _skip(report: pytest.TestReport | pytest.CollectReport) -> Skip:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return Skip(report.nodeid, " ".join(text.removeprefix("Skipped: ").split()))


def _judged(report: Report, root: Path) -> Report:
    skipped = report.skipped and not hasattr(report, "wasxfail")
    if skipped and (reported := refusal(root, _skip(report))):
        report.outcome, report.longrepr = "failed", reported
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _judged((yield), item.config.rootpath)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _judged((yield), collector.config.rootpath)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    skips = [_skip(report) for report in terminalreporter.getreports("skipped")]
    lines = counts(skips)
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and exitstatus < 2
    if whole and not any(config.getoption(name, None) for name in SELECTING):
        lines += unneeded(config.rootpath, ("tests/",), skips)
    if lines:
        terminalreporter.section("skipped")
    for line in lines:
        terminalreporter.write_line(line)
