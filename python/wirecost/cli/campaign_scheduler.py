# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign scheduler``: where workers and campaigns meet."""

from __future__ import annotations

from typing import Annotated

from wirecost.cli.campaign_cluster import Keys, Plain, keys_and_end
from wirecost.cli.options import argument
from wirecost.measure.campaign.cluster.addresses import check_address
from wirecost.measure.campaign.cluster.keys import distributed

EXAMPLE = "wirecost campaign scheduler tls://10.0.0.1:8786 --keys lab.pem"


def command(
    address: Annotated[
        str, argument("ADDRESS", "The address to listen at; port 0 takes any free port.")
    ] = "tls://127.0.0.1:8786",
    keys: Keys = None,
    trust_plain_tcp: Plain = False,
) -> None:
    """Run a scheduler for the workers of several machines, until Ctrl-C.

    Prints its address. `campaign run --cluster` starts one itself where a lab.toml names the
    machines.
    """
    from wirecost.measure.campaign.cluster import scheduler

    distributed()
    credentials, ended = keys_and_end(keys)
    check_address(address, credentials, trust_plain_tcp)
    scheduler.serve(address, credentials, lambda line: print(line, flush=True), ended)
