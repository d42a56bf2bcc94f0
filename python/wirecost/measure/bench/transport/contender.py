# SPDX-License-Identifier: Apache-2.0
"""A contender: a transport, the client that uses it, and its settings."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.transport.clients import ClientProgram
from wirecost.measure.bench.transport.setting_groups import TransportSetting
from wirecost.system.channel.json_stream import JsonObject


@dataclass(frozen=True)
class TransportContender:
    """Transport with a client and a setting."""

    mware: str
    client: ClientProgram
    setting: TransportSetting

    def opening(self, address: str | None, size: int) -> JsonObject:
        """Return the keys of ``open`` that describe a transport; see ``protocol``."""
        return {
            "transport": self.mware,
            "address": address,
            "size": size,
            "queue": self.setting.queue,
            "reliable": self.setting.reliable,
            "settings": dict(self.setting.options),
        }

    @property
    def mode(self) -> str:
        """Return what distinguishes it from others with the same transport."""
        return f"{self.client.kind} {self.setting.name}"

    @property
    def name(self) -> str:
        return f"{self.mware} {self.mode}"
