# SPDX-License-Identifier: Apache-2.0
"""How much every command says beside its result: ``wirecost -q …``, ``wirecost -v …``."""

quiet = False
"""No progress."""
verbose = False
"""Of an error also where it was raised, for reports of faults."""
