# SPDX-License-Identifier: Apache-2.0
"""Tensors and what they lie in as frames: one copy in, none out (docs/formats/tensor-frame.md)."""

from wirecost.messaging.tensor.codec import decode, encode
from wirecost.messaging.tensor.compression import Compressed, compress
from wirecost.messaging.tensor.devices import to_device, to_host, to_host_pinned, use_devices
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.frame import Frame
from wirecost.messaging.tensor.native import Loan, SamplePool
from wirecost.messaging.tensor.registry import register, register_plugin

__all__ = [
    "Compressed",
    "Frame",
    "FrameError",
    "Loan",
    "SamplePool",
    "compress",
    "decode",
    "encode",
    "register",
    "register_plugin",
    "to_device",
    "to_host",
    "to_host_pinned",
    "use_devices",
]
