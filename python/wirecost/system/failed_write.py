# SPDX-License-Identifier: Apache-2.0
"""What is said where the system does not let a file be written, or grants no more of something."""

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
"""Where another name would be no better."""
OTHERWISE = {
    errno.EROFS: "name a place that can be written",
    errno.EBADF: "open it to be written",
}
"""Where it would, but no command expected it."""


def failed_write(path: Path | str, error: OSError | ValueError, otherwise: str) -> UserError:
    """One line of file, problem and remedy; ``otherwise``: where the name is what is wrong."""
    why = getattr(error, "strerror", None) or str(error)
    return UserError(f"{path}: {why}; {remedy(error, otherwise)}")


def remedy(error: OSError | ValueError, otherwise: str) -> str:
    """What to do about it."""
    return REMEDIES.get(getattr(error, "errno", None) or 0, otherwise)


def described(error: OSError) -> str:
    """The same for an error that no command expects."""
    why = error.strerror or str(error)
    line = f"{error.filename}: {why}" if error.filename else why
    return f"{line}; {remedy(error, OTHERWISE.get(error.errno or 0, 'try again'))}"
