# SPDX-License-Identifier: Apache-2.0
"""Pure functions from samples to statements."""
