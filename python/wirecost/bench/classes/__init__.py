# SPDX-License-Identifier: Apache-2.0
"""``bench classes``: OSI's GroundTruth in protoc's C++ classes and in ours with their interface."""
