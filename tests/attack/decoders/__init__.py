# SPDX-License-Identifier: Apache-2.0
"""One differential test of all decoders: the same hostile messages, accepted or refused alike."""
