# SPDX-License-Identifier: Apache-2.0
"""The whole compilation: load, plan and emit everything, then write."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wirecost.compile import frontends
from wirecost.compile.emit import Request, Texts
from wirecost.errors import UserError


def compile_schema(
    inputs: Sequence[str],
    languages: Sequence[str],
    request: Request,
    include: Sequence[Path] = (),
    dialect: str | None = None,
) -> Texts:
    """Texts of all files by path, ``<language>/…``. Raises CompileError or UserError."""
    schema = frontends.load(inputs, include, dialect)
    texts: Texts = {}
    for language in languages:
        emitter = importlib.import_module(f"wirecost.compile.emit.{language}")
        texts |= {language / path: text for path, text in emitter.emit(schema, request).items()}
    return texts


def write(texts: Texts, out: Path) -> list[Path]:
    """Write what changed below ``out``: all files, or none where one cannot be written."""
    pending: list[tuple[Path, Path]] = []
    try:
        for name, text in sorted(texts.items()):
            path = out / name
            if path.is_file() and path.read_text(encoding="utf-8") == text:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            pending.append((Path(temporary), path))
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(temporary).chmod(0o644)
            if path.is_dir():
                raise IsADirectoryError(0, "is a folder", str(path))
        for written, path in pending:
            written.replace(path)
    except OSError as error:
        raise UserError(
            f"{error.filename or out}: {error.strerror}; name a writable folder with --out"
        ) from error
    finally:
        for written, _ in pending:
            written.unlink(missing_ok=True)
    return [path for _, path in pending]
