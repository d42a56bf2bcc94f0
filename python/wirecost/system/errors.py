# SPDX-License-Identifier: Apache-2.0
"""The errors a user is meant to read."""


class UserError(Exception):
    """Something outside the program is wrong: one line states it and what to do.

    The command line prints the message without a traceback and exits with ``status``.
    """

    status = 2


class EndedError(UserError):
    """A command was ended before it was done: by a signal, or because the system failed it."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
