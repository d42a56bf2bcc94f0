# SPDX-License-Identifier: Apache-2.0
"""Campaigns that lose workers and schedulers."""
