# SPDX-License-Identifier: Apache-2.0
"""Colours, shapes and dashes by name, explained in a legend below the figure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import altair as alt

Channel = TypeVar("Channel", alt.Color, alt.Shape, alt.StrokeDash)


def keyed(
    channel: type[Channel], field: str, names: Iterable[str], looks: Iterable[Any], **legend: Any
) -> Channel:
    """The channel in which each value ``names[i]`` of a field looks like ``looks[i]``; ``legend``:
    further properties of Vega-Lite's legend."""
    return channel(
        f"{field}:N",
        title=None,
        scale=alt.Scale(domain=list(names), range=list(looks)),
        legend=alt.Legend(orient="bottom", **legend),
    )
