# SPDX-License-Identifier: Apache-2.0
"""One list of formats: every command that takes a recording reads each or refuses it in a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from attack.recordings import seeds
from support.programs import command_in_process
from support.sensor_views import sensor_view
from wirecost.data.recordings import formats
from wirecost.data.recordings.recording import Recording, is_recording
from wirecost.data.traces import create_trace
