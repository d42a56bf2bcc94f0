# SPDX-License-Identifier: Apache-2.0
"""Folders of recordings, and names for what is made of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from wirecost.data.recordings.recording import is_recording
from wirecost.system.errors import UserError

_NUMBERED = re.compile(r"_\d+\.")
"""Begin of what a bag's file has behind the bag's name."""


def recordings_of(paths: Iterable[Path], is_split: bool) -> dict[Path, str]:
    """Return recordings by name; of a folder that is none, those below it, by their paths there.

    ``is_split``: a folder with recordings is only one if it is a bag of ROS 2: it has metadata, or
    its files have its name and a number. Raises UserError.
    """
    names: dict[Path, str] = {}
    for path in dict.fromkeys(paths):
        inside = []
        if path.is_dir() and (is_split or not is_recording(path)):
            inside = _inside(path)
        if inside in ([], [path]):
            names[path] = path.stem
            continue
        for recording in inside:
            below = recording.relative_to(path)
            names[recording] = str(below.with_suffix("") if recording.is_file() else below)
    once = {path.resolve(): path for path in reversed(names)}.values()
    return {path: name for path, name in names.items() if path in once}


def _inside(folder: Path) -> list[Path]:
    from wirecost.data.recordings.formats.ros2_folder import METADATA  # noqa: PLC0415 - loads YAML

    def refuse(error: OSError) -> None:
        raise UserError(f"{error.filename}: {error.strerror}; name another folder") from error

    found: list[Path] = []
    seen: set[Path] = set()  # links can lead in circles
    for place, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        here = Path(place)
        if (real := here.resolve()) in seen:
            folders.clear()
            continue
        seen.add(real)
        files = [here / name for name in names if is_recording(Path(name))]
        rests = [file.name.removeprefix(here.name) for file in files]
        if METADATA in names or (rests and all(map(_NUMBERED.match, rests))):
            folders.clear()
            found.append(here)
        else:
            # A link to nothing is left out later, with a note.
            found += [file for file in files if file.is_file() or not file.exists()]
    return sorted(found)
