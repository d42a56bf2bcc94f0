# SPDX-License-Identifier: Apache-2.0
"""``with`` for everything that is closed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Leaving the ``with`` block closes it."""

    @abstractmethod
    def close(self) -> None:
        """Ends it, whatever it does."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
