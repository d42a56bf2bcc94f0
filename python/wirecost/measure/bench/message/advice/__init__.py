# SPDX-License-Identifier: Apache-2.0
"""Changes that would make messages cheaper."""
