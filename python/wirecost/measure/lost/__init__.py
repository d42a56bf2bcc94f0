# SPDX-License-Identifier: Apache-2.0
"""Messages that a recording lacks: how many, when, and what became of them."""
