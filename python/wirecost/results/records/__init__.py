# SPDX-License-Identifier: Apache-2.0
"""Logs and result folders, read into tables; the only place where formats are known."""
