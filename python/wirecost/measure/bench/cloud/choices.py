# SPDX-License-Identifier: Apache-2.0
"""Values of ``bench cloud``'s options. Imports little: the command line lists it."""

from __future__ import annotations

STUDIES = ("ring", "area")
FORMATS = ("aedt", "radrt")
