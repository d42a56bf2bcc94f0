# SPDX-License-Identifier: Apache-2.0
"""The CUDA driver's functions for memory that processes share.

Called by ctypes and not through a framework: PyTorch offers handles of its own allocator's blocks
only, which hold other tensors too and which it counts references to; and so there is one path for
all frameworks.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from functools import cache
from typing import Any

from wirecost.system.errors import UserError

LIBRARY = "libcuda.so.1"
HANDLE_BYTES = 64
UUID_BYTES = 16
BLOCK = 2 << 20
"""The driver shares whole blocks of this size: memory of other sizes would show what lies beside
it."""
_LAZY_PEER_ACCESS = 1


class _Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * HANDLE_BYTES)]


class _Uuid(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * UUID_BYTES)]


_PROTOTYPES: dict[str, list[Any]] = {
    "cuInit": [c_uint],
    "cuGetErrorName": [c_int, POINTER(c_char_p)],
    "cuDeviceGetCount": [POINTER(c_int)],
    "cuDeviceGet": [POINTER(c_int), c_int],
    "cuDeviceGetUuid_v2": [POINTER(_Uuid), c_int],
    "cuDevicePrimaryCtxRetain": [POINTER(c_void_p), c_int],
    "cuCtxPushCurrent_v2": [c_void_p],
    "cuCtxPopCurrent_v2": [POINTER(c_void_p)],
    "cuMemAlloc_v2": [POINTER(c_uint64), c_size_t],
    "cuMemFree_v2": [c_uint64],
    "cuMemGetAddressRange_v2": [POINTER(c_uint64), POINTER(c_size_t), c_uint64],
    "cuMemcpyDtoDAsync_v2": [c_uint64, c_uint64, c_size_t, c_void_p],
    "cuMemcpyDtoH_v2": [c_void_p, c_uint64, c_size_t],
    "cuStreamSynchronize": [c_void_p],
    "cuIpcGetMemHandle": [POINTER(_Handle), c_uint64],
    "cuIpcOpenMemHandle_v2": [POINTER(c_uint64), _Handle, c_uint],
    "cuIpcCloseMemHandle": [c_uint64],
}


class Driver:
    """CUDA's driver.

    Devices are counted as the frameworks of this process count them. Every call raises UserError
    with the driver's name for what went wrong.
    """

    def __init__(self, library: str = LIBRARY) -> None:
        """Load it. Raises UserError where there is no driver, or one from before CUDA 11.4."""
        try:
            self._cuda = ctypes.CDLL(library)
            for name, arguments in _PROTOTYPES.items():
                function = getattr(self._cuda, name)
                function.argtypes, function.restype = arguments, c_int
        except (OSError, AttributeError) as error:
            raise UserError(
                f"CUDA: its driver cannot be used ({error}); install NVIDIA's, from CUDA 11.4 on"
            ) from error
        self._call("cuInit", 0)
        count = c_int()
        self._call("cuDeviceGetCount", byref(count))
        self.uuids = [self._uuid(number) for number in range(count.value)]
        """Identifier of each device."""
        self._contexts: dict[int, c_void_p] = {}

    def allocate(self, device: int, nbytes: int) -> int:
        """Return the address of new memory, a multiple of ``BLOCK`` long."""
        address = c_uint64()
        with self._on(device):
            self._call("cuMemAlloc_v2", byref(address), nbytes)
        return address.value

    def free(self, device: int, address: int) -> None:
        """Free what ``allocate`` gave."""
        with self._on(device):
            self._call("cuMemFree_v2", address)

    def handle(self, device: int, address: int) -> bytes:
        """Return a handle by which other processes open what ``allocate`` gave."""
        handle = _Handle()
        with self._on(device):
            self._call("cuIpcGetMemHandle", byref(handle), address)
        return bytes(handle.reserved)

    def open(self, device: int, handle: bytes) -> tuple[int, int]:
        """Return address and bytes of another process's memory, not of this process's own."""
        address, base, size = c_uint64(), c_uint64(), c_size_t()
        with self._on(device):
            self._call(
                "cuIpcOpenMemHandle_v2",
                byref(address),
                _Handle.from_buffer_copy(handle),
                _LAZY_PEER_ACCESS,
            )
            try:
                self._call("cuMemGetAddressRange_v2", byref(base), byref(size), address)
            except UserError:
                self._cuda.cuIpcCloseMemHandle(address)
                raise
        return address.value, base.value + size.value - address.value

    def close(self, device: int, address: int) -> None:
        """Close what ``open`` gave."""
        with self._on(device):
            self._call("cuIpcCloseMemHandle", address)

    def copy(self, device: int, to: int, source: int, nbytes: int, stream: int) -> None:
        """Begin a copy within a device, behind what ``stream`` has to do; ``wait`` ends it."""
        if nbytes:
            with self._on(device):
                self._call("cuMemcpyDtoDAsync_v2", to, source, nbytes, stream)

    def wait(self, device: int, stream: int) -> None:
        """Wait for all that a stream has to do."""
        with self._on(device):
            self._call("cuStreamSynchronize", stream)

    def copy_to_host(self, device: int, to: int, source: int, nbytes: int) -> None:
        """Copy to an address of the host; returns when it is there."""
        if nbytes:
            with self._on(device):
                self._call("cuMemcpyDtoH_v2", to, source, nbytes)

    def _uuid(self, number: int) -> bytes:
        device, uuid = c_int(), _Uuid()
        self._call("cuDeviceGet", byref(device), number)
        self._call("cuDeviceGetUuid_v2", byref(uuid), device)
        return bytes(uuid.bytes)

    @contextmanager
    def _on(self, device: int) -> Iterator[None]:
        """Work in the context that the frameworks have of a device."""
        context = self._contexts.get(device)
        if context is None:
            context, current = c_void_p(), c_int()
            self._call("cuDeviceGet", byref(current), device)
            self._call("cuDevicePrimaryCtxRetain", byref(context), current)
            self._contexts[device] = context
        self._call("cuCtxPushCurrent_v2", context)
        try:
            yield
        finally:
            self._cuda.cuCtxPopCurrent_v2(byref(c_void_p()))

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._cuda, name)(*arguments)
        if status:
            text = c_char_p()
            self._cuda.cuGetErrorName(status, byref(text))
            reason = text.value.decode() if text.value else f"error {status}"
            raise UserError(f"CUDA: {name.partition('_')[0]} gave {reason}")


@cache
def driver() -> Driver:
    """Return the one of this process. Raises UserError."""
    return Driver(LIBRARY)
