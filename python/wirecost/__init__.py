# SPDX-License-Identifier: Apache-2.0
"""What a message costs from one component to the next, and how to make it cheap."""
