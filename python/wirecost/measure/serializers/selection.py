# SPDX-License-Identifier: Apache-2.0
"""Wishes of a race to the languages: contenders, and how their programs are made and run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp.source import ProgramSource

OPTIMIZED = ("-std=c++20", "-O3", "-DNDEBUG")
"""Flags of the C++ compiler in presets."""
MOST_MESSAGES = 40
"""Most messages of a schema for which everything is compiled that nobody asked for."""


def is_large(subject: Subject) -> bool:
    return len(list(subject.schema.messages())) > MOST_MESSAGES


def left_out(library: str) -> str:
    """Return why a library that nobody asked for is not compiled, and how to get it."""
    return (
        f"left out of schemas of more than {MOST_MESSAGES} messages, which compile for long; "
        f"{asking_for(library)}"
    )


def asking_for(library: str) -> str:
    """Return the option by which a library is measured however long it compiles."""
    return f"--library protobuf,{library}"


@dataclass(frozen=True)
class CodecFile:
    """A codec in a file.

    ``wire``: the one that it writes, empty for one of its own; ``is_kept``: whether the file
    includes nothing that may change, so that its program can be kept.
    """

    path: Path
    wire: str = ""
    is_kept: bool = False

    @property
    def name(self) -> str:
        return self.path.stem


@dataclass(frozen=True)
class Generated:
    """A C++ program that a preset generates into a folder, and its contenders."""

    library: str
    generate: Callable[[Subject, Path], ProgramSource]
    contenders: tuple[Contender, ...]


@dataclass(frozen=True)
class ContenderSelection:
    """Wishes of a race to a language.

    ``libraries``: those that take part, None for all that can be had; ``files``: codecs that take
    part besides, as ``generated`` programs do; ``lists``: paths of lists that columns are
    tried for, and types of their elements; ``has_recycled``: whether new objects of C++ are also
    measured with our free list;
    ``allocators``: of ``bench.allocators.NAMED``, under which each C++ contender runs, an empty one
    for that of this process; ``flags``: of the C++ compiler; ``jobs``: compilers at the same time.
    """

    libraries: frozenset[str] | None = None
    files: tuple[CodecFile, ...] = ()
    generated: tuple[Generated, ...] = ()
    lists: tuple[tuple[str, str], ...] = ()
    has_recycled: bool = False
    allocators: tuple[str, ...] = ("",)
    flags: tuple[str, ...] = ("-std=c++20", "-O2", "-DNDEBUG")
    ros2: Ros2Installation = field(default_factory=Ros2Installation)
    jobs: int = 2

    def takes(self, library: str) -> bool:
        return self.libraries is None or library in self.libraries

    def asks_for(self, library: str) -> bool:
        """Return whether a library is named, as libraries that few people need must be."""
        return self.libraries is not None and library in self.libraries

    def files_of(self, *suffixes: str) -> list[CodecFile]:
        """Return the codecs of a language."""
        return [file for file in self.files if file.path.suffix in suffixes]
