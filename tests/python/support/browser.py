# SPDX-License-Identifier: Apache-2.0
"""A page as a real browser shows it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update",
    "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom",
]  # fmt: skip


def rendered(page: Path, profile: Path) -> tuple[str, int]:
    """Return the page's document once its scripts ran without complaints, and its figures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium; `make test` installs it")
    command = [chromium, *OPTIONS, f"--user-data-dir={profile}", f"file://{page}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    return done.stdout, len(re.findall(r'<svg[^>]*class="marks"', done.stdout))
