# SPDX-License-Identifier: Apache-2.0
"""One file a remedy; each holds a ``REMEDY``, which ``wirecost.observe.trial.remedy`` describes."""
