# SPDX-License-Identifier: Apache-2.0
"""What the messages of a whole system cost: counted, priced, measured."""
