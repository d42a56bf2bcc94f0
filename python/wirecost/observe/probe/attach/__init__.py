# SPDX-License-Identifier: Apache-2.0
"""A program that runs already: what the kernel counts of its threads, read from outside."""
