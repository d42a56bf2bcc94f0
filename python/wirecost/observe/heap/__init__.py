# SPDX-License-Identifier: Apache-2.0
"""The preloaded allocator from Python: how to start a program with it, what it reports."""
