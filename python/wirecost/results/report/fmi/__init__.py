# SPDX-License-Identifier: Apache-2.0
"""Variables of FMI and what carries messages between FMUs."""
