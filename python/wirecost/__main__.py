# SPDX-License-Identifier: Apache-2.0
"""The command ``wirecost``: how it ends. What it does is in ``wirecost.cli``."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress

from wirecost.errors import UserError
from wirecost.extras import missing
from wirecost.interruption import watched
from wirecost.printable import printable


def main() -> None:
    with watched() as watch:
        try:
            from wirecost.cli import app  # noqa: PLC0415 - a signal may come while it is imported

            app()
        except UserError as error:
            _trace(error)
            _say(str(error))
            sys.exit(error.status)
        except ModuleNotFoundError as error:
            absent = missing(error)
            if absent is None:
                raise
            _say(str(absent))
            sys.exit(absent.status)
        except (KeyboardInterrupt, SystemExit) as error:
            # 1 and 130: so Typer ends a command that left a signal to it.
            if watch.seen is None or getattr(error, "code", 130) not in (1, 130):
                raise
            _say(f"interrupted by {watch.seen.number.name}")
            sys.exit(watch.seen.status)


def _trace(error: UserError) -> None:
    """Where it was raised, if ``wirecost -v`` asks for it."""
    from wirecost.cli import verbosity  # noqa: PLC0415 - as the rest of it

    if verbosity.verbose:
        with suppress(OSError):
            traceback.print_exception(error)


def _say(line: str) -> None:
    with suppress(OSError):  # the terminal may be gone, and SIGHUP have said so
        print(f"wirecost: {printable(line)}", file=sys.stderr)


if __name__ == "__main__":
    main()
