# SPDX-License-Identifier: Apache-2.0
"""Text that a schema's author wrote where anything may stand."""

from __future__ import annotations

from typing import NoReturn


class FreeText(str):
    """A comment, or a text that is a value. Nothing prints it as it is.

    In generated text it is a comment or a literal, made by a function of ``emit.escape``. Printing,
    formatting or joining it raises TypeError, in templates as well, so that none can forget that.
    """

    __slots__ = ()

    def __str__(self) -> NoReturn:
        raise TypeError("text of a schema is printed by the functions of emit.escape only")

    def __format__(self, _: str) -> NoReturn:
        self.__str__()

    def __add__(self, _: object) -> NoReturn:
        self.__str__()

    def __radd__(self, _: object) -> NoReturn:
        self.__str__()

    def __mod__(self, _: object) -> NoReturn:
        self.__str__()
