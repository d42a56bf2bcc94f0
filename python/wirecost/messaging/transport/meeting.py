# SPDX-License-Identifier: Apache-2.0
"""Kinds of places where the ends of a transport meet.

A transport's module declares ``MEETINGS``, the kind of each of its transports whose ends can meet
between hosts, or need no server on one. Those of the others meet on one machine, at the address
that ``Transport.server`` gives.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AtServer:
    """Ends connect to a server that any host can reach."""

    own_address_in: str = ""
    """Environment variable that holds an end's own address."""


@dataclass(frozen=True)
class AtListener:
    """One end listens, and the others connect to it."""

    address: str
    """Form of its address, with fields for host and port."""


@dataclass(frozen=True)
class InDomain:
    """Ends find each other by multicast within a domain."""


@dataclass(frozen=True)
class AmongPeers:
    """Ends find each other by their addresses within a domain."""


@dataclass(frozen=True)
class InFolder:
    """Ends find each other's sockets in a folder."""


@dataclass(frozen=True)
class OnOneMachine:
    """Ends meet on one machine, though the middleware reaches others."""


Meeting = AtServer | AtListener | InDomain | AmongPeers | InFolder | OnOneMachine
