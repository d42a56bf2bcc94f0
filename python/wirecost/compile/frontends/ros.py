# SPDX-License-Identifier: Apache-2.0
"""ROS ``.msg`` and ``.srv`` files to the IR."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wirecost.compile.schema import File


def load(paths: Sequence[Path], include: Sequence[Path], dialect: str | None) -> list[File]:
    raise NotImplementedError
