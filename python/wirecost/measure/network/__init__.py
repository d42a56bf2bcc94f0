# SPDX-License-Identifier: Apache-2.0
"""Hosts with a bad network between them, on one machine.

They are network namespaces without names, which end with the process that made them.
"""
