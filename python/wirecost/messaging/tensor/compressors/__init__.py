# SPDX-License-Identifier: Apache-2.0
"""One file a compression, under its name in frames; each imports its library where it needs it.

``compress`` makes bytes of an array, ``check`` refuses bytes that cannot be a tensor of some form
before there is memory for it, ``expand`` makes that tensor's bytes of them;
``wirecost.tensor.compression.Compressor`` has the details.
"""

from pathlib import Path

from wirecost.system.plugins import plugin_names

NAMES = tuple(plugin_names(Path(__file__).parent, "OPTION"))
"""Names for frames and ``compress``."""
REMEDY = 'let the sender compress with another library, or decode with as_="compressed"'
"""Remedy for receivers without the library."""
