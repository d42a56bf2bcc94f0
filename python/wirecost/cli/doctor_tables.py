# SPDX-License-Identifier: Apache-2.0
"""Tables of ``wirecost doctor``."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Verdict
from wirecost.observe.doctor.examine import Examination
from wirecost.observe.doctor.repair import Outcome
from wirecost.results.report.shared.terminal import say
from wirecost.system.counted import counted
from wirecost.system.terminal import Console

STYLES = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "bold red", Verdict.NA: "dim"}
ADVICE_BESIDE = 110
"""Columns of a terminal that shows the advice in the table, not below it."""


MOST_FAULTS = 11
ANSWERS = {
    Verdict.OK: "fit to measure on.",
    Verdict.WARN: "times are a little noisier than they could be.",
    Verdict.FAIL: "trust the order of times, not the times.",
}


def print_faults(console: Console, examination: Examination) -> None:
    """Print whether the machine is fit, the checks that say no, and what to do, on one screen."""
    cpus = cpulist.render(examination.cpus)
    say(console, f"CPU {cpus} ({examination.origin}): {ANSWERS[examination.verdict]}", "bold")
    faults = [
        finding
        for verdict in (Verdict.FAIL, Verdict.WARN)
        for finding in examination.findings
        if finding.verdict is verdict
    ]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("found", no_wrap=True)
    room = console.width - max((len(finding.title) for finding in faults), default=0) - 8
    for finding in faults[:MOST_FAULTS]:
        verdict = Text(finding.verdict, STYLES[finding.verdict])
        cut = finding.value[: room - 1] + "…" if len(finding.value) > room else finding.value
        table.add_row(finding.title, verdict, cut)
    if faults:
        console.print(table)
        console.print()
    _print_summary(console, examination)
    say(console, "Every check, and what to do about it: wirecost doctor --all", "dim")


def print_examination(console: Console, examination: Examination) -> None:
    """Print the checks, the advice, what ``--fix`` would do and what needs another boot."""
    cpus = cpulist.render(examination.cpus)
    console.print(f"CPU {cpus} ({examination.origin})", style="bold", highlight=False)
    beside = console.width >= ADVICE_BESIDE
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("found", ratio=2)
    if beside:
        table.add_column("advice", ratio=3)
    for finding in examination.findings:
        cells: list[str | Text] = [
            finding.title,
            Text(finding.verdict, STYLES[finding.verdict]),
            finding.value,
        ]
        table.add_row(*cells, *([finding.advice] if beside else []))
    console.print(table)
    if not beside:
        for finding in examination.findings:
            if finding.advice:
                console.print(f"{finding.title}: {finding.advice}", highlight=False, markup=False)
    console.print()
    _print_summary(console, examination)


def _print_summary(console: Console, examination: Examination) -> None:
    fixable = [finding for finding in examination.findings if finding.fixable]
    open_to_all = [finding.title for finding in fixable if not finding.privileged]
    closed = [finding.title for finding in fixable if finding.privileged]
    lines = []
    if open_to_all:
        lines.append(f"wirecost doctor --fix improves: {', '.join(open_to_all)}.")
    if closed:
        lines.append(f"As root, wirecost doctor --fix improves: {', '.join(closed)}.")
    if words := examination.kernel_words:
        lines.append("Add to the kernel's command line (then update-grub and reboot):")
        lines.append(f'  GRUB_CMDLINE_LINUX_DEFAULT="… {" ".join(words)}"')
    counts = {v: sum(f.verdict is v for f in examination.findings) for v in Verdict}
    counted = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    lines.append(f"{counted}.")
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=line.startswith("  "))


def print_outcome(console: Console, outcome: Outcome, nothing: str) -> None:
    """Print what was written; ``nothing`` where there was nothing to write."""
    for line in outcome.done:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in outcome.refused:
        console.print(f"refused: {line}", highlight=False, markup=False, soft_wrap=True)
    if outcome.skipped:
        console.print(
            f"left as before: {counted(len(outcome.skipped), 'value')} that the kernel or this "
            f"user cannot change, such as {outcome.skipped[0]}",
            highlight=False,
            markup=False,
        )
    if not (outcome.done or outcome.refused or outcome.skipped):
        console.print(nothing, highlight=False, markup=False)
