# SPDX-License-Identifier: Apache-2.0
"""Objects from one process to another: frames, middlewares, publish and subscribe."""
