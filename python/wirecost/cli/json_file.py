# SPDX-License-Identifier: Apache-2.0
"""Former names of an answer's files, for commands that are being replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirecost.cli.ending import JsonFile, Output
from wirecost.cli.output_files import check_writable
from wirecost.results.report.shared.answer import Answer
from wirecost.system.terminal import Console

__all__ = ["JsonFile", "check_writable", "console_beside", "write_json"]


def console_beside(json_file: Path | None) -> Console:
    return Output(json_file).console


def write_json(path: Path | None, document: Any) -> None:
    """Raise UserError where the file cannot be written."""
    Output(path).write(Answer("", document=document))
