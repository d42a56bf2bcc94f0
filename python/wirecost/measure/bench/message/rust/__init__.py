# SPDX-License-Identifier: Apache-2.0
"""The Rust contenders of a message."""
