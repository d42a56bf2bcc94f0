# SPDX-License-Identifier: Apache-2.0
"""Links from pages to files of the repository: each such file becomes a page of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

LINK = re.compile(r"(?P<open>\]\()(?P<to>[^)\s#]+)(?P<anchor>#[^)\s]*)?(?P<close>\))")
FENCE = re.compile(r"^(```|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
LANGUAGES = {
    ".py": "python", ".hpp": "cpp", ".cpp": "cpp", ".h": "c", ".c": "c", ".cmake": "cmake",
    ".toml": "toml", ".yml": "yaml", ".proto": "protobuf", ".java": "java",
}  # fmt: skip
LONGEST = 200_000
"""Characters of a file that becomes a page."""


def pages(root: Path, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the pages of files that ``texts`` link to and that are no documentation.

    Keys are the places of pages in the site. A link to nothing is left as it is, so that MkDocs
    reports it."""
    linked: dict[str, str] = {}
    unread = dict(texts)
    while unread:
        uri, text = unread.popitem()
        for link in LINK.finditer(FENCE.sub("", text)):
            target = _target(uri, link["to"])
            if target is None or not (root / target).exists() or _is_page(root, target):
                continue
            for path in _with_what_is_below(root / target):
                page = _page_of(root, path)
                if page not in linked:
                    linked[page] = _shown(root, path)
                    if path.suffix == ".md":
                        unread[page] = linked[page]
    return linked


def within_site(root: Path, text: str, uri: str) -> str:
    """Return the text of the page at ``uri`` with links that hold in the site."""

    def linked(link: re.Match[str]) -> str:
        target = _target(uri, link["to"])
        if target is None or not (root / target).exists():
            return link[0]
        page = _page_of(root, root / target)
        to = posixpath.relpath(page, posixpath.dirname(uri) or ".")
        return f"{link['open']}{to}{link['anchor'] or ''}{link['close']}"

    return outside_fences(text, lambda part: LINK.sub(linked, part))


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Return the text with everything changed that is in no fenced block."""
    parts: list[str] = []
    position = 0
    for fence in FENCE.finditer(text):
        parts += [change(text[position : fence.start()]), fence[0]]
        position = fence.end()
    return "".join([*parts, change(text[position:])])


def _target(uri: str, to: str) -> str | None:
    """Return a link's target as a path of the repository; None for a link to elsewhere."""
    if re.match(r"[a-z]+:|/|#", to):
        return None
    here = posixpath.dirname(_origin(uri))
    target = posixpath.normpath(posixpath.join(here, to))
    return None if target.startswith("..") else target


def _origin(uri: str) -> str:
    """Return the place of a page's text in the repository."""
    if uri == "index.md":
        return "README.md"
    if not uri.startswith("source/"):
        return f"docs/{uri}"
    path = uri.removeprefix("source/")
    return path if path.endswith("/index.md") else path.removesuffix(".md")


def _is_page(root: Path, target: str) -> bool:
    path = root / target
    return target.startswith("docs/") and (path.is_dir() or path.suffix in {".md", ".svg", ".png"})


def _page_of(root: Path, path: Path) -> str:
    target = path.relative_to(root).as_posix()
    if target == "README.md":
        return "index.md"
    if _is_page(root, target):
        return target.removeprefix("docs/") + ("/index.md" if path.is_dir() else "")
    return f"source/{target}/index.md" if path.is_dir() else f"source/{target}.md"


def _with_what_is_below(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir():
        for below in sorted(path.iterdir()):
            if below.name != "__pycache__" and not below.name.startswith("."):
                yield from _with_what_is_below(below)


def _shown(root: Path, path: Path) -> str:
    name = path.relative_to(root).as_posix()
    head = "---\nsearch:\n  exclude: true\n---\n"
    title = f"# {name}\n\n"
    if path.is_dir():
        below = (inner for inner in _with_what_is_below(path) if inner.parent == path)
        return head + title + "".join(f"- [{inner.name}]({inner.name})\n" for inner in below)
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return f"{head}{title}{path.stat().st_size:,} bytes.\n"
    if path.suffix == ".md":
        return head + text
    if len(text) > LONGEST:
        return f"{head}{title}{len(text):,} characters, not shown.\n"
    return f"{head}{title}~~~~{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n~~~~\n"
