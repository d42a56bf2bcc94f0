# SPDX-License-Identifier: Apache-2.0
"""What a run could not measure, in words."""

from __future__ import annotations

from typing import Any


def not_measured(meta: dict[str, Any]) -> list[str]:
    """One line for each contender that failed or is not there, with the reason."""
    failed = [run for run in meta["runs"] if run["failure"]]
    lines = [f"{_who(run)}: {run['failure']}" for run in failed]
    return lines + [f"{name}: {why}" for name, why in meta.get("not_run", {}).items()]


def _who(run: dict[str, Any]) -> str:
    parts = (run.get("lang"), run["contender"], run.get("mode"))
    name = " ".join(part for part in parts if part)
    case, variant = run["case"], run["variant"]
    where = case if case.startswith(variant) else f"{case}, {variant}"
    return f"{name} ({where}, {run['build']})"
