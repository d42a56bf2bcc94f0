# SPDX-License-Identifier: Apache-2.0
"""Modules that are patched when they are imported, and names of callbacks.

For the hooks beside this file; Python 3.8 and its standard library alone.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any, Callable  # noqa: UP035 - Python 3.8


class Patching(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder of the modules of ``patches``, which patches each once it is imported.

    If a patch does not find an attribute, ``failed`` is called with the module's name.
    """

    def __init__(
        self,
        patches: dict[str, Callable[[Any], None]],
        failed: Callable[[str, AttributeError], None],
    ) -> None:
        self._patches, self._failed = patches, failed
        self._loaders: dict[str, Any] = {}

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name not in self._patches:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        self._loaders[name], spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: Any) -> Any:
        return self._loaders[spec.name].create_module(spec)

    def exec_module(self, module: Any) -> None:
        name = module.__name__
        self._loaders[name].exec_module(module)
        try:
            self._patches[name](module)
        except AttributeError as error:
            self._failed(name, error)


def plain(callback: Any) -> Any:
    """Return the function that ``functools.partial`` was given."""
    while issubclass(type(callback), partial):  # isinstance would ask the user's object
        callback = callback.func
    return callback


def name_of(callback: Any) -> str:
    """Return a function's name in the source: ``module.Class.method``; a lambda's file and line."""
    callback = plain(callback)
    code = _attribute(callback, "__code__")
    if type(code) is CodeType and code.co_name == "<lambda>":
        return f"lambda {Path(code.co_filename).name}:{code.co_firstlineno}"
    module, name = (_text(callback, attribute) for attribute in ("__module__", "__qualname__"))
    return f"{_imported_as(module)}.{name}"


def _attribute(callback: Any, name: str) -> Any:
    """Return an attribute, None where it has none, whatever a user's object does when asked."""
    try:
        return getattr(callback, name, None)
    except Exception:  # the program must go on
        return None


def _text(callback: Any, name: str) -> str:
    """Return an attribute that is text, of the callback or else of its type."""
    texts = (_attribute(owner, name) for owner in (callback, type(callback)))
    return next((text for text in texts if type(text) is str and text), "?")


def _imported_as(module: str) -> str:
    """Return what the program would be imported as."""
    main = sys.modules.get("__main__")
    if module != "__main__" or main is None:
        return module
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        return str(spec.name)
    return Path(getattr(main, "__file__", None) or module).stem
