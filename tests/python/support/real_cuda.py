# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy's on the first CUDA device, by the frameworks that are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support import needs


def torch_on_device(array: Any) -> Any:
    return needs.package("torch").tensor(array, device="cuda")


def jax_on_device(array: Any) -> Any:
    jax = needs.package("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.device_put(array, jax.devices("cuda")[0])


def cupy_on_device(array: Any) -> Any:
    return needs.package("cupy").array(array)


MAKE: dict[str, Callable[[Any], Any]] = {
    "torch": torch_on_device,
    "jax": jax_on_device,
    "cupy": cupy_on_device,
}
