# SPDX-License-Identifier: Apache-2.0
"""One file a kind of hook; each holds a ``HOOK``, which ``wirecost.probe.run.hook`` describes."""
