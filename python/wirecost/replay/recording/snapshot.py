# SPDX-License-Identifier: Apache-2.0
"""``node.json``: how the recorded node was started and what it was joined to."""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from wirecost.replay.middleware import Service, Topic
from wirecost.replay.process.state import ProcessState
from wirecost.replay.recording.origin import seal, sealed_here
from wirecost.replay.recording.snapshot_schema import Document
from wirecost.results.records import json_document
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import shown
from wirecost.system.regular_file import read_regular
from wirecost.system.whole_file import write_text

FORMAT, VERSION = "wirecost-recording", 1
FILE, MESSAGES = "node.json", "recording.mcap"
LARGEST = 64 << 20
LARGEST_PARAMETER_FILE = 1 << 20
PARAMETER_FILES = (".yaml", ".yml")

KEPT_VARIABLES = re.compile(
    r"(ROS|RMW|RCUTILS|RCL|CYCLONEDDS|FASTRTPS|FASTDDS|AMENT|OMP|MALLOC|WIRECOST)_\w+"
    r"|FAST\w+|OMP\w*|MALLOC\w*|CYCLONEDDS\w*|LD_LIBRARY_PATH|LD_PRELOAD|PYTHONPATH|PATH"
)
SECRET = re.compile(r"secret|token|passw|passphrase|credential|private|api_?key", re.I)


@dataclass(frozen=True)
class JoinedTopic:
    """A topic of the node, which appeared ``after_s`` after the start; how many were written.

    ``dropped``: messages that are missing, as the recorder had no room or never received them;
    ``overflowed``: those for which its cache had no room.
    """

    topic: Topic
    after_s: float
    messages: int = 0
    dropped: int = 0
    overflowed: int = 0


@dataclass
class Snapshot:
    """Everything that replaying needs but the messages."""

    system: str
    profile: str
    node: str
    pid: int | None = None
    pid_found: str = "unknown"
    """given, launched, announced by its DDS, or slave API."""
    process: ProcessState | None = None
    executable_size: int = 0
    executable_sha256: str = ""
    """Hash of the file that ran; empty if it could not be read, or is of an earlier version."""
    parameter_files: dict[str, str] = field(default_factory=dict)
    """Content by the path that the arguments name."""
    parameters: dict[str, Any] = field(default_factory=dict)
    inputs: list[JoinedTopic] = field(default_factory=list)
    outputs: list[JoinedTopic] = field(default_factory=list)
    provides: list[Service] = field(default_factory=list)
    calls: list[Service] = field(default_factory=list)
    started: str = ""
    duration_s: float = 0.0
    ended: str = "killed"
    """interrupted, time, node gone, or failed; killed where none of these was written."""
    notes: list[str] = field(default_factory=list)
    made_here: bool = False
    """Origin in this user's own process on this machine, as it is read; not stored."""


def kept_environment(environment: dict[str, str]) -> dict[str, str]:
    """Return what of an environment may be stored; nothing whose name suggests a secret."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if KEPT_VARIABLES.fullmatch(name) and not SECRET.search(name)
    }


def parameter_files(process: ProcessState) -> dict[str, str]:
    """Return the YAML files that a process's arguments name, ``--params-file`` or not."""
    files = {}
    for argument in process.arguments[1:]:
        path = Path(process.working_directory, argument)
        if not argument.lower().endswith(PARAMETER_FILES):
            continue
        try:
            if path.is_file() and path.stat().st_size <= LARGEST_PARAMETER_FILE:
                files[argument] = path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue  # not a readable parameter file
    return files


def namespace(node: str) -> str:
    return node.rpartition("/")[0] or "/"


def remaps(arguments: list[str]) -> list[str]:
    """Return each ``from:=to`` of the arguments, with ROS 1's ``_parameter:=`` and ``__name:=``."""
    return [argument for argument in arguments[1:] if ":=" in argument]


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Replace ``node.json`` as a whole, sealed by this user. Raises UserError."""
    process = snapshot.process
    document = {
        "format": FORMAT,
        "version": VERSION,
        **asdict(snapshot),
        "namespace": namespace(snapshot.node),
        "remaps": remaps(process.arguments) if process else [],
    }
    del document["made_here"]
    if process:
        document["process"]["environment"] = kept_environment(process.environment)
    # Another user's process, which root can record, must not start with our rights unasked.
    if process is not None and process.user == os.geteuid():
        with suppress(UserError):  # then replay asks
            document["seal"] = seal(document)
    path = folder / FILE
    try:
        # JSON's escapes also hold PEP 383's lone surrogates, for arguments that are not UTF-8.
        write_text(path, json.dumps(document, indent=2) + "\n")
    except OSError as error:
        raise failed_write(path, error, "name a writable --out") from error


def read_snapshot(folder: Path) -> Snapshot:
    """Raise UserError where ``folder`` is no recording or ``node.json`` is damaged."""
    path = folder / FILE
    try:
        content = read_regular(path, LARGEST)
    except OSError as error:
        raise UserError(
            f"{folder}: not a recording ({FILE}: {error.strerror}); "
            "name a folder of wirecost record"
        ) from error
    document = json_document.loads(path, content, "record again")
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UserError(f"{path}: not of a recording; name a folder of wirecost record")
    if document.get("version") != VERSION:
        raise UserError(
            f"{path}: version {document.get('version')!r:.20}, this wirecost reads {VERSION}; "
            "install the wirecost that wrote it"
        )
    json_document.check(path, document, Document, "record again")
    seal = document.pop("seal", None)
    try:
        return replace(_snapshot(document), made_here=sealed_here(document, seal))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UserError(
            f"{path}: damaged ({type(error).__name__}: {shown(error, 200)}); record again"
        ) from error


def _snapshot(document: dict[str, Any]) -> Snapshot:
    snapshot = msgspec.convert(document, Snapshot)
    process = snapshot.process
    if process is None:
        return snapshot
    if any("\0" in argument for argument in process.arguments):
        raise ValueError("arguments that no program can have")
    return replace(
        snapshot, process=replace(process, environment=kept_environment(process.environment))
    )


def executable_sha256(path: Path) -> str:
    """Return the hash in hexadecimal; empty where the file cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def executable_size(process: ProcessState) -> int:
    """Return the file's size in bytes, 0 where it is gone."""
    try:
        return Path(process.executable).stat().st_size
    except OSError:
        return 0
