# SPDX-License-Identifier: Apache-2.0
"""A comparison as a JSON document and as Markdown for a pull request."""

from __future__ import annotations

import math
from dataclasses import asdict

from wirecost.results.analysis.compare.comparison import FALSE_DISCOVERIES, Comparison
from wirecost.results.analysis.compare.gate import looks_at_times, unseen
from wirecost.results.analysis.compare.quantiles import RESAMPLES
from wirecost.results.analysis.compare.runs import ComparedRun
from wirecost.results.report.compare import tables
from wirecost.results.report.compare.rows import Labels, tally, verdict_line
from wirecost.results.report.shared import markdown as md
from wirecost.results.report.shared.table import Table

SCHEMA = 1
LONGEST = 60_000
"""Characters: a comment on GitHub holds 65,536."""
MOST = (200, 50, 10)
"""Rows of each table: as many as fit."""


def document(comparison: Comparison) -> dict[str, object]:
    """Return what ``--json`` writes: times in nanoseconds, changes as shares; null: no value."""
    labels = Labels(comparison)
    return {
        "schema": SCHEMA,
        "scenario": comparison.a.scenario,
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "paired": False,
        "confidence": 0.95,
        "resamples": RESAMPLES,
        "margin": comparison.settings.margin,
        "noise": comparison.noise,
        "drift": comparison.drift,
        "false_discovery_rate": FALSE_DISCOVERIES,
        "fail_above": comparison.settings.fail_above,
        "fail_size_above": comparison.settings.size_limit,
        "of": list(comparison.settings.of),
        "only": list(comparison.settings.only),
        "failed": bool(comparison.regressions()),
        "not_precise_enough": [
            {**labels.named(change.row), "what": change.what, "change_ci95": change.change95}
            for change in unseen(comparison)
        ],
        "environment_differences": [asdict(difference) for difference in comparison.differences],
        "different_contents": comparison.other_contents,
        "warnings": tables.warnings(comparison),
        "rows": [
            {
                **labels.named(change.row),
                "percentile": change.quantile,
                "n_a": change.n_a,
                "n_b": change.n_b,
                "a_ns": change.shift.a,
                "b_ns": change.shift.b,
                "change": change.shift.change,
                "ci95": change.shift.ci95 and _finite(change.shift.ci95),
                "p": change.shift.p,
                "p_adjusted": change.q,
                "verdict": change.verdict,
                "why_no_interval": change.shift.why or None,
                "regression": change.regression,
            }
            for change in comparison.times
        ],
        "counters": [
            {
                **labels.named(change.row),
                "counter": change.name,
                "n_a": change.n_a,
                "n_b": change.n_b,
                "a_mean": change.difference.a,
                "b_mean": change.difference.b,
                "ci95": change.difference.ci95,
                "change": change.difference.change,
                "change_ci95": change.difference.change95,
                "p": change.difference.p,
                "p_adjusted": change.q,
                "verdict": change.verdict,
                "regression": change.regression,
            }
            for change in comparison.counts
        ],
        "numbers": [
            {
                **{
                    name: value
                    for name, value in labels.named(change.row).items()
                    if name != "stage"
                },
                "what": change.what,
                "a": change.a,
                "b": change.b,
                "change": change.change,
                "verdict": change.verdict,
                "regression": change.regression,
            }
            for change in comparison.plain
        ],
        "outputs": comparison.outputs and [asdict(output) for output in comparison.outputs],
        "only_in_a": [labels.named(key) for key in comparison.only_a],
        "only_in_b": [labels.named(key) for key in comparison.only_b],
    }


def markdown(comparison: Comparison) -> str:
    """Return GitHub-flavoured Markdown: what changed as a table, the rest behind a fold."""
    texts = [_markdown(comparison, most) for most in MOST]
    return next((text for text in texts if len(text) <= LONGEST), texts[-1])


def _markdown(comparison: Comparison, most: int) -> str:
    a, b = comparison.a, comparison.b
    parts = [
        f"### wirecost {md.text(a.scenario)}: {md.text(_subject(comparison))}",
        "A `{}` → B `{}`".format(*map(md.code, _places(a, b))) + _created(comparison),
    ]
    verdict = verdict_line(comparison)
    parts += [f"**{md.text(verdict)}.**"] if verdict else []
    parts += _cautions(comparison, most)
    changed = tables.changed(comparison)
    if changed.rows:
        parts.append(_table(changed, most))
    others = tables.counts(comparison, every=False), tables.outputs(comparison)
    parts += [
        f"**{md.text(table.title)}**\n\n{_table(table, most)}"
        for table in others
        if table and table.rows
    ]
    rest = tables.unchanged(comparison)
    if rest.rows:
        parts.append(_fold(f"{len(rest.rows):,} not changed", _table(rest, most)))
    for side, rows in tables.one_sided(comparison):
        parts.append(_fold(f"{len(rows):,} only in {side}", _listed(rows, "- ", most)))
    said = " ".join([*tables.two_messages(comparison), tables.listed(comparison)])
    parts.append(f"<sub>{md.text(said)}</sub>")
    return "\n\n".join(parts) + "\n"


def _places(a: ComparedRun, b: ComparedRun) -> tuple[str, str]:
    """Return their names, which a reader of another machine knows; paths where both have one."""
    names = a.path.resolve().name, b.path.resolve().name
    return names if names[0] != names[1] else (str(a.path), str(b.path))


def _subject(comparison: Comparison) -> str:
    """Name what the comparison is about: not times where a gate looks at counters alone."""
    return tally(comparison) if looks_at_times(comparison) else ", ".join(comparison.settings.of)


def _cautions(comparison: Comparison, most: int) -> list[str]:
    """Return what to know before believing a verdict, as an alert box."""
    lines = tables.warnings(comparison)
    lines += [
        f"{difference.what}: {difference.a or '–'} in A, {difference.b or '–'} in B"
        for difference in comparison.differences
    ]
    return ["> [!WARNING]\n" + _listed(lines, "> - ", most)] if lines else []


def _listed(lines: list[str], before: str, most: int) -> str:
    bullets = [before + md.text(line) for line in lines[:most]]
    if len(lines) > most:
        bullets.append(f"{before}{len(lines) - most:,} more")
    return "\n".join(bullets)


def _side(run: ComparedRun) -> dict[str, object]:
    return {
        "path": str(run.path),
        "created": run.meta.created or None,
        "command": run.meta.command or None,
        "environment": run.meta.environment,
    }


def _created(comparison: Comparison) -> str:
    times = [run.meta.created for run in (comparison.a, comparison.b)]
    return f" ({md.text(' → '.join(times))})" if all(times) else ""


def _finite(pair: tuple[float, float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in pair]


def _table(table: Table, most: int) -> str:
    lines = [md.line(table.headings), md.rule(len(table.headings))]
    text = "\n".join([*lines, *map(md.line, table.rows[:most])])
    more = len(table.rows) - most
    return f"{text}\n\n{more:,} more: `--json` and `--report` have all." if more > 0 else text


def _fold(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"
