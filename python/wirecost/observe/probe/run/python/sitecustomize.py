# SPDX-License-Identifier: Apache-2.0
"""Start of an interpreter: runs the files of WIRECOST_PROBE_PYTHON, then its own sitecustomize.

Each error is one line on standard error; the program goes on.
"""

import importlib
import os
import runpy
import sys
from pathlib import Path

NAME = "sitecustomize"


def _run_hooks() -> None:
    for path in filter(None, os.environ.get("WIRECOST_PROBE_PYTHON", "").split(os.pathsep)):
        try:
            runpy.run_path(path, run_name="wirecost_hook")
        except Exception as error:
            print(f"wirecost: {path}: {error}; this hook records nothing", file=sys.stderr)


def _run_own() -> None:
    """Run the sitecustomize that this file hides."""
    here = Path(__file__).resolve().parent
    hidden = sys.modules.pop(NAME, None)
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != here]
    try:
        importlib.import_module(NAME)
    except ImportError as error:
        if error.name != NAME:
            raise
    finally:
        if hidden is not None:
            sys.modules.setdefault(NAME, hidden)


_run_hooks()
_run_own()
