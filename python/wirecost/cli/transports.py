# SPDX-License-Identifier: Apache-2.0
"""``wirecost transports``: what carries tensors here, what it costs, how to install the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, option, transport_names
from wirecost.results.report.shared.answer import Answer
from wirecost.system import scratch
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.messaging.api.transport_trial import TrialOutcome

EXAMPLE = "wirecost transports --test zeromq,zenoh"


@answering()
def command(
    tested: Annotated[
        str | None,
        argument(
            "NAME,NAME…",
            "With --test: the middlewares to test; default: all.",
            known=transport_names,
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        bool,
        option(
            "Send a message over each middleware, between two processes, and check it.", "--test"
        ),
    ] = False,
) -> Answer:
    """List the middlewares and tensor frameworks that work here."""
    from wirecost.cli.transports_answer import tested_answer, transports_answer
    from wirecost.measure.bench.transport.clients import native_installed
    from wirecost.messaging.api.available import frameworks, transports

    if tested is not None and not test:
        raise UserError(f"{tested}: give --test as well")
    available = transports()
    packages = frameworks()
    natives = native_installed()
    document = {
        "transports": [
            {**item.document(), "native_client": natives.get(item.name)} for item in available
        ],
        "frameworks": [item.document() for item in packages],
    }
    if not test:
        return transports_answer(available, packages, natives, document)
    names = chosen("--test", tested, transport_names()) if tested else tuple(transport_names())
    outcomes = _tested(names)
    return tested_answer(outcomes, document | {"tests": [item.document() for item in outcomes]})


def _tested(names: tuple[str, ...]) -> list[TrialOutcome]:
    """Test the transports one after the other: each may start a server."""
    from wirecost.messaging.api.transport_trial import tried

    outcomes = []
    with scratch.run(), progress() as advance:
        for number, name in enumerate(names):
            advance(number, len(names), name)
            outcomes.append(tried(name))
    return outcomes
