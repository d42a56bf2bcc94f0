# SPDX-License-Identifier: Apache-2.0
"""Why a section takes as long as it does: what each counter and input size costs it.

``numbers`` finds what may explain the time, ``models`` and ``followed`` what the time varies with
and at which price, ``costs`` how much of the median and of the tail that is.
"""

from wirecost.results.analysis.causes.explanation import Cause, Cost, Explanation, Origin, Steady
from wirecost.results.analysis.causes.numbers import FEWEST
from wirecost.results.analysis.causes.sections import explain

__all__ = ["FEWEST", "Cause", "Cost", "Explanation", "Origin", "Steady", "explain"]
