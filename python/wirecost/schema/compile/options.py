# SPDX-License-Identifier: Apache-2.0
"""Options of the compiler, as ``wirecost compile`` and the plugin of protoc take them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirecost.schema.compile.compiler import Columns
from wirecost.schema.compile.emit import LANGUAGES, Request
from wirecost.schema.compile.plan.wires import WIRES
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

Spelled = Callable[..., str]
"""``spelled(name)`` and ``spelled(name, value)``: as people give an option."""


@dataclass(frozen=True)
class Job:
    """Options that were checked."""

    languages: tuple[str, ...]
    request: Request
    columns: Columns


@dataclass(frozen=True)
class Options:
    """Options by the names that people give, with ``_`` for ``-``."""

    lang: str = ",".join(LANGUAGES)
    wire: str = "protobuf"
    namespace: str = "wire"
    unknown: str = "skip"
    protobuf_api: bool = False
    api_namespace: str = ""
    recycling: bool = True
    sources: bool = False
    native: bool = False
    maven: bool = False
    json: bool = False
    columns: tuple[str, ...] = ()
    reduce: tuple[str, ...] = ()

    def job(self, spelled: Spelled) -> Job:
        """Raise UserError on a value that cannot be, or not beside the others."""
        languages = chosen(spelled("lang"), self.lang, LANGUAGES)
        if self.unknown not in ("skip", "preserve"):
            raise UserError(f"{spelled('unknown', self.unknown)}: give skip or preserve")
        if not self.namespace.isidentifier():
            raise UserError(f"{spelled('namespace', self.namespace)}: give one identifier")
        if self.native and "cpp" not in languages:
            languages = (*languages, "cpp")
        if self.sources and self.native:
            raise UserError(
                f"{spelled('sources')}: the extension of {spelled('native')} has all in one; give "
                "one of them"
            )
        if self.json and not {"cpp", "python"} & set(languages):
            raise UserError(
                f"{spelled('json')}: C++ and Python have it; add one of them to {spelled('lang')}"
            )
        wires = chosen(spelled("wire"), self.wire, WIRES)
        if "columns" in wires and not self.columns:
            raise UserError(
                f"{spelled('wire', 'columns')} needs {spelled('columns', 'MESSAGE')}, the message "
                "whose lists become columns"
            )
        if self.columns and "columns" not in wires:
            raise UserError(f"{spelled('columns')}: add columns to {spelled('wire')}")
        request = Request(
            tuple(wire for wire in wires if wire != "columns"),
            namespace=self.namespace,
            preserve_unknown=self.unknown == "preserve",
            protobuf_api=self.protobuf_api,
            api_namespace=self.api_namespace,
            native=self.native,
            maven=self.maven,
            recycling=self.recycling,
            sources=self.sources,
            json=self.json,
        )
        return Job(languages, request, Columns(self.columns, self.reduce))
