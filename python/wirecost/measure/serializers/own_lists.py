# SPDX-License-Identifier: Apache-2.0
"""Lists in columns where programs hold them in arrays, as those in Python and Java do."""

from __future__ import annotations

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.choices import COLUMNS
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.schema.compile.plan.columns import plan
from wirecost.schema.compile.schema import CompileError, Label


def own_lists(
    about: Subject, selection: ContenderSelection, depth: int = 0
) -> tuple[list[tuple[str, str]], str]:
    """Return paths and types of the lists that take part, or why none does.

    ``depth``: most messages around a list, of which the outermost is the message itself's field.
    """
    if not selection.takes(COLUMNS) or not selection.lists:
        return [], ""
    own = [(path, type_) for path, type_ in selection.lists if _is_own(about, path, depth)]
    if not own:
        paths = ", ".join(path for path, _ in selection.lists)
        where = f"in at most {depth} messages" if depth else "that are fields of the message itself"
        return [], f"{paths}: from arrays only lists {where}"
    try:
        plan(about.schema, [type_ for _, type_ in own])
    except CompileError as error:
        return [], str(error)
    return own, ""


def _is_own(about: Subject, path: str, depth: int) -> bool:
    *around, last = fields_along(about.schema, about.type, path)
    return last.label is Label.REPEATED and len(around) <= depth
