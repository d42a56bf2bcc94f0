# SPDX-License-Identifier: Apache-2.0
"""Any function of a program and its libraries, by ``--function``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirecost.observe.probe.function import choice, trampoline, uprobes
from wirecost.observe.probe.function.listing import PATTERNS, Function, listing
from wirecost.observe.probe.function.means import Taken, all_means, price, take
from wirecost.observe.probe.function.request import checked
from wirecost.observe.probe.function.target_files import meant, objects_of, refusal
from wirecost.observe.probe.run.hook import PYTHON_FOLDER, Hooked, Request, library
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError
from wirecost.system.function_names import is_python

PYTHON_PATTERNS = "WIRECOST_PYTHON_FUNCTIONS"


class FunctionHook:
    name = "function"
    about = "functions that --function or a budget names"

    def prepare(self, target: Target, request: Request) -> Hooked:
        checked(request.functions, request.function_limit, request.function_means)
        native = tuple(pattern for pattern in request.functions if not is_python(pattern))
        hooked = self._native(target, native, request) if native else Hooked()
        python = tuple(pattern for pattern in request.functions if is_python(pattern))
        return _with_python(hooked, python, request) if python else hooked

    def prepare_outside(self, target: Target, request: Request) -> Hooked:
        return self.prepare(target, request)

    def _native(self, target: Target, patterns: Sequence[str], request: Request) -> Hooked:
        environment = {
            PATTERNS: "\n".join(patterns),
            trampoline.LIMIT: str(request.function_limit),
            trampoline.BY_OBJECT: "\n".join(request.by_object),
        }
        program = meant(target)
        if program is None:
            line = f"functions are looked for in each program that {target.command[0]} starts"
            return _looked_for(environment, request, target, (line,))
        why = refusal(target, program)
        objects = objects_of(program, os.environ)
        listed = listing(patterns, objects)
        waits = choice.matched(
            patterns,
            listed,
            program,
            request.function_limit,
            each=request.each_function,
            later=why is None,
        )
        if not listed.functions:
            return _looked_for(environment, request, target, waits)
        selected = take(request.function_means, all_means(why, listed.objects), listed.functions)
        notes = (*selected.notes, *_shown(selected, listed.functions), *waits)
        if selected.means.name == "uprobes":
            return Hooked(
                environment=environment,
                notes=notes,
                before=uprobes.before([path.absolute() for path in objects]),
            )
        environment[trampoline.MEANS] = selected.means.name
        return Hooked((library(trampoline.LIBRARY),), environment=environment, notes=notes)


def _looked_for(
    environment: Mapping[str, str], request: Request, target: Target, notes: Sequence[str]
) -> Hooked:
    """Search what runs and what it opens; nothing is known of it before."""
    if request.function_means not in ("auto", "trampoline"):
        raise UserError(
            f"--function-means {request.function_means}: {target.command[0]} has no function that "
            "matches yet; give the program that has the functions"
        )
    return Hooked((library(trampoline.LIBRARY),), environment=environment, notes=tuple(notes))


def _with_python(hooked: Hooked, patterns: Sequence[str], request: Request) -> Hooked:
    return replace(
        hooked,
        python=(PYTHON_FOLDER / "functions.py",),
        environment={
            **hooked.environment,
            PYTHON_PATTERNS: "\n".join(patterns),
            trampoline.LIMIT: str(request.function_limit),
        },
    )


def _shown(selected: Taken, functions: Sequence[Function]) -> list[str]:
    count = choice.recordable(functions, selected.means.why_not)
    cost = (
        "" if selected.cost_ns is None else f", {price(selected.cost_ns)} per call (measured now)"
    )
    plural = "" if count == 1 else "s"
    return [
        f"{count} function{plural} recorded {selected.means.about}{cost}:",
        *choice.lines(functions, selected.means.why_not),
    ]


HOOK = FunctionHook()
