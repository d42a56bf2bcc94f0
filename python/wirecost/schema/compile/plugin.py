# SPDX-License-Identifier: Apache-2.0
"""``protoc-gen-wirecost``: what ``protoc --wirecost_out=[OPTIONS:]DIR FILE…`` runs.

protoc sends a CodeGeneratorRequest to standard input and takes a CodeGeneratorResponse from
standard output. As users of protoc expect, only the files on its command line are generated;
what generated code includes, and Google's well-known types, come with them, because no library
brings these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.compiler import plugin_pb2
from google.protobuf.message import DecodeError

from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import emitted
from wirecost.schema.compile.emit import Texts
from wirecost.schema.compile.frontends.descriptor_checks import GOOGLES_OWN, refuse_bytes
from wirecost.schema.compile.frontends.descriptor_set import LARGEST
from wirecost.schema.compile.parameter import parsed, spelled
from wirecost.schema.compile.schema import Omission
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable, shown

USAGE = """\
protoc runs this program: protoc --wirecost_out=[OPTIONS:]DIR FILE…
OPTIONS are those of `wirecost compile`, separated by commas: lang=cpp+python,wire=protobuf+ros1"""
_SOURCE = "the request of protoc"
_Response = plugin_pb2.CodeGeneratorResponse

Warn = Callable[[Omission], None]


def answer(data: bytes, warn: Warn) -> bytes:
    """Return the response to a request, both serialized.

    Faults of the schema or of the options are in the response. Raises UserError if ``data`` is no
    request.
    """
    try:
        request = plugin_pb2.CodeGeneratorRequest.FromString(data)
    except DecodeError as error:
        raise UserError("standard input is no CodeGeneratorRequest; let protoc run it") from error
    if not request.file_to_generate:
        raise UserError(f"{_SOURCE} names no file to generate; let protoc run it")
    response = _Response(
        supported_features=_Response.FEATURE_PROTO3_OPTIONAL | _Response.FEATURE_SUPPORTS_EDITIONS,
        minimum_edition=pb.EDITION_PROTO2,
        maximum_edition=pb.EDITION_2024,
    )
    try:
        for path, text in _texts(request, warn).items():
            response.file.add(name=str(path), content=text)
    except UserError as error:
        response.error = printable(str(error))
    return response.SerializeToString()


def _texts(request: plugin_pb2.CodeGeneratorRequest, warn: Warn) -> Texts:
    refuse_bytes(request, _SOURCE)
    parameter = parsed(request.parameter)
    job = parameter.options.job(spelled)
    schema = frontends.load_descriptors(pb.FileDescriptorSet(file=request.proto_file), _SOURCE)
    requested = frozenset(request.file_to_generate)
    present = {file.name for file in schema.files}
    if absent := sorted(requested - present):
        raise UserError(f"{_SOURCE} does not hold {shown(absent[0])}, which it asks for")
    well_known = {name for name in present if name.startswith(GOOGLES_OWN)}
    # An extension of Python is one for all files.
    everything = parameter.imports or job.request.native
    narrowed = replace(job.request, only=None if everything else requested | well_known)
    return emitted(schema, job.languages, narrowed, job.columns, warn)


def main() -> None:
    if sys.argv[1:] or sys.stdin.isatty():
        asks_for_help = sys.argv[1:] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asks_for_help else sys.stderr)
        sys.exit(0 if asks_for_help else 2)
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UserError(f"the request is larger than {LARGEST >> 20} MiB; name fewer files")
        response = answer(data, partial(print, file=sys.stderr))
    except UserError as error:
        print(f"protoc-gen-wirecost: {printable(str(error))}", file=sys.stderr)
        sys.exit(error.status)
    sys.stdout.buffer.write(response)
