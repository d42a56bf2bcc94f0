# SPDX-License-Identifier: Apache-2.0
"""``bench static``: a GroundTruth sent whole, by what changed, or with its static data once."""
