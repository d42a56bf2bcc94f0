# SPDX-License-Identifier: Apache-2.0
"""Programs as they are, started so that probes are in them: ``wirecost probe run``."""
