# SPDX-License-Identifier: Apache-2.0
"""MkDocs' events: what the site has besides the pages in ``docs``.

The home page is README.md. Files of the repository that pages link to become pages of their own,
so the site needs nothing outside itself. The reference is generated from the code.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INCLUDED, NOT_IN_NAV = InclusionLevel.INCLUDED, InclusionLevel.NOT_IN_NAV
sys.path.insert(0, str(HERE))

import accessible  # noqa: E402
import indexes  # noqa: E402
import links  # noqa: E402
import markup  # noqa: E402
import navigation  # noqa: E402
import reference_cli  # noqa: E402
import reference_headers  # noqa: E402
import reference_python  # noqa: E402
import version  # noqa: E402


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.site_name = f"wirecost {version.number(ROOT)}"
    config.copyright = version.line(ROOT)
    config.watch += [str(HERE), str(ROOT / "README.md")]
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    for path in sorted((HERE / "assets").iterdir()):
        files.append(File.generated(config, f"assets/{path.name}", abs_src_path=str(path)))
    written = {file.src_uri: file.content_string for file in files.documentation_pages()}
    generated = {"index.md": (ROOT / "README.md").read_text(), **indexes.pages(written)}
    generated |= (
        reference_cli.pages() | reference_python.pages(ROOT) | reference_headers.pages(ROOT)
    )
    generated |= links.pages(ROOT, written | generated)
    for uri, text in generated.items():
        level = NOT_IN_NAV if uri.startswith("source/") else INCLUDED
        files.append(File.generated(config, uri, content=text, inclusion=level))
    config.nav = navigation.complete(config.nav or [], files)
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    text = links.outside_fences(markdown, markup.pipes_in_code)
    return links.within_site(ROOT, text, page.file.src_uri)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    return accessible.mended(output)
