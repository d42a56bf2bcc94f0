# SPDX-License-Identifier: Apache-2.0
"""The answer of ``wirecost doctor``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Verdict
from wirecost.observe.doctor.examine import Examination, Finding
from wirecost.observe.doctor.repair import Outcome
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Column, Table, Toned
from wirecost.system.counted import counted

if TYPE_CHECKING:
    from wirecost.results.records.recorded_machine import CpuNoise, MachinePrices
    from wirecost.results.report.shared.figure import Figure

STYLES = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "bold red", Verdict.NA: "dim"}
ANSWERS = {
    Verdict.OK: "This machine is quiet enough to measure on.",
    Verdict.WARN: "Times measured here are a little noisier than they could be.",
    Verdict.FAIL: "It is not quiet: trust the order of times measured here, not the times.",
}
CHECK = Column[Finding]("check", lambda finding: finding.title)
VERDICT = Column[Finding](
    "verdict", lambda finding: Toned(finding.verdict, STYLES[finding.verdict])
)


def doctor_answer(
    examination: Examination,
    changes: Sequence[str],
    noise: list[CpuNoise] | None,
    prices: MachinePrices | None,
    status: int,
) -> Answer:
    """Return whether the machine is fit, the checks that say no, and what to do; then all.

    ``changes``: what was changed before; ``noise``, ``prices``: what was measured.
    """
    measured = []
    document = examination.document()
    if noise is not None:  # imported where needed: `wirecost compile` alone brings no figures
        from wirecost.results.report.doctor import noise_table

        measured.append(noise_table(noise))
        document["noise"] = [asdict(row) for row in noise]
    if prices is not None:
        import msgspec

        from wirecost.results.report.doctor import price_table

        measured.append(price_table(prices))
        document["prices"] = msgspec.to_builtins(prices)
    findings = [CHECK, VERDICT, Column[Finding]("found", lambda f: f.value, is_text=True)]
    advised = [*findings, Column[Finding]("advice", lambda f: f.advice, is_text=True)]
    every = Table.of("Checks of this machine", examination.findings, advised)

    def figures(_on_paper: bool) -> list[Figure]:
        if noise is None:
            return []
        from wirecost.results.report.doctor import noise_figure

        return [noise_figure(noise)]

    return Answer(
        f"CPU {cpulist.render(examination.cpus)} ({examination.origin}): "
        f"{ANSWERS[examination.verdict]}",
        measured[0] if measured else Table.of("", _faults(examination), findings),
        _steps(examination),
        warnings=changes,
        doubts=[(_counts(examination), "")],
        more="To see every check and its advice: wirecost doctor --all",
        sections=[Section([*measured, every])],
        heading="Is this machine quiet enough to measure on?",
        figures=figures,
        document=document,
        status=status,
    )


def _faults(examination: Examination) -> list[Finding]:
    return [
        finding
        for verdict in (Verdict.FAIL, Verdict.WARN)
        for finding in examination.findings
        if finding.verdict is verdict
    ]


def _steps(examination: Examination) -> list[str]:
    fixable = [finding for finding in examination.findings if finding.fixable]
    open_to_all = [finding.title for finding in fixable if not finding.privileged]
    closed = [finding.title for finding in fixable if finding.privileged]
    steps = []
    if open_to_all:
        steps.append(f"wirecost doctor --fix improves: {', '.join(open_to_all)}.")
    if closed:
        steps.append(f"As root, wirecost doctor --fix improves: {', '.join(closed)}.")
    if words := examination.kernel_words:
        steps.append(
            "Add to the kernel's command line (then update-grub and reboot):\n"
            f'GRUB_CMDLINE_LINUX_DEFAULT="… {" ".join(words)}"'
        )
    return steps


def _counts(examination: Examination) -> str:
    verdicts = [finding.verdict for finding in examination.findings]
    counts = {verdict: verdicts.count(verdict) for verdict in Verdict}
    return f"{', '.join(f'{count} {verdict}' for verdict, count in counts.items() if count)}."


def outcome_lines(outcome: Outcome, nothing: str) -> list[str]:
    """Return what was written; ``nothing`` where there was nothing to write."""
    lines = [*outcome.done, *(f"refused: {line}" for line in outcome.refused)]
    if outcome.skipped:
        lines.append(
            f"left as before: {counted(len(outcome.skipped), 'value')} that the kernel or this "
            f"user cannot change, such as {outcome.skipped[0]}"
        )
    return lines or [nothing]
