# SPDX-License-Identifier: Apache-2.0
"""Messages where the system does not let a file be written, or grants no more of something."""

from __future__ import annotations

import errno
from pathlib import Path

from wirecost.system.errors import UserError

REMEDIES = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.EFBIG: "raise ulimit -f",
    errno.EMFILE: "raise ulimit -n",
    errno.ENFILE: "end other programs",
    errno.EAGAIN: "raise ulimit -u",
    errno.ENOMEM: "end other programs",
    errno.EIO: "look for faults of the device",
}
"""Remedies by error number, where another name would be no better."""
OTHERWISE = {
    errno.EROFS: "name a place that can be written",
    errno.EBADF: "open it to be written",
}
"""Remedies by error number, where another name would be better, but no command expected it."""


def failed_write(path: Path | str, error: OSError | ValueError, otherwise: str) -> UserError:
    """Return file, problem and remedy in a line; ``otherwise``: remedy where the name is wrong."""
    why = getattr(error, "strerror", None) or str(error)
    return UserError(f"{path}: {why}; {remedy(error, otherwise)}")


def remedy(error: OSError | ValueError, otherwise: str) -> str:
    """Return what the user can do about the error."""
    return REMEDIES.get(getattr(error, "errno", None) or 0, otherwise)


def described(error: OSError) -> str:
    """Return file, problem and remedy of an error that no command expects."""
    why = error.strerror or str(error)
    line = f"{error.filename}: {why}" if error.filename else why
    return f"{line}; {remedy(error, OTHERWISE.get(error.errno or 0, 'try again'))}"
