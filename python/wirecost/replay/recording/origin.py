# SPDX-License-Identifier: Apache-2.0
"""Seal over all that a recording starts: whether this user made it on this machine.

The seal is an HMAC by a key that lies in this user's private folder, over ``node.json`` without the
seal and the machine's identity. It proves nothing to other users.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wirecost.system.errors import UserError
from wirecost.system.private import read_private, state_folder, write_private

KEY_FILE, KEY_BYTES = "recordings.key", 32
MACHINE = Path("/etc/machine-id")
"""machine-id(5). A home folder, and the key in it, may be on many machines."""
PURPOSE = b"wirecost-recording 1\0"


def seal(document: Mapping[str, object]) -> str:
    """Seal a snapshot's document that has no seal. Raises UserError where no key can be kept."""
    return _code(_key(make=True), document)


def sealed_here(document: Mapping[str, object], seal: object) -> bool:
    """Return whether ``found`` is this user's seal of the document on this machine."""
    if not isinstance(seal, str) or not seal.isascii():
        return False
    try:
        return hmac.compare_digest(_code(_key(make=False), document), seal)
    except UserError:  # without a key of ours nothing can have our seal
        return False


def _code(key: bytes, document: Mapping[str, object]) -> str:
    # Take the form that is read back, whatever Python's types were.
    plain = json.loads(json.dumps(document))
    text = json.dumps(plain, sort_keys=True, separators=(",", ":")).encode("ascii")
    return hmac.new(key, PURPOSE + _machine() + b"\0" + text, hashlib.sha256).hexdigest()


def _machine() -> bytes:
    try:
        return MACHINE.read_bytes()[:64].strip()
    except OSError:
        return b""


def _key(make: bool) -> bytes:
    folder = state_folder()
    path = folder / KEY_FILE
    try:
        with _alone(folder):
            key = read_private(path, KEY_BYTES)
            if key is None and make:
                key = secrets.token_bytes(KEY_BYTES)
                write_private(path, key)
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; set WIRECOST_STATE to a writable folder"
        ) from error
    if key is None or len(key) != KEY_BYTES:
        raise UserError(f"{path}: no key; remove it, and record again")
    return key


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let processes that make the key at the same time make one."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
