# SPDX-License-Identifier: Apache-2.0
"""How long a person waits for the answers of commands, beside other tools for the same work."""
