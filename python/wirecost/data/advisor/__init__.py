# SPDX-License-Identifier: Apache-2.0
"""Advice on how to store lists in columns, measured on a user's own data."""
