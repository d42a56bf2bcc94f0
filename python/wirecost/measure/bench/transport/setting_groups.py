# SPDX-License-Identifier: Apache-2.0
"""Settings of every middleware, of which reports show the words.

``default`` is what the middleware's makers chose, ``matched`` what was asked of all. Settings that
a middleware does not have stay as they are, and its words say so. Each transport's module has its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from wirecost.measure.bench.transport.choices import KINDS, NATIVE, PYTHON
from wirecost.messaging.transport import dds, declared
from wirecost.messaging.transport.settings import DEFAULT, TCP, AskedQuality, TransportSetting

__all__ = ["AskedQuality", "Groups", "TransportSetting", "groups", "names", "settings_of"]

Groups = Callable[[AskedQuality], list[TransportSetting]]


def _tcp(asked: AskedQuality) -> list[TransportSetting]:
    """Return the yardstick, in which nothing can be set."""
    del asked
    buffers = "the socket's"
    return [TransportSetting(DEFAULT, TCP, buffers, buffers, "the publisher waits", True)]


def _without_settings(asked: AskedQuality) -> list[TransportSetting]:
    return [TransportSetting(DEFAULT, "", "", str(asked.queue), "", queue=asked.queue)]


@cache
def groups(client: str) -> dict[str, Groups]:
    """Return what gives the groups of settings, by the first word of a transport's name.

    Those of the native client are only what it cannot have as the Python one.
    """
    if client == NATIVE:
        return declared("native_settings")
    return {**declared("settings"), "cyclone": dds.dds_settings, "tcp": _tcp}


def names() -> list[str]:
    """Return the names of all groups."""
    rows = [row for client in KINDS for row in groups(client).values()]
    return list(dict.fromkeys(setting.name for row in rows for setting in row(AskedQuality())))


def settings_of(mware: str, asked: AskedQuality, client: str = PYTHON) -> list[TransportSetting]:
    """Return the groups of one transport and kind of client, ``default`` first.

    ``matched`` is among them only where it differs from that.
    """
    word = mware.partition("-")[0]
    settings = groups(PYTHON).get(word, _without_settings)(asked)
    if client == NATIVE and word in groups(NATIVE):
        settings = [replace(setting, client=client) for setting in groups(NATIVE)[word](asked)]
    changed = next(setting.changed_defaults for setting in settings if setting.name == DEFAULT)
    settings = [replace(setting, changed_defaults=changed) for setting in settings]
    default = next(setting for setting in settings if setting.name == DEFAULT)
    return [
        setting for setting in settings if setting is default or setting.effect != default.effect
    ]
