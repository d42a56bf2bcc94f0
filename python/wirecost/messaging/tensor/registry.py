# SPDX-License-Identifier: Apache-2.0
"""Classes and plugins that a program registers: what a frame may otherwise not bring to life."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from wirecost.system.errors import UserError

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True, slots=True)
class Plugin:
    """Functions by which objects of a class become values and come back."""

    name: str
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


_CLASSES: dict[str, type] = {}
_OWN: set[type] = set()
_PLUGINS: dict[type, Plugin] = {}
_PLUGIN_NAMES: dict[str, Plugin] = {}


def name_of(cls: type) -> str:
    """Return a class's name in frames."""
    return f"{cls.__module__}:{cls.__qualname__}"


def register(cls: Class, *, name: str | None = None) -> Class:
    """Let ``decode`` restore a dataclass, named tuple or enum; usable as a decorator.

    ``name``: what the sender calls it, where that is not ``module:class``. Decoding calls the
    class's constructor. Raises UserError for other classes.
    """
    named_tuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
    if not (dataclasses.is_dataclass(cls) or named_tuple or issubclass(cls, enum.Enum)):
        raise UserError(
            f"{name_of(cls)}: not a dataclass, named tuple or enum; use register_plugin to send it"
        )
    _CLASSES[name or name_of(cls)] = cls
    return cls


def register_own(cls: Class) -> Class:
    """Register a message of wirecost's own, which no program asked for.

    What the program says of received messages does not concern it.
    """
    _OWN.add(cls)
    return register(cls)


def is_own(cls: type) -> bool:
    """Return whether it was registered as one of wirecost's own messages."""
    return cls in _OWN


def register_plugin(
    cls: type, name: str, encode: Callable[[Any], Any], decode: Callable[[Any], Any]
) -> None:
    """Let objects of exactly ``cls`` travel as what ``encode`` makes of them: values and tensors.

    ``name`` stands for the class in frames; ``decode`` gets what ``encode`` gave. It is called with
    what anybody may have sent. Asked last: objects that offer DLPack, Arrow or a buffer travel so.
    """
    plugin = Plugin(name, encode, decode)
    _PLUGINS[cls] = plugin
    _PLUGIN_NAMES[name] = plugin


def registered_class(name: str) -> type | None:
    """Return what was registered under a name in frames."""
    return _CLASSES.get(name)


def plugin_for(cls: type) -> Plugin | None:
    """Return the plugin of exactly this class."""
    return _PLUGINS.get(cls)


def plugin_named(name: str) -> Plugin | None:
    """Return what was registered under a name in frames."""
    return _PLUGIN_NAMES.get(name)
