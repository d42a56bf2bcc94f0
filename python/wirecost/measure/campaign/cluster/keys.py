# SPDX-License-Identifier: Apache-2.0
"""Keys by which a scheduler, its workers and its clients know each other.

They are one TLS key and certificate that only they have. Whoever has it can run any program as the
user of each, because Dask's messages are pickles.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line
from wirecost.system.private import private_folder, read_private, write_private

LARGEST = 1 << 16
CERTIFICATE, KEY = "CERTIFICATE", "PRIVATE KEY"
MISSING = "dask.distributed is not installed: pip install 'wirecost[campaign]'"


def distributed() -> Any:
    """Return the package. Raises UserError where it is not installed."""
    try:
        import cryptography  # noqa: F401, PLC0415 - what makes keys
        import distributed as found  # noqa: PLC0415 - of an extra, and slow to import
    except ModuleNotFoundError as error:
        raise UserError(MISSING) from error
    return found


def new_keys() -> str:
    """Return a fresh key and certificate, as PEM."""
    credentials = distributed().Security.temporary()
    return str(credentials.tls_client_key) + str(credentials.tls_client_cert)


def security(keys: str | None) -> Any:
    """Return Dask's security; None where ``keys`` is.

    Raises UserError for text that is no key and certificate.
    """
    if keys is None:
        return None
    certificate, key = _block(keys, CERTIFICATE), _block(keys, KEY)
    parts = dict.fromkeys(("tls_client_key", "tls_scheduler_key", "tls_worker_key"), key)
    parts |= dict.fromkeys(
        ("tls_client_cert", "tls_scheduler_cert", "tls_worker_cert"), certificate
    )
    return distributed().Security(require_encryption=True, tls_ca_file=certificate, **parts)


def read_keys(path: Path) -> str:
    """Raise UserError, also for a file that others can write."""
    content = read_private(path, LARGEST)
    if content is None:
        raise UserError(f"{path}: not there; `wirecost campaign keys {shell_line(path)}` makes it")
    keys = content.decode(errors="replace")
    try:
        security(keys)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    return keys


def write_keys(path: Path) -> None:
    """Write fresh keys into a file that only this user can read. Raises UserError, OSError."""
    if path.exists():
        raise UserError(f"{path}: is there already; name another file, or remove it")
    private_folder(path.parent, "name a file in a folder of your own")
    write_private(path.absolute(), new_keys().encode())


def _block(text: str, name: str) -> str:
    begin, end = f"-----BEGIN {name}-----", f"-----END {name}-----"
    first, last = text.find(begin), text.find(end)
    if first < 0 or last < first:
        raise UserError(f"has no {name.lower()}; `wirecost campaign keys FILE` makes such a file")
    return text[first : last + len(end)] + "\n"
