# SPDX-License-Identifier: Apache-2.0
"""Encodes before the clock starts: while the object is made that is to be sent."""

from __future__ import annotations

from typing import Any

from wirecost.measure.bench.tensor.arrays import Array
from wirecost.measure.bench.tensor.contenders import in_process
from wirecost.measure.bench.tensor.contenders.base import TensorMeeting
from wirecost.measure.bench.tensor.plugins import FrameworkPlugin
from wirecost.messaging.tensor import encode


class Sender(in_process.FrameEncoder):
    def make(self, plugin: FrameworkPlugin, module: Any, array: Array, device: str) -> Any:
        content = super().make(plugin, module, array, device)
        self._encoded = encode(content)
        return content

    def encode(self, obj: Any) -> Any:  # noqa: ARG002
        return self._encoded


class MakesEncoded(in_process.InProcess):
    def sender(self, meeting: TensorMeeting) -> Sender:  # noqa: ARG002
        return Sender(self.size)


contender = MakesEncoded
