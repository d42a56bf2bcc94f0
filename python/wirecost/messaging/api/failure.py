# SPDX-License-Identifier: Apache-2.0
"""Failure that a service sends in place of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.messaging.tensor.registry import register_own


@register_own
@dataclass(frozen=True)
class Failure:
    """The request got no answer."""

    reason: str
