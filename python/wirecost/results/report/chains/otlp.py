# SPDX-License-Identifier: Apache-2.0
"""Chains as traces of OpenTelemetry: OTLP in its JSON form (opentelemetry-proto 1, trace service).

A chain is one trace: a span for the whole, a span below it for each part, whose resource is the
node. Identifiers follow from the chain's times, so that the same log gives the same traces.
"""

from __future__ import annotations

import hashlib

from wirecost.results.analysis.chains.walk import Chain

INTERNAL, ERROR = 1, 2
"""SPAN_KIND_INTERNAL, STATUS_CODE_ERROR."""
SCOPE = {"name": "wirecost"}


def traces(
    chains: list[Chain], first: str, last: str, wall_ns: int, deadline_ns: float | None
) -> dict[str, object]:
    """Return the body of an ExportTraceServiceRequest.

    ``wall_ns``: what turns a time of the chains into nanoseconds since 1970.
    """
    name = f"{first} → {last}"
    spans: dict[str, list[dict[str, object]]] = {}
    for chain in chains:
        trace = _identity(32, name, chain.begin_ns, chain.end_ns)
        root = _identity(16, trace, "chain")
        whole = _span(trace, root, name, chain.begin_ns, chain.end_ns, wall_ns)
        if deadline_ns is not None:
            whole["attributes"] = [_attribute("wirecost.deadline_ns", round(deadline_ns))]
            if chain.ns > deadline_ns:
                whole["status"] = {"code": ERROR, "message": "deadline missed"}
        spans.setdefault("chain", []).append(whole)
        for at, part in enumerate(chain.parts):
            identity = _identity(16, trace, at)
            span = _span(trace, identity, part.name, part.begin_ns, part.end_ns, wall_ns)
            span |= {
                "parentSpanId": root,
                "attributes": [_attribute("wirecost.kind", part.kind)],
            }
            spans.setdefault(part.node or "unknown node", []).append(span)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [_attribute("service.name", node)]},
                "scopeSpans": [{"scope": SCOPE, "spans": of_node}],
            }
            for node, of_node in spans.items()
        ]
    }


def _span(
    trace: str, identity: str, name: str, begin_ns: int, end_ns: int, wall_ns: int
) -> dict[str, object]:
    return {
        "traceId": trace,
        "spanId": identity,
        "name": name,
        "kind": INTERNAL,
        # 64-bit integers are strings in the JSON form of Protobuf.
        "startTimeUnixNano": str(begin_ns + wall_ns),
        "endTimeUnixNano": str(end_ns + wall_ns),
    }


def _attribute(key: str, value: str | int) -> dict[str, object]:
    typed = {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}
    return {"key": key, "value": typed}


def _identity(digits: int, *of: object) -> str:
    return hashlib.sha256("\0".join(map(str, of)).encode()).hexdigest()[:digits]
