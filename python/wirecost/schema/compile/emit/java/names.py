# SPDX-License-Identifier: Apache-2.0
"""Java's names for what a schema declares, and Java's own that a schema may hide."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from wirecost.schema.compile.emit import snake_case
from wirecost.schema.compile.emit.distinct import Distinct
from wirecost.schema.compile.schema import Enum, Message, Schema

KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """_ abstract assert boolean break byte case catch char class const continue default do
        double else enum extends false final finally float for goto if implements import instanceof
        int interface long native new null package private protected public return short static
        strictfp super switch synchronized this throw throws transient true try void volatile
        while""",
    )
)

NO_CLASSES = frozenset({"permits", "record", "sealed", "var", "yield"})
"""Words that Java takes for names of anything but classes."""
LOCALS = frozenset(
    re.findall(
        r"\w+",
        """b begin behind big bytes copy count depth end entry hash held i in inner item key last
        made n number offset origin other out p room seen size start stop tag text that value
        valueStop""",
    )
)
"""Names of parameters and variables in generated methods; fields of these names need ``this``."""

_HOMES = {
    "java.lang": (
        "Boolean", "Byte", "Double", "Float", "Integer", "Long", "Object", "Override", "Short",
        "String",
    ),
    "java.util": ("Arrays", "BitSet", "List", "Map", "Objects", "StringJoiner", "TreeMap"),
    "java.nio": ("ByteBuffer",),
}  # fmt: skip
_RUNTIME = (
    "BooleanColumn", "ColumnInput", "ColumnNode", "ColumnType", "DoubleColumn", "FloatColumn",
    "Input", "IntColumn", "LongColumn", "MessageBuilder", "MessageColumn", "ProtobufInput",
    "Reduction", "RootBuilder", "RowReader", "RowWriter", "TextColumn", "Unknown", "Wire",
    "WireException",
)  # fmt: skip


_ASIDE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'""", re.S)
"""Comments and strings: a schema's words, not what code uses."""


@dataclass(frozen=True)
class Place:
    """Place of a declaration in Java."""

    package: str
    classes: tuple[str, ...]
    """Names of the classes, from the top-level one inwards."""

    @property
    def name(self) -> str:
        return self.classes[-1]


class JavaNames:
    """Names in the output of one schema."""

    def __init__(self, schema: Schema, namespace: str) -> None:
        self._schema = schema
        self.runtime = f"{namespace}.runtime"
        self._roots = {"java", namespace.partition(".")[0]}
        """Packages whose names generated code writes first."""
        self._places: dict[str, Place] = {}
        for file in schema.files:
            package = ".".join(map(word, [namespace, *filter(None, file.package.split("."))]))
            declared = [*(m.full_name for m in file.messages), *(e.full_name for e in file.enums)]
            for name in sorted(declared, key=lambda n: n.count(".")):
                self._places[name] = self._place(name, package)
        self._inner: dict[str, set[str]] = defaultdict(set)
        """Names of the classes in others, by package: they can hide those beside the others."""
        for place in self._places.values():
            self._inner[place.package].update(place.classes[1:])
        used = {part for place in self._places.values() for part in place.classes}
        self.jdk: dict[str, str] = {}
        self._imports: dict[str, str] = {}
        for home, names in {**_HOMES, self.runtime: _RUNTIME}.items():
            for name in names:
                self.jdk[name] = f"{home}.{name}" if name in used else name
                if name not in used and home != "java.lang":
                    self._imports[name] = f"{home}.{name}"

    def place(self, full_name: str) -> Place:
        return self._places[full_name]

    def outer(self, full_name: str) -> str | None:
        """Return the full name of the message a declaration is nested in."""
        above = full_name.rpartition(".")[0]
        return above if above in self._places else None

    def reference(self, full_name: str, source: str) -> str:
        """Return how the class of ``source`` names another one."""
        place, here = self._places[full_name], self._places[source]
        # A field can have the name of a class in lower case; none has that of the root package.
        if place.classes[0][:1].islower():
            return ".".join((place.package, *place.classes))
        if place.package != here.package or place.classes[0] in self._inner[place.package]:
            return ".".join((place.package, *place.classes))
        return ".".join(place.classes)

    def imports(self, text: str) -> list[str]:
        """Return what the text of a file uses and must import."""
        used = set(re.findall(r"(?<![\w.])[A-Z]\w*", _ASIDE.sub(" ", text)))
        return sorted(full for name, full in self._imports.items() if name in used)

    def _place(self, name: str, package: str) -> Place:
        outer = self.outer(name)
        classes = self._places[outer].classes if outer else ()
        own = word(re.sub(r"\W", "_", name.rpartition(".")[2]))
        # A class of a package's name would hide the package.
        if own.rstrip("_") in self._roots | NO_CLASSES:
            own += "_"
        while own in classes:  # Java has no class inside one of its name
            own += "_"
        return Place(package, (*classes, own))


def word(name: str) -> str:
    """Return the name, or with a ``_`` behind it if it means something to Java."""
    return f"{name}_" if name in KEYWORDS else name


def lower_camel(name: str) -> str:
    """Return a name in lower camel case: ``sequence_number`` → ``sequenceNumber``."""
    first, *others = [part for part in name.split("_") if part] or ["_"]
    first = first.lower() if first.isupper() else first[:1].lower() + first[1:]
    joined = first + "".join(part[:1].upper() + part[1:] for part in others)
    return f"_{joined}" if joined[0].isdigit() else joined


def upper_camel(name: str) -> str:
    camel = lower_camel(name)
    return camel[:1].upper() + camel[1:]


def screaming(name: str) -> str:
    """Return the name of a constant: ``numDataParts`` → ``NUM_DATA_PARTS``."""
    return snake_case(name).upper()


class Unique(Distinct):
    """Names of one class, none of which means something to Java."""

    def __call__(self, wanted: str) -> str:
        return super().__call__(word(wanted))


def nested(schema: Schema, message: Message) -> tuple[list[str], list[str]]:
    """Return full names of the enums and messages declared directly inside a message."""
    inner = schema.home(message.full_name).nested.get(message.full_name, ())
    enums = [d.full_name for d in inner if isinstance(d, Enum)]
    return enums, [d.full_name for d in inner if isinstance(d, Message)]
