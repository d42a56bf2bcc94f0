# SPDX-License-Identifier: Apache-2.0
"""Quality of service that publishers offered, as rosbag2 writes it beside a topic.

A text in YAML, of numbers until ROS 2 Iron and of words since; in newer ``metadata.yaml`` a list.
A recorder cannot see the history of a publisher through DDS and writes that it is unknown.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from wirecost.data.recordings import plain_yaml

KEY = "offered_qos_profiles"
LONGEST, MOST = 1 << 16, 64
"""Characters of a text, and publishers of a topic, that are read."""
HISTORY = {"1": "keep last", "2": "keep all", "keep_last": "keep last", "keep_all": "keep all"}
RELIABILITY = {"1": "reliable", "2": "best effort", "reliable": "reliable",
               "best_effort": "best effort"}  # fmt: skip
DURABILITY = {"1": "transient local", "2": "volatile", "transient_local": "transient local",
              "volatile": "volatile"}  # fmt: skip
"""Values of rmw's enumerations and of its words; others say that it is not known."""


def offered_words(offered: Any) -> str:
    """Return what is known of the publishers' profiles, ``reliable volatile keep all``.

    Empty where nothing is known or it is damaged.
    """
    if isinstance(offered, str):
        return _of_text(offered) if len(offered) <= LONGEST else ""
    return _of_profiles(offered)


@lru_cache(256)
def _of_text(text: str) -> str:
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
