# SPDX-License-Identifier: Apache-2.0
"""What ``bench classes`` can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

OBJECTS = (10, 100, 1000, 10_000)
CONTENTS = ("full", "sparse")
