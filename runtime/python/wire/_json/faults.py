# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a message, and where: ``causes: [2]: seconds: 'x' is not int64``."""

from __future__ import annotations

FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

DEPTH = 100
"""How deep messages may be nested in what is read; entries of maps count."""


class _LocatedError(ValueError):
    """A fault with the names of the fields around it."""


def within(name: str, fault: Exception) -> Exception:
    """Return the same fault, one field further out."""
    reason = "it was deleted" if isinstance(fault, AttributeError) else str(fault)
    if len(reason) > _LONGEST:
        return _LocatedError(reason if reason.startswith("… ") else f"… {reason}")
    return _LocatedError(f"{name}: {reason}")


_LONGEST = 300
"""Characters of a fault, beyond which no more fields are named."""
