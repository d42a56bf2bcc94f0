# SPDX-License-Identifier: Apache-2.0
"""Tensors on a device that a sender passes without the host, where ``use_devices`` says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirecost.messaging.tensor.devices import POLICY
from wirecost.messaging.tensor.ipc import sharing


class Sharing:
    """Sharing of device memory by one publication, client or service."""

    def __init__(self, device_to_host: Callable[[Any], Any] | None) -> None:
        """Prefer ``device_to_host`` to what was said once for all."""
        self._never = device_to_host is not None
        self._rings = sharing.Sharing()

    def shared(self, message: Any) -> Any:
        """Return what is encoded in the place of a message. Raises UserError."""
        return self._rings.share(message) if POLICY.ipc and not self._never else message

    def close(self) -> None:
        """Close it: what nobody has copied is lost. A second call does nothing."""
        self._rings.close()
