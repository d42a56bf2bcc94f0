# SPDX-License-Identifier: Apache-2.0
"""Every test here runs twice: with the quick path in C++, and with Python alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from attack.tensor.native import in_python
from wirecost.messaging.tensor import native


@pytest.fixture(params=["native", "python"], autouse=True)
def path(request: pytest.FixtureRequest) -> Iterator[str]:
    """Set which path reads and writes frames."""
    if request.param == "native":
        if native.binding is None:
            pytest.skip("wirecost._tensor was not built")
        yield "native"
    else:
        with in_python():
            yield "python"
