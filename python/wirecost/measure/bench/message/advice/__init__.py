# SPDX-License-Identifier: Apache-2.0
"""What would make messages cheaper."""
