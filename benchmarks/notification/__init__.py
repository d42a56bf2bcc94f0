# SPDX-License-Identifier: Apache-2.0
"""The notification's messages, and codecs that somebody writes who knows them."""
