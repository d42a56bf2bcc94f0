# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a received frame."""

from __future__ import annotations

from wirecost.errors import UserError


class FrameError(UserError):
    """Received bytes are no frame of this format, or not whole."""
