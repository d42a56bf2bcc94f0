# SPDX-License-Identifier: Apache-2.0
"""Quality of service that publishers offered, as rosbag2 writes it beside a topic.

A text in YAML, of numbers until ROS 2 Iron and of words since; in newer ``metadata.yaml`` a list.
A recorder cannot see the history of a publisher through DDS and writes that it is unknown.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import islice
from typing import Any

KEY = "offered_qos_profiles"
LONGEST, LONGEST_VALUE, MOST = 1 << 16, 64, 64
"""Characters of a text and of a value, and publishers of a topic, that are read."""
HISTORY = {"1": "keep last", "2": "keep all", "keep_last": "keep last", "keep_all": "keep all"}
RELIABILITY = {"1": "reliable", "2": "best effort", "reliable": "reliable",
               "best_effort": "best effort"}  # fmt: skip
DURABILITY = {"1": "transient local", "2": "volatile", "transient_local": "transient local",
              "volatile": "volatile"}  # fmt: skip
"""Values of rmw's enumerations and of its words; others say that it is not known."""


def limited(offered: Any) -> str:
    """Return profiles as a text in YAML, for which a list is written as JSON.

    Empty where there are none, or too many characters. Of a list, in which aliases can stand for
    any size, only what a profile has is taken: short values, and durations.
    """
    if isinstance(offered, list):
        profiles = [profile for profile in offered[:MOST] if isinstance(profile, dict)]
        offered = json.dumps([_plain(profile) for profile in profiles]) if profiles else ""
    return offered if isinstance(offered, str) and len(offered) <= LONGEST else ""


def _plain(profile: dict[Any, Any], is_inner: bool = False) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in islice(profile.items(), MOST):
        if isinstance(value, dict) and not is_inner:
            value = _plain(value, is_inner=True)  # noqa: PLW2901
        elif not isinstance(value, int | float | str) or len(str(value)) > LONGEST_VALUE:
            continue
        values[str(key)[:LONGEST_VALUE]] = value
    return values


@lru_cache(256)
def offered_words(text: str) -> str:
    """Return what is known of the publishers' profiles, ``reliable volatile keep all``.

    Empty where nothing is known or it is damaged.
    """
    if not text or len(text) > LONGEST:
        return ""
    from wirecost.data.recordings import plain_yaml  # noqa: PLC0415 - many recordings have none

    try:
        return _of_profiles(plain_yaml.load(text))
    except plain_yaml.FAULTS:
        return ""


def _of_profiles(profiles: Any) -> str:
    if not isinstance(profiles, list):
        return ""
    words = (_words(profile) for profile in profiles[:MOST] if isinstance(profile, dict))
    return ", ".join(sorted(set(filter(None, words))))


def _words(profile: dict[Any, Any]) -> str:
    """Return what is known of one profile."""

    def known(key: str, names: dict[str, str]) -> str:
        value = profile.get(key)
        return names.get(str(value), "") if isinstance(value, str | int) else ""

    history, depth = known("history", HISTORY), profile.get("depth")
    if history == "keep last" and isinstance(depth, int) and 0 < depth < 1 << 31:
        history += f" {depth}"
    words = (known("reliability", RELIABILITY), known("durability", DURABILITY), history)
    return " ".join(filter(None, words))
