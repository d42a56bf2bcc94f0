# SPDX-License-Identifier: Apache-2.0
"""The Python contenders, in a process of their own."""
