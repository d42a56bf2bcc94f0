# SPDX-License-Identifier: Apache-2.0
"""The one error a user is meant to read."""


class UserError(Exception):
    """Something outside the program is wrong: one line names it and says what to do.

    The command line prints the message without a traceback and exits with code 2.
    """
