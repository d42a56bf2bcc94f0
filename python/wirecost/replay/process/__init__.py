# SPDX-License-Identifier: Apache-2.0
"""The node's process: started under a supervisor, and what the kernel reports of it."""
