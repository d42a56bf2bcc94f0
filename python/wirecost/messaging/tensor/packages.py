# SPDX-License-Identifier: Apache-2.0
"""Optional packages: imported where first needed, named with their remedy where missing."""

from __future__ import annotations

import importlib
from typing import Any

from wirecost.messaging.tensor.frameworks import INSTALL
from wirecost.system.errors import UserError

_LOADED: dict[str, object] = {}


def load(name: str, remedy: str = "") -> Any:
    """Return the module ``name``; ``remedy`` is what one may do instead of installing it.

    Raises UserError with the line that installs it.
    """
    module = _LOADED.get(name)
    if module is None:
        try:
            module = _LOADED[name] = importlib.import_module(name)
        except ImportError as error:
            root = name.partition(".")[0]
            line = f"{root}: cannot be imported ({error}); pip install {INSTALL.get(root, root)}"
            raise UserError(line + (f", or {remedy}" if remedy else "")) from error
    return module
