# SPDX-License-Identifier: Apache-2.0
"""OSI's GroundTruth in protoc's C++ classes and in ours with the same interface."""
