# SPDX-License-Identifier: Apache-2.0
"""Cheats of ``bench tensor``, one a module."""
