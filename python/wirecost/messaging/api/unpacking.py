# SPDX-License-Identifier: Apache-2.0
"""From received samples to messages whose tensors lie in them."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

from wirecost.messaging.tensor import SamplePool, decode
from wirecost.messaging.transport import Sample
from wirecost.system.errors import UserError


@dataclass(frozen=True)
class DecodeOptions:
    """Options of making messages of samples; the names are those of ``wirecost.tensor.decode``."""

    as_: str | None
    copy: bool
    writable: bool


class Unpacker:
    """Counter of the samples that messages hold."""

    def __init__(self, depth: int, options: DecodeOptions) -> None:
        """Limit to ``depth`` the samples held at once. Raises UserError for too small a depth."""
        least = 1 if options.copy else 2
        if depth < least:
            raise UserError(
                f"depth={depth}: give at least {least}"
                + ("" if options.copy else ", as one message is in use while the next is received")
            )
        self._depth = depth
        self._options = options
        self._pool = SamplePool(depth)

    def check_room(self) -> None:
        """Raise UserError if no further sample can be held."""
        if self._options.copy or self._pool.held < self._depth:
            return
        gc.collect()  # what is held by cycles only is not in use
        if self._pool.held >= self._depth:
            raise UserError(
                f"{self._depth} received messages are held by arrays in use, the most there may be:"
                " let go of them, or give copy=True or a larger depth"
            )

    def message(self, sample: Sample) -> Any:
        """Return the object; the sample is released now or with its last array.

        Raises UserError.
        """
        as_ = self._options.as_
        if self._options.copy:
            try:
                return decode(sample.buffer, as_=as_, copy=True)
            finally:
                sample.release()
        try:
            loan = self._pool.borrow(sample, Sample.release)
        except UserError:
            sample.release()
            raise
        return decode(sample.buffer, as_=as_, writable=self._options.writable, owner=loan)
