# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON of messages, as Protobuf maps them to it.

Each class has a table of its fields, ``_json``, which the modules beside this one walk; they are
imported when the first message is written or read.
"""

from __future__ import annotations

from typing import ClassVar, Self

from .._wirecost import Buffer


class JsonMessage:
    """What generated classes inherit."""

    __slots__ = ()
    _json: ClassVar[tuple[object, ...]] = ()

    def to_json(
        self, *, proto_names: bool = False, defaults: bool = False, indent: int | None = None
    ) -> str:
        """Return the message as JSON. Raises WireError.

        ``proto_names``: fields have the names of the schema, not their lowerCamelCase.
        ``defaults``: fields that cannot be absent are written even if they are zero or empty.
        ``indent``: spaces of each level; None: all on one line.
        """
        from .write import write  # noqa: PLC0415 - few programs need it

        return write(self, proto_names, defaults, indent)

    @classmethod
    def from_json(cls, text: str | Buffer, *, ignore_unknown: bool = False) -> Self:
        """Return the message of this text, or of its bytes in UTF-8.

        Raises WireError: its ``position`` is where the text is not JSON; None where its content
        does not fit the message, and then the reason names the field.

        ``ignore_unknown``: skip fields and values of enums that the schema does not know.
        """
        from .read import read  # noqa: PLC0415

        return read(cls, text, ignore_unknown)


def describe(cls: type, table: tuple[object, ...]) -> None:
    """Give the interface to a class of an extension, which inherits nothing."""
    cls._json = table  # type: ignore[attr-defined]
    cls.to_json = JsonMessage.to_json  # type: ignore[attr-defined]
    cls.from_json = classmethod(JsonMessage.from_json.__func__)  # type: ignore[attr-defined]
