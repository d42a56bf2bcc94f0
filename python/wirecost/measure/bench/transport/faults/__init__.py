# SPDX-License-Identifier: Apache-2.0
"""Faults of a transport's ends and servers: killed, restarted, late, slow or too much.

Each fault is a module of this package with a ``FAULT``; ``registry`` finds them.
"""
