# SPDX-License-Identifier: Apache-2.0
"""Under what circumstances: faults, networks, settings, versions."""

from __future__ import annotations

from typing import Any

from wirecost.report.scenarios.transport.measurements import NONE
from wirecost.report.shared import units
from wirecost.report.shared.table import Table


def fault_table(meta: dict[str, Any]) -> Table | None:
    body = [
        [
            f"{one['fault']}, {one['mware']} {one['client']} {one['settings']}",
            _recovered(one),
            *(NONE if one[key] is None else f"{one[key]:,}" for key in ("lost", "duplicates")),
            *(
                NONE if one[key] is None else units.size(one[key])
                for key in ("memory_bytes_before", "memory_bytes_after")
            ),
            one["failure"] or one["others"] or NONE,
        ]
        for one in meta["faults"]
    ]
    if not body:
        return None
    headings = ["fault and contender", "recovered", "lost", "twice", "memory", "after", "others"]
    notes = [
        "recovered: until messages came again everywhere; lost, twice: messages; memory: of all"
        " processes together, before and afterwards; others: what became of those without a fault."
    ]
    optional, bars = ("others", "memory", "after", "twice"), ("recovered", ("memory", "after"))
    return Table("Faults", headings, body, notes, optional, bars)


def _recovered(fault: dict[str, Any]) -> str:
    if fault["failure"]:
        return "failed"
    return NONE if fault["recovered_ns"] is None else units.time(fault["recovered_ns"])


def network_table(meta: dict[str, Any]) -> Table | None:
    """A column for each network."""
    networks = meta["networks"]
    keys = dict.fromkeys(key for about in networks.values() for key in about if key != "name")
    body = [
        [key.replace("_", " "), *(_plain(about.get(key)) for about in networks.values())]
        for key in keys
    ]
    if not body:
        return None
    notes = ["As asked of the kernel, and as ping found it before anything was measured."]
    return Table("Networks", ["", *networks], body, notes)


def settings_table(meta: dict[str, Any]) -> Table | None:
    keys = ("reliability", "sender_queue", "receiver_queue", "full", "promise")
    body = [
        [name, *(str(about.get(key, "")) or NONE for key in keys)]
        for name, about in meta["settings"].items()
    ]
    headings = ["transport and settings", "against loss", "sender", "receiver", "full", "promise"]
    notes = ["sender, receiver: messages that may wait there; full: what happens then."]
    return Table("Settings", headings, body, notes) if body else None


def contender_table(meta: dict[str, Any]) -> Table:
    body = [
        [
            name,
            ", ".join(f"{what} {number}" for what, number in about["versions"].items()) or NONE,
            about["server"] or NONE,
        ]
        for name, about in meta["contenders"].items()
    ]
    return Table("Transports", ["transport", "libraries", "runs between"], body, [])


def _plain(value: Any) -> str:
    if value is None or value == "":
        return NONE
    return f"{value:.4g}" if isinstance(value, float) else str(value)
