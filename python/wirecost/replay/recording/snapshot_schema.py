# SPDX-License-Identifier: Apache-2.0
"""Schema of ``node.json`` (docs/formats/recording.md), checked before anything of it is used."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Seconds = Annotated[float, Meta(ge=-1e9, le=1e9)]
Limit = Count | None
"""None: unlimited."""


class Process(Struct, kw_only=True):
    executable: str
    arguments: Annotated[list[str], Meta(min_length=1)]
    working_directory: str
    environment: dict[str, str]
    affinity: list[Annotated[int, Meta(ge=0, lt=1 << 16)]]
    policy: str
    priority: Annotated[int, Meta(ge=0, le=99)]
    nice: Annotated[int, Meta(ge=-20, le=19)]
    limits: dict[str, tuple[Limit, Limit]]
    user: Limit = None


class Qos(Struct, kw_only=True):
    reliability: str
    durability: str
    depth: Limit
    deadline_ns: Limit
    lifespan_ns: Limit
    liveliness: str
    lease_ns: Limit


class Topic(Struct, kw_only=True):
    name: str
    type: str
    type_hash: str
    definition: str
    qos: Qos


class Joined(Struct, kw_only=True):
    topic: Topic
    after_s: Seconds
    messages: Count
    dropped: Count
    overflowed: Count = 0


class Service(Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    type: str
    type_hash: str = ""


class Document(Struct, kw_only=True):
    """Version 1. What has a default came later."""

    system: str
    profile: str
    node: str
    pid: Annotated[int, Meta(ge=1, lt=1 << 31)] | None
    pid_found: str
    process: Process | None
    executable_size: Count
    executable_sha256: str = ""
    parameter_files: dict[str, str]
    parameters: dict[str, Any]
    inputs: list[Joined]
    outputs: list[Joined]
    provides: list[Service]
    calls: list[Service]
    started: str
    duration_s: Seconds
    ended: str
    notes: list[str]
    seal: Any = None
    """Seal; anything that is none of ours counts as none."""
