# SPDX-License-Identifier: Apache-2.0
"""Values of ``bench osi``'s options. Imports little: the command line lists it."""

from __future__ import annotations

VARIANTS = ("same-work", "published")
BOTH = "both"
READS = ("sampled", "all")
"""Reflections that the sensor reads: every 18th, as the report's did, or all of them."""
PAGES = ("huge", "small")
"""Memory pages: huge where a contender asks the kernel for them, as the columns' buffers do; or
small for all contenders, whatever they ask for."""
CONTENTS = ("varied", "distinct", "report")
"""Reflections: 256 different ones, no two alike in a message, all alike as the report's."""
BUILDS = ("release", "debug")
