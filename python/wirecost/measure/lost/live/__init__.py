# SPDX-License-Identifier: Apache-2.0
"""Messages that die in a running graph: where, between which publisher and which subscriber."""
