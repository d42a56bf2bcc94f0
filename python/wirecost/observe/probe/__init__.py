# SPDX-License-Identifier: Apache-2.0
"""Times and performance counters of sections of a Python program.

Recording starts where the environment variable ``WIRECOST_PROBE`` names a folder (docs/probe.md);
``wirecost probe show`` prints what was recorded.
"""

from wirecost.observe.probe.sections import Section, enabled, prepare_thread

__all__ = ["Section", "enabled", "prepare_thread"]
