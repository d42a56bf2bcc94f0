# SPDX-License-Identifier: Apache-2.0
"""What ``bench cloud`` can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

STUDIES = ("ring", "area")
FORMATS = ("aedt", "radrt")
