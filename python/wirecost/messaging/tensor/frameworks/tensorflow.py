# SPDX-License-Identifier: Apache-2.0
"""TensorFlow: eager tensors and variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Source, refuse
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("tensorflow",)
INSTALL = "tensorflow-cpu"
PLUGIN_ORDER = 3
_TEXT_BYTES = 24
"""A text's own form, beside its letters."""


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; a variable arrives as a tensor."""
    if cls.__name__ == "EagerTensor":
        return _tensor
    return _variable if cls.__name__ == "ResourceVariable" else None


def _variable(writer: Writer, variable: Any) -> Any:
    return _tensor(writer, variable.value())


def _tensor(writer: Writer, tensor: Any) -> Any:
    if "CPU" not in tensor.device.upper():
        tensor = writer.on_host(tensor, tensor.device)
    try:
        # The eager tensor's buffer; numpy() would copy.
        array = np.asarray(memoryview(tensor))
        if array.dtype != tensor.dtype.as_numpy_dtype:
            array = array.view(tensor.dtype.as_numpy_dtype)
    except (TypeError, ValueError, BufferError):
        array = np.asarray(tensor.numpy())
        if array.dtype.kind == "O":
            raise UserError(
                "tensorflow: a tensor of strings is not in one block of memory;"
                " send tensor.numpy().astype('S')"
            ) from None
        writer.copied(array.nbytes)
    return writer.tensor(array, "tensorflow")


def tensor(source: Source) -> Any:
    """Return a tensor over received memory, copied where TensorFlow needs another alignment.

    Raises UserError for element types that TensorFlow has not.
    """
    tensorflow = load("tensorflow", 'decode with as_="numpy"')
    array = source.aligned()
    name = source.narrow
    try:
        if array.dtype.kind in "SU":
            source.budget.take("texts of TensorFlow", _TEXT_BYTES * array.size)
        if name is not None or array.dtype.kind not in "iufc" or not array.size:
            # DLPack has no form for these, or its import no place.
            return tensorflow.constant(source.numpy())
        return tensorflow.experimental.dlpack.from_dlpack(array.__dlpack__())
    except (TypeError, ValueError, BufferError) as error:
        raise refuse(source, "tensorflow") from error
    except tensorflow.errors.InvalidArgumentError as error:
        raise refuse(source, "tensorflow") from error


def to_host(tensor: Any) -> Any:
    """Return a tensor in the host's memory."""
    if "CPU" in getattr(tensor, "device", "CPU").upper():
        return tensor
    return tensor.cpu()


def to_device(tensor: Any, number: int) -> Any:
    """Return a tensor on a CUDA device."""
    tf = load("tensorflow")
    with tf.device(f"/GPU:{number}"):
        return tf.identity(tensor)
