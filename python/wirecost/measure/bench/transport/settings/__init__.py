# SPDX-License-Identifier: Apache-2.0
"""How each middleware is configured: one table, of which docs/transports.md shows the words."""

from wirecost.measure.bench.transport.settings.setting import AskedQuality, TransportSetting
from wirecost.measure.bench.transport.settings.table import NAMES, settings_of

__all__ = ["NAMES", "AskedQuality", "TransportSetting", "settings_of"]
