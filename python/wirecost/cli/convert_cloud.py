# SPDX-License-Identifier: Apache-2.0
"""``wirecost convert-cloud``: point clouds in fewer bytes, and back."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import RecordingPath, argument, length, option, size
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.data.clouds.conversion import Converted, Wanted

EXAMPLE = "wirecost convert-cloud scan.pcd scan.wcloud --error 1mm"

MOST_ADVICE = 3
SCANS, PACKED, RECORDING = (".pcd", ".ply", ".bin"), ".wcloud", ".mcap"


@answering()
def command(
    source: Annotated[
        Path,
        argument(
            "IN",
            "A scan (.pcd, .ply, KITTI's .bin), a .wcloud, or a recording with PointCloud2, such "
            "as MCAP or a bag.",
        ),
        RecordingPath("PointCloud2"),
    ],
    out: Annotated[
        Path,
        argument(
            "OUT", "The file to write: a .wcloud from a scan, a scan from a .wcloud, or an .mcap."
        ),
    ],
    error: Annotated[
        float | None,
        length(
            "Largest error of x, y and z, such as 1mm or 0.001; default: every bit is kept.",
            "--error",
        ),
    ] = None,
    quick: Annotated[bool, option("Pack several times as fast, in more bytes.", "--quick")] = False,
    topic: Annotated[
        str,
        option("Topic of a recording; default: all topics that have point clouds.", metavar="NAME"),
    ] = "",
    memory: Annotated[int, size("Upper limit for one unpacked cloud.", "--memory", "64MiB")] = 64
    << 20,
    bin_floats: Annotated[
        int,
        option(
            "Floats per point of a .bin: 4 (KITTI) or 5 (nuScenes); 0 detects it by the values."
        ),
    ] = 0,
    force: Annotated[bool, option("Overwrite OUT if it exists.", "--force")] = False,
) -> Answer:
    """Pack point clouds, or unpack packed ones.

    Every packed cloud is unpacked and compared before the answer reports what changed. In a
    recording, PointCloud2 messages become CompressedPointCloud2, and back.
    """
    from wirecost.data.clouds.conversion import Wanted

    if bin_floats not in (0, 4, 5):
        raise UserError(f"--bin-floats {bin_floats}: give 4 (KITTI), 5 (nuScenes) or 0")
    request = Wanted(error, quick, memory, bin_floats)
    done = _convert(source, out, topic, request, force)
    return replace(
        _answer(source, out, done, request),
        warnings=done.warnings,
        more=_rest(done),
        heading=f"{source} → {out}",
        document={"file": str(source), "out": str(out)} | asdict(done),
    )


def _convert(source: Path, out: Path, topic: str, wanted: Wanted, force: bool) -> Converted:
    from wirecost.data.clouds.conversion import convert
    from wirecost.data.recordings.recording import is_recording

    suffix, into = source.suffix.lower(), out.suffix.lower()
    from_recording = is_recording(source)
    if not from_recording and suffix not in (*SCANS, PACKED):
        raise UserError(f"{source}: give a {', '.join((*SCANS, PACKED))} or a recording to read")
    allowed = (RECORDING,) if from_recording else SCANS if suffix == PACKED else (PACKED,)
    if into not in allowed:
        raise UserError(f"{out}: from {source.name} comes {' or '.join(allowed)}; name such a file")
    if topic and not from_recording:
        raise UserError("--topic: is for recordings; name an .mcap, a bag or a .db3")
    if wanted.bin_floats and suffix != ".bin":
        raise UserError("--bin-floats: is for .bin files; leave it out")
    if suffix == PACKED and (wanted.error is not None or wanted.quick):
        raise UserError("--error, --quick: are for packing; leave them out to unpack")
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    with progress() as advance:
        if not from_recording:
            return convert(source, out, wanted)
        from wirecost.data.clouds.packed_recording import convert as convert_recording

        return convert_recording(source, out, topic, wanted, advance)


def _answer(source: Path, out: Path, done: Converted, wanted: Wanted) -> Answer:
    from wirecost.results.report.shared import units
    from wirecost.results.report.shared.table import Table
    from wirecost.system.counted import counted

    text = f"{out}: {counted(done.clouds, 'cloud')}, {counted(done.points, 'point')}, "
    rows = [
        [name, kind, units.distance(done.errors[name]) if name in done.errors else "none"]
        for name, kind in done.fields.items()
    ]
    if not done.is_packed:
        text += f"{units.size(done.point_bytes)}, {units.size(done.packed_bytes)} packed."
        table = Table("Fields", ["field", "type"], [row[:2] for row in rows], [])
        return Answer(text, table)
    text += units.size(done.packed_bytes)
    if done.point_bytes:
        share = 100 * done.packed_bytes / done.point_bytes
        text += f", {share:.1f} % of {units.size(done.point_bytes)}"
    most = max(done.errors.values(), default=0.0)
    accuracy = (
        f"errors up to {units.distance(most)}" if done.errors else "every bit of each field is kept"
    )
    text += f"; {accuracy}"
    table = Table(
        "Fields",
        ["field", "type", "largest error"],
        rows,
        ["The errors were measured after unpacking."],
    )
    back = source.with_stem(f"{source.stem}-back").with_suffix(
        source.suffix if source.suffix.lower() in SCANS else RECORDING
    )
    steps = [f"To convert it back:\nwirecost convert-cloud {shell_line(out, back)}"]
    if wanted.error is None:
        steps.append("To save more where x, y and z may differ by 1 mm: --error 1mm")
    return Answer(f"{text}.", table, [*steps, *done.advice[:MOST_ADVICE]])


def _rest(done: Converted) -> str:
    from wirecost.system.counted import counted
    from wirecost.system.foreign import shown

    said = []
    if done.kept:
        clouds = counted(done.kept, "cloud is", "clouds are")
        said.append(f"{clouds} copied unchanged; the first one because {done.first_kept}.")
    if done.copied:
        messages = counted(
            done.copied, "message of another topic is", "messages of other topics are"
        )
        said.append(f"{messages} copied.")
    if done.is_packed and done.has_gaps:
        said.append("Bytes between fields are set to zero.")
    if done.left_out:
        said.append(f"These parts were left out: {', '.join(map(shown, done.left_out))}.")
    return " ".join([*said, "--all lists all fields"])
