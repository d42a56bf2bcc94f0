# SPDX-License-Identifier: Apache-2.0
"""Result folders of the sorting race."""

from __future__ import annotations

from wirecost.results.records.schemas.common import Scenario

SCENARIO = Scenario(title="Sorting numbers", baseline=("python", ""))
