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
            _exposed(one),
            _recovered(one),
            *(NONE if one[key] is None else f"{one[key]:,}" for key in ("lost", "duplicates")),
            *(
                NONE if one[key] is None else units.size(one[key])
                for key in ("memory_bytes_before", "memory_bytes_after")
            ),
        ]
        for one in meta["faults"]
    ]
    if not body:
        return None
    headings = ["fault and contender", "recovered", "lost", "twice", "memory", "after"]
    notes = [
        "recovered: until messages came again everywhere; lost, twice: messages; memory: of all"
        " processes together, before and afterwards. Below: what became of the publisher and of the"
        " subscriber without a fault.",
        # A column of sentences would fit no terminal, and they alone tell who is held up.
        *(f"{_exposed(one)}: {said}." for one in meta["faults"] if (said := _said(one))),
    ]
    optional, bars = ("memory", "after", "twice"), ("recovered", ("memory", "after"))
    return Table("Faults", headings, body, notes, optional, bars)


def _exposed(fault: dict[str, Any]) -> str:
    return f"{fault['fault']}, {fault['mware']} {fault['client']} {fault['settings']}"


def _said(fault: dict[str, Any]) -> str:
    return str(fault["failure"] or fault["others"] or "").rstrip(".")


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
