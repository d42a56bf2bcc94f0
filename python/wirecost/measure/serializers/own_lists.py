# SPDX-License-Identifier: Apache-2.0
"""Lists in columns where programs hold them in arrays, as those in Python and Java do."""

from __future__ import annotations

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.choices import COLUMNS
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.schema.compile.plan.columns import plan
from wirecost.schema.compile.schema import CompileError, Label


def own_lists(about: Subject, selection: ContenderSelection) -> tuple[list[tuple[str, str]], str]:
    """Return paths and types of the lists that take part, or why none does.

    They are fields of the message itself.
    """
    if not selection.takes(COLUMNS) or not selection.lists:
        return [], ""
    own = [(path, type_) for path, type_ in selection.lists if _is_own(about, path)]
    if not own:
        paths = ", ".join(path for path, _ in selection.lists)
        return [], f"{paths}: from arrays only lists that are fields of the message itself"
    try:
        plan(about.schema, [type_ for _, type_ in own])
    except CompileError as error:
        return [], str(error)
    return own, ""


def _is_own(about: Subject, path: str) -> bool:
    along = fields_along(about.schema, about.type, path)
    return len(along) == 1 and along[0].label is Label.REPEATED
