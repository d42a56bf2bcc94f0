# SPDX-License-Identifier: Apache-2.0
"""The point-cloud case studies."""
