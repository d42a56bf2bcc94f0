# SPDX-License-Identifier: Apache-2.0
"""Entry and end of the command ``wirecost``; its work is in ``wirecost.cli``."""

from __future__ import annotations

import errno
import gc
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

from wirecost.system import current_folder
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError
from wirecost.system.extras import missing
from wirecost.system.failed_write import OTHERWISE, REMEDIES, described
from wirecost.system.foreign import is_unicode, printable
from wirecost.system.interruption import watched
from wirecost.system.named_output import NAME, flush_output, name_output

BROKEN_PIPE = 1
TOO_LITTLE_MEMORY = (
    "the memory does not suffice; raise the limit (ulimit -v, the container's), end other "
    "programs, or give smaller files"
)
FOLDER_GONE = "the current folder is gone; change into one that is there: cd"


OBJECTS_KEPT = 200_000
"""Objects before Python looks for garbage among them: what a command imports stays to its end."""


def main() -> None:
    gc.set_threshold(OBJECTS_KEPT)
    name_output()
    with watched() as watch:
        try:
            # A signal may come while it is imported.
            from wirecost.cli import lists  # noqa: PLC0415

            try:
                if (printed := lists.answer(sys.argv[1:])) is not None:
                    print(printed)
                    return
                from wirecost.cli.root import app  # noqa: PLC0415

                app()
            finally:
                flush_output()
        except (UserError, ProgramFailedError) as error:
            _end(str(error), getattr(error, "status", UserError.status), error)
        except ImportError as error:
            absent = missing(error)
            if absent is None:
                raise
            _end(str(absent), absent.status)
        except MemoryError as error:
            _end(TOO_LITTLE_MEMORY, UserError.status, error)
        except OSError as error:
            _end_by_system(error)
        except UnicodeEncodeError as error:
            wrong = next((word for word in sys.argv if not is_unicode(word)), None)
            if wrong is None:
                raise
            _end(f"{wrong}: not UTF-8; name it in UTF-8", UserError.status, error)
        except (KeyboardInterrupt, SystemExit) as error:
            # 1 and 130: so Typer ends a command that left a signal to it.
            if watch.seen is None or getattr(error, "code", 130) not in (1, 130):
                raise
            _end(f"interrupted by {watch.seen.number.name}", watch.seen.status)


def _end_by_system(error: OSError) -> NoReturn:
    if error.errno == errno.EPIPE and error.filename == NAME:
        _end("", BROKEN_PIPE)  # as Typer does, where it sees it
    if error.errno == errno.ENOENT and current_folder.is_gone():
        _end(FOLDER_GONE, UserError.status, error)
    if error.errno not in REMEDIES | OTHERWISE or (
        error.errno == errno.EBADF and error.filename != NAME
    ):
        raise error  # a mistake in this program
    _end(described(error), UserError.status, error)


def _end(line: str, status: int, error: Exception | None = None) -> NoReturn:
    if error is not None:
        _trace(error)
    if line:
        _say(line)
    with suppress(OSError):
        flush_output()
    sys.exit(status)


def _trace(error: Exception) -> None:
    """Print where the error was raised, if ``wirecost -v`` asks for it."""
    from wirecost.cli import verbosity  # noqa: PLC0415 - as the rest of it

    if verbosity.verbose:
        with suppress(OSError):
            traceback.print_exception(error)


def _say(line: str) -> None:
    with suppress(OSError):  # the terminal may be gone, and SIGHUP have said so
        print(f"wirecost: {printable(line)}", file=sys.stderr)


if __name__ == "__main__":
    main()
