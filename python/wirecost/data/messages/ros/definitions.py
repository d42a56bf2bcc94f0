# SPDX-License-Identifier: Apache-2.0
"""The texts of ROS types: from files, or as recordings carry them."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from wirecost.data.messages.ros import interfaces
from wirecost.data.messages.ros.known import KnownTypes
from wirecost.schema.compile import frontends
from wirecost.schema.compile.frontends.ros import dialect_of
from wirecost.schema.compile.frontends.ros.builtin import DIALECTS, FILES
from wirecost.schema.compile.frontends.ros.grammar import types_used
from wirecost.schema.compile.frontends.ros.loader import qualified
from wirecost.schema.compile.frontends.ros.packages import Finder, folder_of, name_of, read
from wirecost.schema.compile.schema import CompileError, Schema
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

IDL = ".idl"
_SEPARATOR = re.compile(r"^[ \t]*={3,}[ \t]*\n(?=\s*(?:MSG|SRV|IDL):)", re.MULTILINE)
_NAMED = re.compile(r"\s*(MSG|SRV|IDL):[ \t]*(\S*)[^\n]*\n?")
_QUALIFIED = re.compile(r"^([ \t]*[A-Za-z]\w*)/(?:msg|srv|action)/(?=\w)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
_WIRES = {"ros1": "ros1", "ros2": "cdr"}
_NOT_SUPPORTED = ("wstring", "u16string")


@dataclass(frozen=True)
class RosDefinitions:
    """Definitions of ROS.

    ``texts``: of each type, ``std_msgs/Header``, as a ``.msg`` has it; ``dialect``: ``ros1`` or
    ``ros2``; ``source``: the recording that carries them; ``notes``: what was taken from elsewhere.
    """

    dialect: str
    texts: dict[str, str]
    source: str = ""
    notes: list[str] = field(default_factory=list, compare=False)

    @property
    def wire(self) -> str:
        """The one on which nodes send them."""
        return _WIRES[self.dialect]

    def schema(self) -> Schema:
        """Compile the texts. Raises CompileError, UserError."""
        try:
            return _compiled(self.dialect, tuple(self.texts.items()))
        except CompileError as error:
            raise self._fault(error) from error
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            longest = shown(max(self.texts, key=len), 24)
            raise UserError(
                f"{self.source or 'the schema'}: the name of {longest} is too long; "
                "choose another --topic"
            ) from error

    def _fault(self, error: CompileError) -> UserError:
        """Return the error for a file that the user knows: the folder will be gone."""
        what = str(error).partition(": error: ")[2].rpartition("; ")[0]
        file = Path(error.origin.file)
        name = f"{file.parent.parent.name}/{file.stem}"
        place = f", line {error.origin.line}" if error.origin.line else ""
        remedy = "name its .msg as well, or choose another --topic"
        if any(kind in what for kind in _NOT_SUPPORTED):
            remedy = "choose another --topic, or record the type with string in its place"
        return UserError(
            f"{self.source or 'the schema'}: its definition of {name} cannot be used{place}: "
            f"{what}; {remedy}"
        )


@lru_cache(maxsize=8)
def _compiled(dialect: str, texts: tuple[tuple[str, str], ...]) -> Schema:
    """Compile texts, of which a recording has the same for many topics."""
    with scratch.folder("definitions") as folder:
        paths = []
        for name, text in texts:
            package, _, message = name.partition("/")
            path = folder / package / "msg" / f"{message}.msg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            paths.append(str(path))
        # Recorders take names that ROS 2's own tools refuse.
        return frontends.load(paths, [folder], dialect, any_case=True)


def of_files(
    paths: Sequence[str], include: Sequence[Path], dialect: str | None, type_name: str = ""
) -> RosDefinitions:
    """Read ``.msg``, ``.srv``, ``.action`` and ``.idl`` files with all that they use.

    A service's event is read where ``type_name`` is one. Raises CompileError, UserError.
    """
    files = [Path(path) for path in paths]
    has_idl = any(path.suffix == IDL for path in files)
    chosen = dialect or ("ros2" if has_idl else dialect_of(files, include))
    texts: dict[str, str] = {}
    is_derived = False
    for path in files:
        if path.suffix == IDL:
            texts |= _of_idl_file(path)
            is_derived = True
            continue
        of_file = interfaces.messages(path, chosen)
        if path.suffix == ".action":
            texts |= of_file
            is_derived = True
        else:
            texts |= _loaded(path, include, chosen)
            events = {name: text for name, text in of_file.items() if name.endswith("_Event")}
            chosen_events = [name for name in events if name.endswith(short_name(type_name))]
            texts |= {name: events[name] for name in chosen_events if type_name}
            is_derived = is_derived or bool(chosen_events)
    result = RosDefinitions(chosen, texts, "" if len(paths) != 1 else paths[0])
    return completed(result, Finder(include, files, chosen)) if is_derived else result


def _of_idl_file(path: Path) -> dict[str, str]:
    """Return the texts of the messages that a file of OMG IDL declares. Raises UserError."""
    try:
        texts = _of_idl(read(path))
    except ValueError as error:
        raise UserError(f"{path}: {error}; name its .msg instead") from error
    if not texts:
        raise UserError(f"{path}: declares no message; name another file")
    return texts


def _loaded(path: Path, include: Sequence[Path], dialect: str) -> dict[str, str]:
    """Return a file's texts and those that it uses. Raises CompileError, UserError.

    A folder whose name is none of a package, as one of downloads may be, gets one like it.
    """
    package = name_of(folder_of(path))
    if _NAME.fullmatch(package):
        return _read(path, include, dialect)
    with scratch.folder("package") as folder:
        copies = folder / re.sub(r"\W", "_", f"p{package}", flags=re.ASCII) / "msg"
        copies.mkdir(parents=True)
        for file in path.parent.glob(f"*{path.suffix}"):
            shutil.copy(file, copies)
        try:
            return _read(copies / path.name, [*include, folder_of(path).parent], dialect)
        except CompileError as error:
            raise UserError(str(error).replace(error.origin.file, str(path))) from error


def _read(path: Path, include: Sequence[Path], dialect: str) -> dict[str, str]:
    with scratch.folder("ros") as folder:
        _write_of_ros(path, include, dialect, folder)
        try:
            return _texts(path, [*include, folder], dialect)
        except CompileError as error:  # lists the folders that were searched
            error.args = (str(error).replace(f"{folder}, ", ""),)
            raise


def _write_of_ros(path: Path, include: Sequence[Path], dialect: str, folder: Path) -> None:
    """Write what a file uses of ROS's own types and no folder has, as on machines without ROS.

    What else is lacking, the reader of the file reports.
    """
    finder = Finder(include, [path], dialect)
    library = KnownTypes(dialect, finder)
    own_package = name_of(folder_of(path))
    own = read(path)
    parts = interfaces.parts(own) if path.suffix == ".srv" else [own]
    waiting = [(own_package, part) for part in parts]
    looked_for: set[str] = set()
    while waiting:
        of_package, used_in = waiting.pop()
        for name in _used(used_in, of_package, dialect):
            text = None if name in looked_for else library.text(name)
            looked_for.add(name)
            if text is None:
                continue
            package, _, message = name.partition("/")
            waiting.append((package, text))
            if finder.find(package, message) is None:
                file = folder / package / "msg" / f"{message}.msg"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")


def _texts(path: Path, include: Sequence[Path], dialect: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for file in frontends.load([str(path)], include, dialect).files:
        for source in file.sources[:1]:
            parts = [_lines(source.read_text(encoding="utf-8-sig"))]
            if source.suffix == ".srv":
                parts = interfaces.parts(parts[0])
            # A service's request and response are messages of their own.
            for message, text in zip(file.messages, parts, strict=True):
                texts[message.full_name.replace(".", "/")] = text
    return texts


def of_text(
    type_name: str, text: str, dialect: str, source: str = "", kind: str = "MSG"
) -> RosDefinitions:
    """Parse definitions as recordings carry them. Raises UserError.

    A type has its own text, then those of the types that it uses, each below a line ``MSG:
    package/Name``; its own may have such a line, too. A service has ``SRV:``, or its text without
    such a line where a message of it is sent, and OMG IDL has ``IDL:``. ``kind``: of a text without
    such a line.
    """
    texts: dict[str, str] = {}
    for of, named, part in _split(type_name, _lines(text), kind):
        try:
            declared = _of_idl(part) if of == "IDL" else _of_message(named, part, dialect)
        except ValueError as error:
            raise _unreadable(type_name, source, str(error)) from error
        for name, own in declared.items():
            _add(texts, name, own)
    name = short(type_name)
    if name not in texts:
        own_text = interfaces.made(name, texts, dialect)
        if own_text is None:
            raise _unreadable(type_name, source, "it declares no such message")
        texts[name] = own_text
    return RosDefinitions(dialect, texts, source)


def _of_idl(text: str) -> dict[str, str]:
    from wirecost.data.messages.ros import stores  # noqa: PLC0415 - takes long to import

    return {short(name): own for name, own in stores.texts_of_idl(text).items()}


def _of_message(named: str, text: str, dialect: str) -> dict[str, str]:
    text = _QUALIFIED.sub(r"\1/", text)
    return interfaces.parted(short(named), text, dialect) or {short(named): text}


def _unreadable(type_name: str, source: str, why: str) -> UserError:
    return UserError(
        f"{source or 'the recording'}: its definition of {shown(type_name)} cannot be read "
        f"({why}); name its .msg as well"
    )


def completed(definitions: RosDefinitions, finder: Finder) -> RosDefinitions:
    """Add the types that are used but not carried. Raises UserError.

    They come from ROS's own or from files of the finder's folders.
    """
    texts = dict(definitions.texts)
    notes: list[str] = list(definitions.notes)
    library = KnownTypes(definitions.dialect, finder)
    waiting = list(texts)
    while waiting:
        owner = waiting.pop()
        for used in _used(texts[owner], owner.partition("/")[0], definitions.dialect):
            if used in texts:
                continue
            text = library.text(used)
            if text is None:
                raise UserError(
                    f"{definitions.source or 'the schema'}: its definition of {owner} uses {used}, "
                    f"which it does not carry; give the folder that holds package "
                    f"{used.partition('/')[0]} with -I"
                )
            texts[used] = text
            notes.append(used)
            waiting.append(used)
    return replace(definitions, texts=texts, notes=notes)


def known(type_name: str, dialect: str, include: Sequence[Path]) -> RosDefinitions:
    """Return a type's definition and all that it uses, from folders or ROS. Raises UserError."""
    try:
        name = short(type_name)
    except UserError as error:
        raise UserError(
            f"--type {shown(type_name)}: give a package and a name, such as sensor_msgs/msg/Imu"
        ) from error
    finder = Finder(include, [], dialect)
    text = KnownTypes(dialect, finder).text(name)
    if text is None:
        raise UserError(
            f"--type {shown(type_name)}: nothing here defines it; give the folder that holds "
            f"package {name.partition('/')[0]} with -I"
        )
    return completed(RosDefinitions(dialect, {name: text}), finder)


