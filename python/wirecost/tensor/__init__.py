# SPDX-License-Identifier: Apache-2.0
"""Tensors and what they lie in as frames: one copy in, none out (docs/formats/tensor-frame.md)."""

from wirecost.tensor.codec import decode, encode
from wirecost.tensor.compression import Compressed, compress
from wirecost.tensor.devices import to_device, to_host, to_host_pinned, use_devices
from wirecost.tensor.errors import FrameError, LostError
from wirecost.tensor.frame import Frame
from wirecost.tensor.native import Loan, SamplePool
from wirecost.tensor.registry import register, register_plugin

__all__ = [
    "Compressed",
    "Frame",
    "FrameError",
    "Loan",
    "LostError",
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
