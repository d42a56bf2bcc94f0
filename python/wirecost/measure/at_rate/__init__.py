# SPDX-License-Identifier: Apache-2.0
"""Processor time of carrying messages at a rate over a transport."""
