# SPDX-License-Identifier: Apache-2.0
"""The quick path in C++, where it was built: what it does not handle, and what it finds wrong, is
left to the Python beside this, which stays the reference.

``WIRECOST_TENSOR=python`` leaves it out.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from wirecost.tensor import pool

try:
    from wirecost import _tensor
except ImportError:  # built without NumPy's headers, or not at all
    _tensor = None  # type: ignore[assignment]

found: Any = None if os.environ.get("WIRECOST_TENSOR") == "python" else _tensor

if TYPE_CHECKING or found is None:
    Loan, SamplePool = pool.Loan, pool.SamplePool
else:
    Loan, SamplePool = found.Loan, found.SamplePool
