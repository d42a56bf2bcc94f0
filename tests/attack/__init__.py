# SPDX-License-Identifier: Apache-2.0
"""Hostile input for all that reads: seconds of it among the tests, hours by ``make attack``."""
