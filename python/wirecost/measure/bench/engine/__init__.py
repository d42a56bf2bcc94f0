# SPDX-License-Identifier: Apache-2.0
"""Parts of every race, each once: processes that answer, turns, times, metadata.

Workers import ``serving`` and ``timing`` where little else is installed.
"""
