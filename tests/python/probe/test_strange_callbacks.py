# SPDX-License-Identifier: Apache-2.0
"""Callbacks of kinds that few programs have: they are called, whatever can be recorded of them."""

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest

import wirecost.observe.probe.run

FOLDER = Path(wirecost.observe.probe.run.__file__).with_name("python")


class Called:
    def __call__(self, message: object) -> object:
        return message


class Raising(Called):
    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


class Everything(Called):
    def __getattr__(self, name: str) -> object:
        return Everything()


class Numbered(Called):
    def __init__(self) -> None:
        self.__qualname__: Any = 5


class Surrogate(Called):
    pass


Surrogate.__qualname__ = "a\udc80b"


class Itself(Called):
    @property
    def func(self) -> object:
        return self


class Classless(Called):
    @property
    def __class__(self) -> type:  # type: ignore[override]
        raise RuntimeError("no class")


class Guarded(type):
    def __getattribute__(cls, name: str) -> object:
        if name in ("__qualname__", "__module__"):
            raise RuntimeError(name)
        return super().__getattribute__(name)


class Nameless(Called, metaclass=Guarded):
    pass


class Library:
    """Stands for the one that is called by ctypes."""

    def __init__(self) -> None:
        self.names: list[bytes] = []

    def section(self, name: bytes) -> int:
        self.names.append(name)
        return len(self.names)

    def begin(self, section: int, _waiting: int) -> None:
        assert section

    def end(self, section: int) -> None:
        assert section

    start = finish = begin


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.delenv("WIRECOST_PROBE", raising=False)
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("rclpy_callbacks")


def nested() -> Callable[[object], object]:
    callback: Callable[[object], object] = Called()
    for _ in range(100):
        callback = functools.partial(callback)
    return callback


@pytest.mark.parametrize(
    ("callback", "name"),
    [
        (Raising(), None),
        (Classless(), None),
        (Nameless(), "?"),
        (Everything(), "Everything"),
        (Numbered(), "Numbered"),
        (Surrogate(), r"a\udc80b"),
        (Itself(), "Itself"),
        (nested(), "Called"),
        (Mock(side_effect=Called()), "Mock"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_strange_callback_is_called(
    hook: ModuleType, callback: object, name: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    library = Library()
    recorder = hook.Recorder(library)
    for wrapped in (
        recorder.recorded(callback, lambda: "/node /topic"),
        recorder.recorded_task(callback, ()),
    ):
        assert wrapped("message") == "message"
    lines = capsys.readouterr().err.splitlines()
    if name is None:
        left_out = f"{type(callback).__name__}, is not recorded: RuntimeError"
        assert [line.rpartition(".")[2] for line in lines] == [left_out] * 2
    else:
        assert lines == []
        assert [text.rpartition(b".")[2].decode() for text in library.names] == [name] * 2


def test_a_callback_whose_node_is_destroyed_is_called(hook: ModuleType) -> None:
    def place() -> str:
        raise RuntimeError("destroyed")

    library = Library()
    wrapped = hook.Recorder(library).recorded(Called(), place, place)
    assert wrapped("message") == "message"
    assert [name.split(b" ")[0] for name in library.names] == [b"?"]
