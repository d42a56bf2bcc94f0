# SPDX-License-Identifier: Apache-2.0
"""Writes Vega, Vega-Lite and their embedder as one script: what draws the figures of a page.

    python cmake/vega.py FILE

A page carries it, so that an installation needs no library that draws. It ends no script element.
"""

from __future__ import annotations

import sys
from pathlib import Path

import vl_convert

NOTICE = "/* Vega, Vega-Lite, Vega-Embed: University of Washington, BSD-3-Clause */\n"

script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
ending_no_element = script.replace("</script", "<\\/script")
Path(sys.argv[1]).write_text(NOTICE + ending_no_element, encoding="utf-8")
