# SPDX-License-Identifier: Apache-2.0
"""A contender: a transport, the client that uses it, and its settings."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.transport.clients import ClientProgram
from wirecost.measure.bench.transport.settings import TransportSetting


@dataclass(frozen=True)
class TransportContender:
    """Transport with a client and a setting."""

    mware: str
    client: ClientProgram
    setting: TransportSetting

    @property
    def mode(self) -> str:
        """Return what distinguishes it from others with the same transport."""
        return f"{self.client.kind} {self.setting.name}"

    @property
    def name(self) -> str:
        return f"{self.mware} {self.mode}"
