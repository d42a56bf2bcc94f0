# SPDX-License-Identifier: Apache-2.0
"""Any function of a program and its libraries, by ``--function``."""

from __future__ import annotations

import os

from wirecost.probe.function import choice, trampoline
from wirecost.probe.function.listing import PATTERNS, listing
from wirecost.probe.function.objects import objects_of
from wirecost.probe.function.request import checked, is_python
from wirecost.probe.function.target_files import meant
from wirecost.probe.run.hook import Hooked, Request, library
from wirecost.probe.run.target import Target


class FunctionHook:
    name = "function"
    about = "functions that --function names"

    def prepare(self, target: Target, request: Request) -> Hooked:
        checked(request.functions, request.function_limit, request.function_means)
        native = tuple(one for one in request.functions if not is_python(one))
        if not native:
            return Hooked()
        notes = []
        program = meant(target)
        if program is None:
            notes.append(
                f"--function: looked for in each program that {target.command[0]} starts, "
                "by patched entries"
            )
        else:
            found = listing(native, objects_of(program, os.environ))
            choice.matched(native, found, program, request.function_limit)
            count = choice.recordable(found.functions, trampoline.why_not)
            notes.append(f"{count} functions by patched entries{_cost()}:")
            notes += choice.lines(found.functions, trampoline.why_not)
        environment = {
            PATTERNS: "\n".join(native),
            trampoline.LIMIT: str(request.function_limit),
        }
        return Hooked((library(trampoline.LIBRARY),), environment=environment, notes=tuple(notes))


def _cost() -> str:
    cost = trampoline.cost_ns(os.environ)
    return "" if cost is None else f", {cost / 1000:.2f} µs per call (measured now)"


HOOK = FunctionHook()
