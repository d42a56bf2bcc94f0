# SPDX-License-Identifier: Apache-2.0
"""``bench notification``: a small message over several wires, in C++, Python and Java."""
