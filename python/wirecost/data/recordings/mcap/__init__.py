# SPDX-License-Identifier: Apache-2.0
"""MCAP, of recordings, traces, replay and reports alike: one reader and one writer."""
