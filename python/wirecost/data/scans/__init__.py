# SPDX-License-Identifier: Apache-2.0
"""Point clouds as sensors' drivers write them."""
