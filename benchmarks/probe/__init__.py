# SPDX-License-Identifier: Apache-2.0
"""``bench probe``: cost of timing and counting a section of a program, scheme by scheme.

Every contender has a process of its own, since a process records one set of counters; they are
measured in turns.
"""
