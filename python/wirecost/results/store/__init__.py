# SPDX-License-Identifier: Apache-2.0
"""Stores of what campaigns measured, in a folder or at a URL."""
