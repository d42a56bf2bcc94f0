# SPDX-License-Identifier: Apache-2.0
"""Runs the schema compiler of this checkout at build time, before anything is installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from wirecost.schema.compile.compiler import Columns, compile_schema, write
from wirecost.schema.compile.emit import Request


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lang", required=True)
    parser.add_argument("--wire", required=True)
    parser.add_argument("--api-namespace")
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--namespace", default="wire")
    parser.add_argument("--preserve-unknown", action="store_true")
    parser.add_argument("--no-recycling", action="store_true")
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--columns", action="append", default=[])
    parser.add_argument("--reduce", action="append", default=[])
    options = parser.parse_args()
    request = Request(
        tuple(options.wire.split(",")),
        namespace=options.namespace,
        preserve_unknown=options.preserve_unknown,
        protobuf_api=options.api_namespace is not None,
        api_namespace=options.api_namespace or "",
        native=options.native,
        recycling=not options.no_recycling,
        sources=options.sources,
        json=options.json,
    )
    columns = Columns(tuple(options.columns), tuple(options.reduce))
    texts = compile_schema(options.inputs, options.lang.split(","), request, columns=columns)
    write(texts, options.out)


if __name__ == "__main__":
    main()
