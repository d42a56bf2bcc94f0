# SPDX-License-Identifier: Apache-2.0
"""What a person reads, made from result folders alone."""
