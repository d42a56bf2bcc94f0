# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign worker``: this machine takes tasks of a scheduler."""

from __future__ import annotations

import sys
from typing import Annotated

from wirecost.cli.campaign_cluster import Keys, Plain, keys_and_end
from wirecost.cli.options import argument, option
from wirecost.measure.campaign.cluster.addresses import check_address
from wirecost.measure.campaign.cluster.keys import distributed
from wirecost.measure.campaign.definition import HERE
from wirecost.system.foreign import printable

EXAMPLE = "wirecost campaign worker tls://10.0.0.1:8786 --keys lab.pem --machine xavier"


def command(
    scheduler: Annotated[
        str, argument("ADDRESS", "The scheduler's address, such as tls://10.0.0.1:8786.")
    ],
    machine: Annotated[
        str, option("Which of the campaign's machines this is.", metavar="NAME")
    ] = HERE,
    keys: Keys = None,
    trust_plain_tcp: Plain = False,
) -> None:
    """Run the tasks of campaigns on this machine, one at a time, until the scheduler ends."""
    from wirecost.measure.campaign.cluster import worker

    distributed()
    credentials, ended = keys_and_end(keys)
    check_address(scheduler, credentials, trust_plain_tcp)
    worker.serve(
        scheduler, machine, credentials, lambda line: print(printable(line), file=sys.stderr), ended
    )
