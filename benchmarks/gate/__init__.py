# SPDX-License-Identifier: Apache-2.0
"""What the gate finds and what it costs, beside what RealtimeSanitizer documents."""
