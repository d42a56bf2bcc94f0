# SPDX-License-Identifier: Apache-2.0
"""Files of scans to packed clouds and back. Nothing is said of errors that was not measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from wirecost.data.clouds import scan_files
from wirecost.data.clouds.mapped import mapped
from wirecost.data.clouds.packed import (
    Layout,
    decode,
    encode,
    errors_by_field,
    errors_made,
    layout_of,
)
from wirecost.data.clouds.scan_writers import WRITERS
from wirecost.data.clouds.waste import CloudWaste
from wirecost.system import whole_file
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write

SUFFIX = ".wcloud"
"""Suffix of a file that holds one packed cloud."""


@dataclass(frozen=True)
class Wanted:
    """How clouds are packed. ``error``: largest one of x, y and z, None: every bit is kept.

    ``memory``: most bytes of a cloud's points that may be unpacked; ``bin_floats``: of a point in a
    ``.bin``, 0: decided by the values.
    """

    error: float | None
    quick: bool
    memory: int
    bin_floats: int = 0


@dataclass
class Converted:
    """Conversion of clouds. ``errors``: the largest of each field whose bits are not all kept."""

    is_packed: bool
    clouds: int = 0
    points: int = 0
    point_bytes: int = 0
    packed_bytes: int = 0
    fields: dict[str, str] = field(default_factory=dict)
    """Types by name."""
    errors: dict[str, float] = field(default_factory=dict)
    copied: int = 0
    """Messages of other topics."""
    left_out: list[str] = field(default_factory=list)
    """Topics, or parts of a file, that were not taken."""
    has_gaps: bool = False
    """Whether there are bytes between fields, which are not kept."""
    kept: int = 0
    """Clouds that cannot be converted, and were copied as they are."""
    first_kept: str = ""
    """The first of them, and why."""
    warnings: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)
    """What the clouds carry in vain, and what to do about it."""

    def add(self, layout: Layout, packed_bytes: int, errors: dict[str, float]) -> None:
        """Count a cloud."""
        dtype = layout.dtype
        self.clouds += 1
        self.points += layout.height * layout.width
        self.point_bytes += layout.size
        self.packed_bytes += packed_bytes
        widths = [dtype[name].itemsize for name in dtype.names or ()]
        self.has_gaps |= sum(widths) < layout.step
        for name in dtype.names or ():
            self.fields[name] = dtype[name].base.name
        for name, error in errors.items():
            self.errors[name] = max(error, self.errors.get(name, 0.0))


def convert(source: Path, out: Path, wanted: Wanted) -> Converted:
    """Pack a scan's file, or unpack a packed one. Raises UserError, and writes nothing then."""
    if source.suffix.lower() == SUFFIX:
        return _unpacked(source, out, wanted)
    return _packed(source, out, wanted)


def _packed(source: Path, out: Path, wanted: Wanted) -> Converted:
    scan = scan_files.load(source, wanted.bin_floats)
    try:
        packed = encode(scan.points, error=wanted.error, quick=wanted.quick)
        layout = layout_of(packed)
        errors = errors_made(scan.points, decode(packed, limit=layout.size))
        check_errors(errors, errors_by_field(wanted.error, scan.points.dtype.names or ()))
    except UserError as error:
        raise UserError(f"{source}: {error}") from error
    write_whole(out, packed)
    done = Converted(is_packed=True, left_out=list(scan.left_out))
    done.add(layout, len(packed), errors)
    waste = CloudWaste()
    waste.add(scan.points)
    done.advice += waste.advice()
    return done


def _unpacked(source: Path, out: Path, wanted: Wanted) -> Converted:
    content = memoryview(mapped(source, SUFFIX))
    try:
        layout = layout_of(content)
        check_memory(layout, wanted.memory)
        points = decode(content, limit=layout.size)
        file = WRITERS[out.suffix.lower()](points)
    except UserError as error:
        raise UserError(f"{source}: {error}") from error
    try:
        with whole_file.replaced(out) as new_file:
            new_file.write_bytes(file)
            again = scan_files.load(new_file, len(layout.fields), out.suffix.lower()).points
            for name in points.dtype.names or ():
                if again[name].tobytes() != points[name].tobytes():
                    raise UserError(f"{out}: field {name} came back changed; report this")
    except OSError as error:
        raise failed_write(out, error, "name another file") from error
    done = Converted(is_packed=False)
    if again.shape != points.shape:
        done.left_out.append(f"the shape of {layout.height} rows")
    done.add(layout, len(content), {})
    return done


def check_memory(layout: Layout, most: int) -> None:
    """Raise UserError where a cloud is larger than may be, before memory is taken for it."""
    if layout.size > most:
        raise UserError(f"a cloud of {layout.size:,} bytes; allow it by --memory {layout.size}")


def check_errors(made: dict[str, float], allowed: dict[str, float]) -> None:
    """Raise UserError where what was unpacked is further off than it may be."""
    for name, error in made.items():
        if name not in allowed or not error <= allowed[name]:
            raise UserError(f"field {name} came back off by {error:g}; report this")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or nothing. Raises UserError."""
    try:
        with whole_file.replaced(path) as new_file:
            new_file.write_bytes(content)
    except OSError as error:
        raise failed_write(path, error, "name another file") from error
