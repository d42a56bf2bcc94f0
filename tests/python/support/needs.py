# SPDX-License-Identifier: Apache-2.0
"""Needs of a test: where one is missing, the test is skipped with what installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from wirecost.messaging.tensor.frameworks import INSTALL
from wirecost.messaging.transport import Transport, find
from wirecost.system.errors import UserError


def package(name: str) -> Any:
    """Return the module, or skip the test."""
    root = name.partition(".")[0]
    install = f"pip install {INSTALL.get(root, root)}"
    return pytest.importorskip(name, reason=f"{root} is not installed: {install}")


def transport(name: str) -> type[Transport]:
    """Its class; also where a module is collected."""
    kind = find(name)
    if why := kind.missing():
        pytest.skip(f"{name}: {why}", allow_module_level=True)
    return kind


@contextmanager
def server(name: str) -> Iterator[str | None]:
    """Return the address of what a transport needs between its peers."""
    with ExitStack() as stack:
        try:
            address = stack.enter_context(transport(name).server())
        except UserError as error:
            pytest.skip(str(error))
        yield address
