# SPDX-License-Identifier: Apache-2.0
"""Libraries that serialize a message type: programs are generated for each, verified and timed."""
