# SPDX-License-Identifier: Apache-2.0
"""Tables in documents, written from committed rows of runs."""
