# SPDX-License-Identifier: Apache-2.0
"""The token by which the two machines of a measurement know each other."""

from __future__ import annotations

import ctypes
import os
import re
import secrets
from pathlib import Path

from wirecost.measure.bench.tensor.choices import BOTH, PUBLISH, TOKEN_VARIABLE
from wirecost.measure.bench.tensor.settings import Settings
from wirecost.system.errors import UserError
from wirecost.system.regular_file import read_regular

TOKEN = re.compile(r"[A-Za-z0-9]{8,64}")
MOST_TOKEN_FILE = 4096
"""Bytes of a file with a token."""


def token_of(settings: Settings) -> tuple[str, str]:
    """Return the token, and the option by which the other machine gets it if the user chose it.

    Raises UserError.
    """
    role, option_word, file = settings.role, settings.token, settings.token_file
    if option_word:
        _hide(option_word)
    inherited = os.environ.pop(TOKEN_VARIABLE, None)  # no child needs it
    token: str | None
    if option_word is not None and file is not None:
        raise UserError("--token and --token-file: choose one")
    if file is not None:
        name, source, token = "--token-file", "--token-file FILE", _token_in(file)
    elif option_word is not None or role == BOTH or inherited is None:
        name, source, token = "--token", "the same --token" if option_word else "", option_word
    else:
        name, source, token = TOKEN_VARIABLE, f"the same {TOKEN_VARIABLE}", inherited
    if token is not None and (role == BOTH or not TOKEN.fullmatch(token)):
        raise UserError(f"{name}: give 8 to 64 letters and digits, with --role publish or listen")
    if role == PUBLISH and token is None:
        raise UserError("--token: give the one that the listener prints")
    return token or secrets.token_hex(8), source


def _hide(word: str) -> None:
    """Overwrite a word of this process's command line, which the list of processes shows."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    at = ctypes.string_at(begin, end - begin).find(word.encode()) if begin else -1
    if at >= 0:
        ctypes.memset(begin + at, ord("x"), len(word.encode()))


def _token_in(file: Path) -> str:
    try:
        return read_regular(file, MOST_TOKEN_FILE).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "no text"
        raise UserError(f"--token-file {file}: {why}; name a file with the token") from error
