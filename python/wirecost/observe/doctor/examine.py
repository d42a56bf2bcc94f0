# SPDX-License-Identifier: Apache-2.0
"""All checks of a machine and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Change, Check, Verdict
from wirecost.observe.doctor.checks import all_checks
from wirecost.observe.doctor.machine import Machine

SCHEMA = 1


@dataclass(frozen=True)
class Finding:
    """One check's result. ``privileged`` names the files this user may not write."""

    name: str
    title: str
    verdict: Verdict
    value: str
    advice: str
    fix: list[Change]
    privileged: list[str]
    boot: list[str]

    @property
    def fixable(self) -> bool:
        return bool(self.fix)


@dataclass(frozen=True)
class Examination:
    """The findings in the table's order, on the CPUs they are about."""

    cpus: tuple[int, ...]
    origin: str
    findings: list[Finding]

    @property
    def verdict(self) -> Verdict:
        """The worst of all."""
        verdicts = {finding.verdict for finding in self.findings}
        return next((v for v in (Verdict.FAIL, Verdict.WARN) if v in verdicts), Verdict.OK)

    @property
    def kernel_words(self) -> list[str]:
        """Return what the kernel's command line lacks."""
        return [word for finding in self.findings for word in finding.boot]

    def document(self) -> dict[str, object]:
        """Return the ``--json`` document."""
        return {
            "schema": SCHEMA,
            "verdict": str(self.verdict),
            "cpus": list(self.cpus),
            "kernel_line": " ".join(self.kernel_words),
            "checks": [
                {
                    "name": finding.name,
                    "title": finding.title,
                    "available": finding.verdict is not Verdict.NA,
                    "verdict": str(finding.verdict),
                    "value": finding.value,
                    "advice": finding.advice,
                    "fixable": finding.fixable,
                    "fix": [{"path": change.path, "value": change.value} for change in finding.fix],
                    "privileged": finding.privileged,
                    "boot": finding.boot,
                }
                for finding in self.findings
            ],
        }

    def summary(self) -> dict[str, str]:
        """Return what result folders keep: the verdict, the CPUs, and what each check found."""
        return {
            "verdict": str(self.verdict),
            "cpus": cpulist.render(self.cpus),
            **{
                f.name: str(f.verdict) + (f" ({f.value})" if f.value else "") for f in self.findings
            },
        }


def examine(machine: Machine) -> Examination:
    """Run every check; a file the kernel does not have makes a check n/a, never an error."""
    findings = [_finding(check(machine)) for check in all_checks()]
    return Examination(machine.cpus, machine.origin, findings)


def _finding(check: Check) -> Finding:
    if not check.available():
        return Finding(check.name, check.title, Verdict.NA, "", "", [], [], [])
    verdict = check.verdict()
    good = verdict is Verdict.OK
    changes = [] if good else check.fix()
    return Finding(
        name=check.name,
        title=check.title,
        verdict=verdict,
        value=check.value(),
        advice="" if good else check.advice(),
        fix=changes,
        privileged=[c.path for c in changes if not check.system.writable(c.path)],
        boot=[] if good else check.boot(),
    )
