# SPDX-License-Identifier: Apache-2.0
"""Files, locks, processes, errors and words that every other room uses."""
