# SPDX-License-Identifier: Apache-2.0
"""DDS as ROS 2 speaks it, for recording and replaying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.replay.middleware import IsolatedSystem, Recorder

MCAP_NAMES = ("ros2", "cdr", "ros2msg")
"""Profile, message encoding and schema encoding of its recordings."""
PLUGIN_ORDER = 2


def new_recorder(domain: int | None, interfaces: tuple[str, ...] = ()) -> Recorder:
    """Make a recorder; ``domain`` None is ``ROS_DOMAIN_ID``, else 0.

    ``interfaces`` as of ``DdsRecorder``.
    """
    require_fast_dds()
    from wirecost.replay.dds.recorder import DdsRecorder  # noqa: PLC0415

    return DdsRecorder(domain, interfaces)


def new_isolated_system() -> IsolatedSystem:
    require_fast_dds()
    from wirecost.replay.dds.isolated_system import DdsIsolatedSystem  # noqa: PLC0415

    return DdsIsolatedSystem()


def require_fast_dds() -> None:
    """Raise UserError where Fast DDS is not in this build."""
    try:
        import wirecost._dds  # noqa: F401, PLC0415
    except ImportError as error:
        raise UserError(
            f"DDS is not in this build ({error}); install libfastrtps-dev and build again"
        ) from error
