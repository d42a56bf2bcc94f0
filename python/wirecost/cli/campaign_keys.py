# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign keys``: what the machines of a cluster know each other by."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.options import argument
from wirecost.measure.campaign.cluster.keys import write_keys
from wirecost.system.failed_write import failed_write

EXAMPLE = "wirecost campaign keys lab.pem"


def command(
    file: Annotated[Path, argument("FILE", "Where to write them.")],
) -> None:
    """Make a TLS key and certificate for a cluster, in a file that only you can read.

    Copy it to each machine over a safe channel, such as scp. Whoever has it can run programs as
    you there.
    """
    try:
        write_keys(file)
    except OSError as error:
        raise failed_write(file, error, "name another file") from error
