# SPDX-License-Identifier: Apache-2.0
"""protoc's C++ classes and ours with their interface."""
