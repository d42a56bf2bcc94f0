# SPDX-License-Identifier: Apache-2.0
"""Parts of the site made of headers, docstrings, commands and links."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from documents.runs import ROOT

sys.path.insert(0, str(ROOT / "setup" / "site"))

import links
import markup
import navigation
import reference_cli
import reference_headers
import reference_python

HEADER = """// SPDX-License-Identifier: Apache-2.0
// A box.
#pragma once
#include <span>
namespace wirecost::box {

// Holds one number.
class Box {
  public:
    explicit Box(int value) noexcept : value_(value) { check(); }
    // The number; 0 is "{" to nobody.
    int value() const {
        if (value_ > 0) { return value_; }
        return 0;
    }
  private:
    int value_;
};

enum class Kind { small, large };

}  // namespace wirecost::box
"""
OUTLINE = """// Holds one number.
class Box {
  public:
    explicit Box(int value) noexcept;
    // The number; 0 is "{" to nobody.
    int value() const;
};

enum class Kind { small, large };"""


def test_a_header_is_shown_without_bodies_and_what_is_private() -> None:
    assert reference_headers.split(HEADER) == ("A box.", OUTLINE)


@pytest.mark.parametrize("library", reference_headers.LIBRARIES)
def test_every_header_has_an_outline_of_whole_brackets(library: str) -> None:
    page = reference_headers.pages(ROOT)[f"reference/{library}.md"]
    for block in page.split("```cpp\n")[1:]:
        code = block.partition("\n```")[0]
        assert code.strip()
        assert [code.count(one) for one in "{(["] == [code.count(one) for one in "})]"], code


def test_commands_have_their_options_and_help_is_no_markdown() -> None:
    page = reference_cli.pages()["reference/commands/bench.md"]
    assert "\n## `wirecost bench osi`\n" in page
    assert "\n* `--out DIR`: " in page
    assert r"results/\<time\>-\<scenario\>" in page


def test_every_public_name_of_python_has_a_text() -> None:
    for uri, page in reference_python.pages(ROOT).items():
        if uri.endswith("/index.md"):
            continue
        for part in page.split("\n## ")[1:]:
            name = part.partition("\n")[0]
            described = part.partition("```\n")[2].strip()
            assert described, f"{uri}: {name} has no docstring"


@pytest.mark.parametrize(
    ("uri", "link", "there"),
    [
        ("index.md", "docs/probe.md#look", "probe.md#look"),
        ("index.md", "docs/decisions", "decisions/index.md"),
        ("index.md", "CONTRIBUTING.md", "source/CONTRIBUTING.md.md"),
        ("probe.md", "results/probe.md", "results/probe.md"),
        ("probe.md", "../tests/cheats", "source/tests/cheats/index.md"),
        ("results/osi.md", "../../setup/install", "../source/setup/install.md"),
        ("source/SECURITY.md.md", "docs/replay.md#limits", "../replay.md#limits"),
        ("probe.md", "nothing.md", "nothing.md"),
        ("probe.md", "https://example.org/a", "https://example.org/a"),
    ],
)
def test_links_hold_in_the_site(uri: str, link: str, there: str) -> None:
    assert links.within_site(ROOT, f"[x]({link})", uri) == f"[x]({there})"


def test_links_in_code_stay() -> None:
    text = "```\n[x](docs/probe.md)\n```\n"
    assert links.within_site(ROOT, text, "index.md") == text


def test_linked_files_and_what_they_link_to_become_pages(tmp_path: Path) -> None:
    for name, text in {"docs/a.md": "", "GUIDE.md": "[code](x.py)", "x.py": "a = 1\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = links.pages(tmp_path, {"a.md": "[guide](../GUIDE.md) [nothing](../no.md)"})
    assert sorted(found) == ["source/GUIDE.md.md", "source/x.py.md"]
    assert "~~~~python\na = 1\n~~~~" in found["source/x.py.md"]


def test_pipes_in_code_need_no_backslash() -> None:
    assert markup.pipes_in_code(r"| `a\|b` | c \| d |") == r"| `a|b` | c \| d |"


def test_a_folder_in_the_menu_stands_for_its_pages() -> None:
    texts = {
        "a.md": "# A",
        "b.md": "# B",
        "f/index.md": "# F",
        "f/z.md": "# `Z`",
        "f/g/y.md": "# Y",
    }
    pages = [SimpleNamespace(src_uri=uri, content_string=text) for uri, text in texts.items()]
    files = SimpleNamespace(documentation_pages=lambda: pages)
    nav = [{"Home": "a.md"}, {"F": ["f/"]}, {"Rest": ["*.md"]}, {"None": ["none/"]}]
    assert navigation.complete(nav, files) == [  # type: ignore[arg-type]
        {"Home": "a.md"},
        {"F": ["f/index.md", {"Z": "f/z.md"}, {"G": [{"Y": "f/g/y.md"}]}]},
        {"Rest": [{"B": "b.md"}]},
    ]
