# SPDX-License-Identifier: Apache-2.0
"""A descriptor set is data: nothing says that protoc made it. It is checked before it is used."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor_pool import DescriptorPool

from wirecost.compile.schema import CompileError, Origin


def checked(
    descriptors: Iterable[pb.FileDescriptorProto], path: Path
) -> list[pb.FileDescriptorProto]:
    """The files, dependencies first. Raises CompileError if they are not complete and valid."""
    descriptors = list(descriptors)
    _refuse_missing(descriptors)
    ordered = _dependencies_first(descriptors)
    _refuse_invalid(ordered, path)
    return ordered


def _refuse_missing(descriptors: list[pb.FileDescriptorProto]) -> None:
    present = {d.name for d in descriptors}
    for descriptor in descriptors:
        for needed in descriptor.dependency:
            if needed not in present:
                raise CompileError(
                    Origin(descriptor.name),
                    f"imports {needed}, which is not in the descriptor set",
                    "make the set with --include_imports",
                )


def _dependencies_first(
    descriptors: Iterable[pb.FileDescriptorProto],
) -> list[pb.FileDescriptorProto]:
    """protoc writes them so; other tools need not."""
    named = {d.name: d for d in descriptors}
    graph = {name: list(d.dependency) for name, d in named.items()}
    try:
        return [named[name] for name in graphlib.TopologicalSorter(graph).static_order()]
    except graphlib.CycleError as error:
        circle = error.args[1]
        raise CompileError(
            Origin(circle[0]), f"imports itself: {' → '.join(circle)}", "make a new descriptor set"
        ) from error


def _refuse_invalid(descriptors: Iterable[pb.FileDescriptorProto], path: Path) -> None:
    """Protobuf's own runtime judges them."""
    pool = DescriptorPool()
    for descriptor in descriptors:
        try:
            pool.AddSerializedFile(descriptor.SerializeToString())
        except (TypeError, ValueError) as error:
            what = f"{path} describes it wrongly ({str(error).splitlines()[0]})"
            raise CompileError(
                Origin(descriptor.name), what, "make a new descriptor set with protoc"
            ) from error
