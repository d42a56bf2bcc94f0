# SPDX-License-Identifier: Apache-2.0
"""Places of this user's iceoryx2 files.

They are a private folder, and files in shared memory whose names no other user's have. iceoryx2's
own default is one folder for all users of a machine, which only the first can enter.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from wirecost.messaging.transport.shared.rendezvous import MOST_PATH, alone, private_folder
from wirecost.messaging.transport.shared.shared_memory import FOLDER
from wirecost.system.errors import UserError

_SOCKET = len("/") + 30 + len(".event")
"""Characters behind folder and prefix in the path of a socket: an identifier of 30 digits."""
MOST_ADDRESS = 24
_ADDRESS = re.compile(rf"[A-Za-z0-9_-]{{1,{MOST_ADDRESS}}}")
_PREFIX = "wirecost_"
_DIGITS = 8


class Home:
    """One folder and one prefix, which belong together."""

    def __init__(self, library: Any, address: str | None) -> None:
        """Make the place; ``address``: what the names begin with. Raises UserError."""
        start = address or _PREFIX
        if not _ADDRESS.fullmatch(start):
            raise UserError(
                f"iceoryx2: address {address!r} must be 1 to {MOST_ADDRESS} letters, digits, _ or -"
            )
        room = MOST_PATH - _SOCKET - len(start) - _DIGITS - 1
        self.folder = private_folder("iceoryx2", room)
        # The same name for two users, or two folders, would let one's processes see the other's.
        text = f"{os.getuid()} {self.folder}"
        digest = hashlib.sha256(os.fsencode(text)).hexdigest()[:_DIGITS]
        self.prefix = f"{start}{digest}_"
        self.config = library.config.default()
        self.config.global_cfg.prefix = library.FileName.new(self.prefix)
        try:
            self.config.global_cfg.root_path = library.Path.new(str(self.folder))
        except library.SemanticStringError as error:
            raise UserError(
                f"iceoryx2: {self.folder} is no path for it ({error}); set XDG_RUNTIME_DIR"
            ) from error

    @contextmanager
    def coming(self) -> Iterator[None]:
        """Hold the folder while a node is made. Raises UserError."""
        with alone(self.folder):
            self._take_counters()
            yield
            self._take_counters()

    @contextmanager
    def going(self) -> Iterator[None]:
        """Hold the folder while a node is given up; the last one removes what iceoryx2 leaves."""
        with ExitStack() as stack:
            with suppress(UserError):
                stack.enter_context(alone(self.folder))
            yield
            nodes = self.folder / self.config.global_cfg.node.directory.to_string()
            if any(nodes.glob(f"{self.prefix}*")):
                return
            for path in self._counters():
                with suppress(OSError):
                    path.unlink()

    def _counters(self) -> Iterator[Path]:
        """Yield the file, one for each version of iceoryx2, by which nodes are numbered."""
        return FOLDER.glob(f"{self.prefix}*.global_mgmt")

    def _take_counters(self) -> None:
        """Take away what everybody may write, as iceoryx2 makes it; refuse another user's file."""
        for path in self._counters():
            try:
                file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    owner = os.fstat(file).st_uid
                    if owner == os.getuid():
                        os.fchmod(file, 0o600)
                finally:
                    os.close(file)
            except OSError as error:
                raise UserError(f"{path}: {error.strerror}; give another address") from error
            if owner != os.getuid():
                raise UserError(
                    f"{path}: belongs to user {owner}, not to you; give another address"
                )
