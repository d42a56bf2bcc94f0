# SPDX-License-Identifier: Apache-2.0
"""The menu: a folder in ``nav`` stands for its pages that are not listed elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mkdocs.structure.files import Files


def complete(nav: list[Any], files: Files) -> list[Any]:
    """Return ``nav`` of mkdocs.yml, completed by the pages of its folders.

    Pages are sorted by their file names, an ``index.md`` first; ``*.md`` stands for those of
    ``docs`` itself. Sections without pages are left out."""
    listed = set(_listed(nav))
    pages = {file.src_uri: file.content_string for file in files.documentation_pages()}

    def expanded(entries: list[Any]) -> Iterator[Any]:
        for entry in entries:
            if isinstance(entry, dict):
                for name, value in entry.items():
                    below = list(expanded(value)) if isinstance(value, list) else value
                    if below:
                        yield {name: below}
            elif entry.endswith("/"):
                yield from _folder(entry, pages, listed)
            elif entry == "*.md":
                for uri in sorted(uri for uri in pages if "/" not in uri and uri not in listed):
                    yield {title(pages[uri], uri): uri}
            else:
                yield entry

    return list(expanded(nav))


def _folder(folder: str, pages: dict[str, str], listed: set[str]) -> Iterator[Any]:
    inside = [uri for uri in pages if uri.startswith(folder) and uri not in listed]
    here = [uri for uri in inside if "/" not in uri.removeprefix(folder)]
    yield from sorted(uri for uri in here if uri.endswith("/index.md"))
    for uri in sorted(here):
        if not uri.endswith("/index.md"):
            yield {title(pages[uri], uri): uri}
    below = sorted({uri.removeprefix(folder).partition("/")[0] for uri in set(inside) - set(here)})
    for name in below:
        entries = list(_folder(f"{folder}{name}/", pages, listed))
        yield {name.replace("-", " ").capitalize(): entries}


def title(text: str, otherwise: str) -> str:
    """Return the first heading."""
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return heading[1].replace("`", "") if heading else otherwise


def _listed(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for value in entry.values():
            yield from _listed(value)
    else:
        for inner in entry:
            yield from _listed(inner)
