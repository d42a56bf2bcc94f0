# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders: programs that are generated and compiled for a message, and kept."""
