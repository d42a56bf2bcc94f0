# SPDX-License-Identifier: Apache-2.0
"""What the theme leaves out for people who use a keyboard or have a page read aloud."""

from __future__ import annotations

import re


def mended(page: str) -> str:
    """A page of HTML: the search has a name, and keys scroll blocks of code."""
    page = page.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)
    return re.sub(r"(<pre\b[^>]*>(?:<span></span>)?<code)(?=[ >])", r'\1 tabindex="0"', page)
