# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign run``: measure what the store lacks, one task after the other."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.campaign_cluster import Plain
from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, option
from wirecost.measure.campaign.cluster import lab
from wirecost.measure.campaign.cluster.addresses import check_address
from wirecost.measure.campaign.cluster.hosts import hosts
from wirecost.measure.campaign.cluster.keys import distributed, read_keys
from wirecost.measure.campaign.cluster.settings import configure
from wirecost.measure.campaign.definition import HERE, Definition, read
from wirecost.measure.campaign.tasks import tasks
from wirecost.results.report.shared.answer import Answer
from wirecost.system import scratch
from wirecost.system.counted import counted
from wirecost.system.errors import EndedError, UserError
from wirecost.system.foreign import shell_line
from wirecost.system.interruption import watched

if TYPE_CHECKING:
    from wirecost.measure.campaign import running
    from wirecost.results.store.store import Store

EXAMPLE = "wirecost campaign run campaign.toml --store STORE --resume"

LOCAL, SSH = "local", "ssh://"


@answering()
def command(
    file: Annotated[Path, argument("FILE", "A campaign.toml.")],
    store: Annotated[
        str | None,
        option(
            "Where results are kept, such as s3://bucket/name; default campaigns/<name>.",
            metavar="DIR|URL",
        ),
    ] = None,
    resume: Annotated[
        bool, option("Run what is missing in the store, and repeat what failed.")
    ] = False,
    revision: Annotated[
        str, option("What you measure, such as a commit or a release.", metavar="NAME")
    ] = "",
    machine: Annotated[
        str, option("Which of the campaign's machines this is.", metavar="NAME")
    ] = HERE,
    cluster: Annotated[
        str | None,
        option(
            "The machines that measure: a lab.toml (or ssh://lab.toml), the address of a "
            "scheduler (tls://10.0.0.1:8786), or local.",
            metavar="WHERE",
        ),
    ] = None,
    keys: Annotated[
        Path | None,
        option("The cluster's key file, made by `wirecost campaign keys`.", metavar="FILE"),
    ] = None,
    trust_plain_tcp: Plain = False,
) -> Answer:
    """Measure a campaign's tasks, on each machine one at a time, into a store."""
    from wirecost.cli.campaign_plan import refused
    from wirecost.cli.measuring import FAILED, ending_of
    from wirecost.measure.campaign import running
    from wirecost.results.store.store import Store

    definition = read(file)
    planned = tasks(definition, refused, revision)
    machine_names = {task.machine for task in planned}
    result_store = Store(store or Path("campaigns") / definition.name)
    with watched() as watch:
        try:
            with (
                scratch.run(),
                _measuring(
                    definition, result_store, machine, cluster, keys, trust_plain_tcp, resume
                ) as (
                    machines,
                    results,
                ),
                progress() as advance,
            ):
                outcome = running.run(
                    definition, planned, result_store, machines or machine_names, resume,
                    results, advance,
                )  # fmt: skip
        except (OSError, KeyboardInterrupt) as error:
            ending = ending_of(error, watch)
            raise EndedError(
                f"{ending.message}; {result_store.place} has what was measured, --resume goes on",
                ending.status,
            ) from error
    parts = [f"{outcome.done:,} measured", f"{outcome.failed:,} failed",
             f"{outcome.there:,} were already there"]  # fmt: skip
    parts += [f"{outcome.missing:,} are missing"] if outcome.missing else []
    parts += [f"{outcome.elsewhere:,} are for other machines"] if outcome.elsewhere else []
    count = outcome.failed + outcome.missing
    return Answer(
        f"{result_store.place}: {', '.join(parts)}",
        more=f"To show the results: wirecost campaign show {shell_line(result_store.place)}",
        warnings=outcome.reasons,
        heading=f"Campaign · {result_store.place}",
        document={"store": str(result_store.place), **asdict(outcome)},
        status=FAILED if count else 0,
        failure=f"{counted(count, 'task')} failed, as reported above" if count else "",
    )


@contextmanager
def _measuring(
    definition: Definition,
    store: Store,
    machine: str,
    cluster: str | None,
    keys_file: Path | None,
    trust_plain: bool,
    resume: bool,
) -> Iterator[tuple[set[str], running.Results]]:
    """Yield the machines that measure, none for all of the campaign's, and the results' source.

    Raises UserError.
    """
    from wirecost.measure.campaign import running
    from wirecost.measure.campaign.measuring import alone, measure

    if cluster is None:
        with alone():
            yield {machine}, running.here(store, lambda task: measure(definition.name, task))
        return
    distributed()
    with scratch.folder("client") as folder:
        configure(str(folder))
        if "://" in cluster and not cluster.startswith(SSH):
            keys = None if keys_file is None else read_keys(keys_file)
            check_address(cluster, keys, trust_plain)
            with _results(definition, store, resume, cluster, keys, lambda _: None) as results:
                yield set(), results
            return
        if keys_file is not None:
            raise UserError(f"--keys {keys_file}: is for the address of a scheduler; leave it out")
        laboratory = lab.here(machine, (sys.executable, "-P", "-m", "wirecost"))
        if cluster != LOCAL:
            laboratory = lab.read(Path(cluster.removeprefix(SSH)))
        with (
            hosts(laboratory) as started,
            _results(
                definition, store, resume, started.address, started.keys,
                started.ended,
            ) as results,
        ):  # fmt: skip
            yield {host.name for host in laboratory.machines}, results


@contextmanager
def _results(
    definition: Definition,
    store: Store,
    resume: bool,
    address: str,
    keys: str | None,
    ended: Callable[[str], str | None],
) -> Iterator[running.Results]:
    """Yield the results of a cluster. Raises UserError."""
    from wirecost.measure.campaign.cluster.dispatch import Dispatch, connected, scheduler_place
    from wirecost.measure.campaign.measuring import boot

    with connected(address, keys) as client:
        beside: defaultdict[str, list[str]] = defaultdict(list)
        beside[boot()].append("client")
        beside[scheduler_place(client)].append("scheduler")
        if "://" not in str(store.place):
            beside[boot()].append("store")
        places = {place: ", ".join(what) for place, what in beside.items()}
        yield Dispatch(client, definition.name, resume, places, store.keep_files, ended).results
