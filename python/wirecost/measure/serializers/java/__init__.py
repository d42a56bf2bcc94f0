# SPDX-License-Identifier: Apache-2.0
"""The Java contenders of a message."""
