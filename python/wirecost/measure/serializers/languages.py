# SPDX-License-Identifier: Apache-2.0
"""The backend of each language."""

from __future__ import annotations

from collections.abc import Callable

from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.cpp.backend import Cpp
from wirecost.measure.serializers.java.backend import Java
from wirecost.measure.serializers.python.backend import Python
from wirecost.measure.serializers.selection import ContenderSelection


def backend_of(
    lang: str,
    about: Subject,
    selection: ContenderSelection,
    say: Callable[[str], None],
    look: Callable[[MessageBackend], None] | None = None,
) -> MessageBackend:
    """Make what a language has for a subject. Raises UserError where it has no compiler.

    ``look`` is called with what is ready while the rest of it is not.
    """
    if lang == "cpp":
        return Cpp(about, selection, say, look)
    others: dict[str, Callable[..., MessageBackend]] = {"python": Python, "java": Java}
    backend = others[lang](about, selection, say)
    if look is not None:
        look(backend)
    return backend
