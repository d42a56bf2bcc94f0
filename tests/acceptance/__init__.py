# SPDX-License-Identifier: Apache-2.0
"""What this project asks of its own code, and whether a measured run meets it."""
