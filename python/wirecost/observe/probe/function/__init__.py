# SPDX-License-Identifier: Apache-2.0
"""Calls of any function as sections: which functions a pattern means, and by what means."""
