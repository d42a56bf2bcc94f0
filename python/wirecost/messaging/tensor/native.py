# SPDX-License-Identifier: Apache-2.0
"""Quick path in C++, where it was built.

What it does not handle, and what it finds wrong, is left to the Python beside this, which stays the
reference. ``WIRECOST_TENSOR=python`` leaves it out.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wirecost.messaging.tensor import pool


def _module() -> Any:
    if os.environ.get("WIRECOST_TENSOR") == "python":
        return None
    try:
        return import_module("wirecost._tensor")
    except ImportError:  # another interpreter than the one that it was built for
        return None


binding: Any = _module()

if TYPE_CHECKING or binding is None:
    Loan, SamplePool = pool.Loan, pool.SamplePool
else:
    Loan, SamplePool = binding.Loan, binding.SamplePool
