# SPDX-License-Identifier: Apache-2.0
"""Command lines of ``wirecost`` that pages name: in indented blocks, in fences, in sentences."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from documents.runs import ROOT

LINE = re.compile(
    r"(?:^(?: {4}|\$ |- run: )? *(?:(?:[A-Z_]+=\S+|sudo) )*|&& )"
    r"(?P<words>wirecost (?:[^\n]*\\\n)*[^\n]*)",
    re.MULTILINE,
)
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
RESULTS = re.compile(r"<!-- results/[^\n]*-->\n```\n.*?```", re.DOTALL)
HEADING = re.compile(r"^#+ .*\n", re.MULTILINE)
INDENTED = re.compile(r"(?:^ {4}[^\n]*\n)+", re.MULTILINE)
BLOCK = re.compile(f"{FENCE.pattern}|{INDENTED.pattern}", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`(wirecost [^`]+)`")
NOT_SHELL = ("cmake", "cpp", "java", "proto", "python", "text", "toml")
ELSEWHERE = re.compile(
    r"(?:^|\s|\$PWD/)(?:make|(?:benchmarks|build/cmake|examples|schemas|setup|tests|\.venv)(?:/\S+)?)(?:\s|$)",
    re.MULTILINE,
)
"""A command or a path that only a checkout has."""
CHECKOUT = re.compile(r"\b(?:[Ii]n|[Ff]rom) (?:a|the) checkout\b")


@dataclass(frozen=True)
class Named:
    """A command line that a page names."""

    page: Path
    line: str
    is_mention: bool = False
    """Whether it stands in a sentence, where arguments that do not matter are left out."""

    @property
    def words(self) -> list[str]:
        """Return the arguments behind ``wirecost``, up to where the shell goes on."""
        line, _, _ = self.line.replace("\\\n", " ").partition(" # ")
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        return _until_shell(list(lexer))[1:]

    @property
    def needs_checkout(self) -> bool:
        return bool(ELSEWHERE.search(self.line))

    def __str__(self) -> str:
        return f"{self.page.name}: {self.line}"


def _until_shell(words: list[str]) -> list[str]:
    """Return the words before an operator of the shell."""
    for place, word in enumerate(words):
        if word in {"|", "&", "&&", ";", ">", "2>", "||"}:
            return words[:place]
    return words


def pages() -> list[Path]:
    """Return every page that tells users what to type; decisions tell what was."""
    docs = (path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "decisions")
    others = (path for name in ("examples", "benchmarks") for path in (ROOT / name).rglob("*.md"))
    return sorted([*ROOT.glob("*.md"), *docs, *others])


def named(page: Path) -> Iterator[Named]:
    """Yield the command lines of a page."""
    text = RESULTS.sub("", page.read_text())
    for fence in FENCE.finditer(text):
        if fence["language"] not in NOT_SHELL:
            for match in LINE.finditer(fence["text"]):
                # In a console all else is what commands print.
                if fence["language"] != "console" or match[0].startswith("$ "):
                    yield Named(page, match["words"])
    prose = FENCE.sub("", text)
    for indented in INDENTED.finditer(prose):
        yield from (Named(page, match["words"]) for match in LINE.finditer(indented[0]))
    sentences = INDENTED.sub("", prose)
    yield from (Named(page, span[1], is_mention=True) for span in SPAN.finditer(sentences))


def without_checkout(text: str) -> Iterator[str]:
    """Yield lines of a page that need a checkout and do not say so.

    Such a line, another one of its block, the paragraph or the heading before it says "in a
    checkout"."""
    text = re.sub(r"^<!--.*?-->\n", "", RESULTS.sub("", text), flags=re.MULTILINE)
    for block in BLOCK.finditer(text):
        heading = "".join(HEADING.findall(text[: block.start()])[-1:])
        before = heading + text[: block.start()].rstrip("\n").rpartition("\n\n")[2]
        commands = block["text"] or block[0]
        if block["language"] == "console":
            commands = "\n".join(re.findall(r"^\$ .*", commands, re.MULTILINE))
        if block["language"] not in NOT_SHELL and not CHECKOUT.search(before + block[0]):
            yield from (line for line in commands.splitlines() if ELSEWHERE.search(line))
