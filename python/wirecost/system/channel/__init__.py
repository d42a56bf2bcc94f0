# SPDX-License-Identifier: Apache-2.0
"""Commands and answers between two processes, as lines of JSON."""
