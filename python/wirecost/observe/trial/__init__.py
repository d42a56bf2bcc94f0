# SPDX-License-Identifier: Apache-2.0
"""Remedies tried: a program run again with each of them, in turns with the program as it is."""
