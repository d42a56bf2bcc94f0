# SPDX-License-Identifier: Apache-2.0
"""Reference pages of the C and C++ headers: their comments and declarations, without the bodies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from markup import heading

PROBE = "cpp/wirecost/probe/include/wirecost"
RUNTIME = "runtime/cpp/wirecost"
LIBRARIES = {
    "probe": (
        "The probe library",
        "Times and counters of sections of a program ([how](../probe.md)). Link `wirecost::probe`.",
        [f"{PROBE}/probe.h", f"{PROBE}/probe.hpp", f"{PROBE}/pmu_analyzer.hpp"],
    ),
    "heap": (
        "The heap library",
        "It is preloaded by `wirecost heap run` and has no header to include: programs call "
        "`malloc` and `operator new` as before. The command sets these variables of the "
        "environment ([how](../heap.md)).",
        ["cpp/wirecost/heap/config.hpp"],
    ),
    "generated-code": (
        "What generated C++ includes",
        "Errors, limits and columns of the codecs that `wirecost compile` writes "
        "([how](../compile.md), [columns](../columns.md)). The codecs themselves are in the "
        "headers that it writes.",
        [
            f"{RUNTIME}/{name}.hpp"
            for name in (
                "support", "columns/error", "columns/limits", "columns/buffer", "columns/view",
                "columns/column", "columns/builder", "columns/reduce",
            )
        ],
    ),
}  # fmt: skip
PART = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<one>.)""",
    re.DOTALL | re.VERBOSE,
)
SCOPE = re.compile(r"\b(namespace|class|struct|enum|union|extern)\b[^()=]*$")


def pages(root: Path) -> dict[str, str]:
    """``reference/NAME.md`` for each library."""
    texts = {}
    for name, (title, about, headers) in LIBRARIES.items():
        lines = [heading(1, title), "", about, ""]
        for path in headers:
            lines += _header(root, path)
        texts[f"reference/{name}.md"] = "\n".join(lines)
    return texts


def _header(root: Path, path: str) -> Iterator[str]:
    about, outline = split((root / path).read_text())
    name = (
        re.sub(r".*/(wirecost/)", r"\1", path) if "/include/" in path or RUNTIME in path else path
    )
    yield from (heading(2, name), "", about, "", "```cpp", outline, "```", "")


def split(text: str) -> tuple[str, str]:
    """Return a header's first comment as prose, and its outline."""
    text = re.sub(r"^\s*(//|/\*) SPDX[^\n]*\n", "", text)
    comment = re.match(r"\s*((?://[^\n]*\n)+|/\*.*?\*/)", text, re.DOTALL)
    about = comment[1] if comment else ""
    prose = re.sub(r"^\s*(//|/\*|\*/|\*) ?|\*/", "", about, flags=re.MULTILINE)
    prose = re.sub(r"([a-z/-]+\.md)\b", r"`\1`", " ".join(prose.split()))
    return prose, outline(text[comment.end() :] if comment else text)


def outline(text: str) -> str:
    """Return the declarations and comments of a header.

    Bodies, private members and the preprocessor's lines are left out."""
    text = re.sub(r"^#else\b.*?^#endif[^\n]*\n", "", text, flags=re.MULTILINE | re.DOTALL)
    constant = r"define \w+ [^\n\\]+\n"
    text = re.sub(rf"^#(?!{constant})(?:[^\n]*\\\n)*[^\n]*\n", "", text, flags=re.MULTILINE)
    text = _without_bodies(text)
    text = re.sub(r"^ *(?:private|protected):.*?(?=^ *public:|^ *\};)", "", text, flags=re.M | re.S)
    text = re.sub(r"\[\[(?:maybe_unused|nodiscard|unlikely|likely)\]\] ?", "", text)
    text = re.sub(
        r"namespace detail \{.*?\}(?:  // namespace detail)?\n", "", text, flags=re.DOTALL
    )
    text = re.sub(r"^(?:\}? *(?:extern \"C\"|namespace [\w:]+) *\{?|\}) *(?://[^\n]*)?\n", "",
                  text, flags=re.MULTILINE)  # fmt: skip
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _without_bodies(text: str) -> str:
    parts: list[str] = []
    depth = 0  # of braces in a body that is left out
    statement = ""
    for match in PART.finditer(text):
        part = match[0]
        if depth:
            depth += {"{": 1, "}": -1}.get(part, 0)
            if depth == 0:
                parts.append(";")
                statement = ""
            continue
        if part == "{" and not SCOPE.search(statement) and re.search(r"[)\w]\s*$", statement):
            is_function = ")" in statement and "=" not in statement.rpartition(")")[2]
            if is_function:
                _cut_initializers(parts)
                depth = 1
                continue
        if match["comment"] is None:
            statement = "" if part in ";{}" else statement + part
        parts.append(part)
    return re.sub(r";;", ";", "".join(parts))


def _cut_initializers(kept: list[str]) -> None:
    """End a constructor's declaration before the colon of its initializers."""
    line = "".join(kept)
    begin = max(line.rfind(mark) for mark in (";", "{", "}", "*/"))
    last = line[begin + 1 :]
    colon = re.search(r"\)\s*(?:noexcept)?\s*:(?!:)", last)
    shortened = last[: colon.end() - 1].rstrip() if colon else last.rstrip()
    kept[:] = [line[: begin + 1] + shortened]
