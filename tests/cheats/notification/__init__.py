# SPDX-License-Identifier: Apache-2.0
"""Cheats of ``bench notification``, in C++ and in Python."""
