# SPDX-License-Identifier: Apache-2.0
"""Lists of the pages of a folder, for folders that have no page of their own."""

from __future__ import annotations

from collections.abc import Mapping

from navigation import title

FOLDERS = {
    "decisions": "Why wirecost is built as it is: one page for each decision.",
    "formats": "What wirecost writes and reads, byte by byte and field by field.",
    "results": "Tables of our own runs, each with its command, commit and machine.",
}


def pages(written: Mapping[str, str]) -> dict[str, str]:
    """``FOLDER/index.md`` with a line for each page in it."""
    texts = {}
    for folder, what in FOLDERS.items():
        below = sorted(uri for uri in written if uri.startswith(f"{folder}/"))
        lines = [
            f"- [{title(written[uri], uri)}]({uri.removeprefix(f'{folder}/')})" for uri in below
        ]
        texts[f"{folder}/index.md"] = f"# {folder.capitalize()}\n\n{what}\n\n" + "\n".join(lines)
    return texts
