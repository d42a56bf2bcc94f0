# SPDX-License-Identifier: Apache-2.0
"""The table of ``bench transport``'s settings, which follows from the one in code."""

from __future__ import annotations

import re

from wirecost.measure.bench.transport.choices import NATIVE, PYTHON
from wirecost.measure.bench.transport.settings import AskedQuality, TransportSetting, groups
from wirecost.messaging.transport.settings import MATCHED
from wirecost.results.report.shared import markdown

BLOCK = re.compile(
    r"(?<=<!-- settings of bench transport -->\n).*?(?=<!-- end of settings -->)", re.DOTALL
)
HEADINGS = ["transport", "settings", "against loss", "sender", "receiver", "full", "promises"]
BEST_EFFORT = f"{MATCHED}, best effort"


def written(text: str) -> str:
    """Return a document with the table as it must be."""
    return BLOCK.sub(lambda _: table(), text)


def table() -> str:
    lines = [markdown.line(HEADINGS), "|" + ":--|" * len(HEADINGS)]
    native = {f"{name}, {NATIVE}": row for name, row in groups(NATIVE).items()}
    for name, row in {**groups(PYTHON), **native}.items():
        of = [(setting.name, setting) for setting in row(AskedQuality())]
        best_effort = next(
            (setting for setting in row(AskedQuality(reliable=False)) if setting.name == MATCHED),
            None,
        )
        if best_effort is not None and best_effort.effect != dict(of)[MATCHED].effect:
            at = [name for name, _ in of].index(MATCHED) + 1
            of.insert(at, (BEST_EFFORT, best_effort))
        lines += [markdown.line(_cells(name, group, setting)) for group, setting in of]
    return "\n".join([*lines, ""])


def _cells(name: str, group: str, one: TransportSetting) -> list[str]:
    return [
        name,
        group + (", with a router" if one.router else ""),
        one.reliability,
        one.sender_queue,
        one.receiver_queue,
        one.full,
        one.promised or "–",
    ]
