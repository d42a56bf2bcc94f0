# SPDX-License-Identifier: Apache-2.0
"""What is to be known of the machine before a run's times are read."""

from __future__ import annotations

from typing import Any

FAIL = "fail"


def caution(meta: dict[str, Any]) -> str | None:
    """One line where so much else ran when the run began that the doctor calls the machine unfit;
    else None."""
    doctor = meta["environment"].get("doctor")
    load = str(doctor.get("load", "")) if isinstance(doctor, dict) else ""
    if not load.startswith(FAIL):
        return None
    amount = load.removeprefix(FAIL).strip(" ()")
    return (
        f"Load {amount} when the run began: trust the order, not the times;"
        " `wirecost doctor` says more."
    )
