# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study, which are those of ``bench tensor``."""

from __future__ import annotations

from wirecost.results.records.schemas import tensor

SCENARIO, NAME = tensor.SCENARIO, "tensor"
