# SPDX-License-Identifier: Apache-2.0
"""Lines that reset the other members of a oneof: only the last one that came is there."""

from __future__ import annotations

from wirecost.compile.emit.python import names
from wirecost.compile.emit.python.lines import Lines, reset
from wirecost.compile.emit.python.module import Module
from wirecost.compile.schema import Field, Message

MANY = 32
"""Members beyond which a loop resets them, so that the text grows with their number only."""


def reset_others(lines: Lines, module: Module, message: Message, item: Field) -> None:
    """Nothing for a field that is in no oneof."""
    members = names.oneof_members(message, item.oneof or "")
    if len(members) <= MANY:
        reset(lines, [f"m.{names.attribute(f)}" for f in members if f is not item])
        return
    name = f"_CHOICES_{module.local_class(message.full_name)}_{item.oneof}"
    if not module.has_constant(name):
        listed = ", ".join(f'"{names.attribute(f)}"' for f in members)
        module.constant(name, f"({listed})")
    other = lines.local("other")
    differs = f'if {other} != "{names.attribute(item)}":'
    with lines.block(f"for {other} in {name}:"), lines.block(differs):
        lines.add(f"setattr(m, {other}, None)")
