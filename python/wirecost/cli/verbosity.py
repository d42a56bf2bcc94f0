# SPDX-License-Identifier: Apache-2.0
"""Verbosity of every command beside its result: ``wirecost -q …``, ``wirecost -v …``."""

quiet = False
"""Progress is not shown."""
verbose = False
"""Tracebacks of errors are printed, for reports of faults."""
