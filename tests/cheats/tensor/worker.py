# SPDX-License-Identifier: Apache-2.0
"""The process of one end, of a cheat: a contender whose name is that of a module here."""

from __future__ import annotations

import importlib

from wirecost.measure.bench.tensor import worker
from wirecost.measure.bench.tensor.contenders.base import TensorContender


def find_cheat(name: str, size: int) -> TensorContender:
    cheat: TensorContender = importlib.import_module(f"cheats.tensor.{name}").contender(name, size)
    return cheat


def main() -> None:
    worker.find_contender = find_cheat
    worker.main()


if __name__ == "__main__":
    main()
