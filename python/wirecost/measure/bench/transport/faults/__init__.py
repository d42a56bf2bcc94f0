# SPDX-License-Identifier: Apache-2.0
"""What a transport survives: something is killed, restarted, late, slow or too much.

Each fault is a module of this package with a ``FAULT``; ``registry`` finds them.
"""
