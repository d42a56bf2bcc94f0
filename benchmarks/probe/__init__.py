# SPDX-License-Identifier: Apache-2.0
"""Schemes that time and count a section of a program."""