def carried(definitions: RosDefinitions, name: str) -> str:
    """Return the text of a type as recordings carry it: with those of all that it uses."""
    texts = dict(definitions.texts)
    whole = "\n".join(texts.values())
    for time in FILES:
        used = time.replace(".", "/")
        if re.search(rf"^[ \t]*{used}\b", whole, re.MULTILINE):
            own = KnownTypes(definitions.dialect, Finder([], [])).text(used)
            texts.setdefault(used, own or "")
    first = texts.pop(name)
    return "\n".join([first, *(f"{'=' * 80}\nMSG: {of}\n{text}" for of, text in texts.items())])


def _used(text: str, package: str, dialect: str) -> list[str]:
    """Return the messages that a text uses, but for those that need no file."""
    names = []
    for written in types_used(text):
        if written in DIALECTS[dialect].types or written in _NOT_SUPPORTED:
            continue
        used = qualified(written, package)
        if written == "Header" and dialect == "ros1":
            used = ("std_msgs", "Header")
        if used is not None and all(map(_NAME.fullmatch, used)) and ".".join(used) not in FILES:
            names.append("/".join(used))
    return names


def _split(type_name: str, text: str, kind: str) -> list[tuple[str, str, str]]:
    """Return the texts of a type and of others, each behind its kind and name."""
    first, *rest = _SEPARATOR.split(text)
    parts = []
    for part in rest if rest and not first.strip() else (first, *rest):
        match = _NAMED.match(part)
        if match is None:
            parts.append((kind, type_name, part))
        else:
            parts.append((match[1], match[2], part[match.end() :]))
    return parts


def _add(texts: dict[str, str], name: str, text: str) -> None:
    if texts.setdefault(name, text).split() != text.split():
        raise UserError(f"the recording has two definitions of {name}; name its .msg as well")


def _lines(text: str) -> str:
    """Return a text with Unix's line ends, without a byte order mark."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    # Where there are others, one of its own is within a comment.
    return text if "\n" in text else text.replace("\r", "\n")


def short(name: str) -> str:
    """Return ``std_msgs/Header``, without the folder that ROS 2's names have. Raises UserError."""
    package, _, message = name.rpartition("/")
    for folder in ("msg", "srv", "action"):
        package = package.removesuffix(f"/{folder}")
    if not _NAME.fullmatch(package) or not _NAME.fullmatch(message):
        raise UserError(
            f"the recording has a type {shown(name)}, which is no name; choose another topic"
        )
    return f"{package}/{message}"


def short_name(name: str) -> str:
    """Return the last part of a type's name."""
    return re.split(r"[./]", name)[-1]
