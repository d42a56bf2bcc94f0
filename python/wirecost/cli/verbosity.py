# SPDX-License-Identifier: Apache-2.0
"""Verbosity of every command beside its result: ``wirecost -q …``, ``wirecost -v …``."""

quiet = False
"""No progress."""
verbose = False
"""Of an error also where it was raised, for reports of faults."""
