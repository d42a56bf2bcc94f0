# SPDX-License-Identifier: Apache-2.0
"""A comparison as a JSON document."""

from __future__ import annotations

import math
from dataclasses import asdict

from wirecost.results.analysis.compare.comparison import FALSE_DISCOVERIES, Comparison
from wirecost.results.analysis.compare.gate import unseen
from wirecost.results.analysis.compare.quantiles import RESAMPLES
from wirecost.results.analysis.compare.runs import ComparedRun
from wirecost.results.report.compare import tables
from wirecost.results.report.compare.rows import Labels

SCHEMA = 1


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


def _side(run: ComparedRun) -> dict[str, object]:
    return {
        "path": str(run.path),
        "created": run.meta.created or None,
        "command": run.meta.command or None,
        "environment": run.meta.environment,
    }


def _finite(pair: tuple[float, float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in pair]
