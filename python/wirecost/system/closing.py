# SPDX-License-Identifier: Apache-2.0
"""``with`` for everything that is closed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Object that is closed where its ``with`` block is left."""

    @abstractmethod
    def close(self) -> None:
        """End what the object does, and free what it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
