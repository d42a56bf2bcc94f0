# SPDX-License-Identifier: Apache-2.0
"""``bench probe``: what a section of a program costs that is timed and counted, scheme by scheme.

Every contender has a process of its own, since a process records one set of counters; they are
measured in turns.
"""
