# SPDX-License-Identifier: Apache-2.0
"""Many traces at once: by path, in several processes, resumable."""
