# SPDX-License-Identifier: Apache-2.0
"""ROS 1's parameters: values by full names, namespaces as dictionaries."""

from __future__ import annotations

from typing import Any


class ParameterTree:
    def __init__(self) -> None:
        self._root: dict[str, object] = {}

    def set(self, name: str, value: Any) -> None:
        *above, last = _parts(name) or [""]
        if not last:
            self._root = dict(value) if isinstance(value, dict) else {}
            return
        here = self._root
        for part in above:
            below = here.get(part)
            if not isinstance(below, dict):
                below = here[part] = {}
            here = below
        here[last] = value

    def get(self, name: str) -> Any:
        """Raise KeyError where there is none."""
        here: Any = self._root
        for part in _parts(name):
            if not isinstance(here, dict):
                raise KeyError(name)
            here = here[part]
        return here

    def has(self, name: str) -> bool:
        try:
            self.get(name)
        except KeyError:
            return False
        return True

    def delete(self, name: str) -> None:
        """Raise KeyError where there is none."""
        *above, last = _parts(name)
        del self.get("/".join(above))[last]

    def search(self, namespace: str, key: str) -> str | None:
        """Return the nearest name at or above ``namespace`` whose first part is the key's."""
        if key.startswith("/"):
            return key if self.has(key) else None
        first = _parts(key)[:1]
        above = _parts(namespace)
        for depth in range(len(above), -1, -1):
            here = above[:depth]
            if first and self.has("/".join([*here, *first])):
                return "/" + "/".join([*here, *_parts(key)])
        return None

    def names(self) -> list[str]:
        return sorted(_leaves(self._root, ""))


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part]


def _leaves(value: Any, name: str) -> list[str]:
    if not isinstance(value, dict):
        return [name]
    return [leaf for key, below in value.items() for leaf in _leaves(below, f"{name}/{key}")]
