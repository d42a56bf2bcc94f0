# SPDX-License-Identifier: Apache-2.0
"""Parts that the theme leaves out for people who use a keyboard or have a page read aloud."""

from __future__ import annotations

import re


def mended(page: str) -> str:
    """Return a page of HTML whose search has a name and whose code blocks scroll by keys."""
    page = page.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)
    return re.sub(r"(<pre\b[^>]*>(?:<span></span>)?<code)(?=[ >])", r'\1 tabindex="0"', page)
