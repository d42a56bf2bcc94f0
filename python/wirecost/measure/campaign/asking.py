# SPDX-License-Identifier: Apache-2.0
"""SQL over a store: by DuckDB where it is installed, else by Polars.

DuckDB needs little memory for large stores.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from wirecost.measure.campaign.choices import MEMORY
from wirecost.results.store.store import RECORDS, ROWS, SAMPLES, Store
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

TABLES = (RECORDS, SAMPLES, ROWS)
MODE = "mode"
"""A column of samples that some scenarios lack, and every question may name."""


def ask(store: Store, sql: str, memory: int = MEMORY) -> pl.DataFrame:
    """Run a query over the tables ``records``, ``samples`` and ``rows``.

    ``memory``: bytes that DuckDB may take. Raises UserError for an empty store and for SQL that the
    engine refuses.
    """
    if not store.place.names(RECORDS):
        raise UserError(f"{store.place}: has no results yet; name a store that a campaign filled")
    try:
        import duckdb  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError:
        return _by_polars(store, sql)
    with scratch.run(), scratch.folder("query") as folder:
        return _by_duckdb(duckdb, store, sql, memory, folder)


def _by_polars(store: Store, sql: str) -> pl.DataFrame:
    scans = {kind: store.scan(kind) for kind in TABLES}
    tables = {kind: table for kind, table in scans.items() if table is not None}
    if SAMPLES in tables and MODE not in tables[SAMPLES].collect_schema().names():
        tables[SAMPLES] = tables[SAMPLES].with_columns(pl.lit("").alias(MODE))
    try:
        return pl.SQLContext(tables).execute(sql, eager=True)
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{shown(sql, 200)}: {shown(error, 300)}; see --help") from error


def _by_duckdb(duckdb: Any, store: Store, sql: str, memory: int, folder: Path) -> pl.DataFrame:
    settings = {
        "memory_limit": f"{memory}B",
        "temp_directory": str(folder),
        "autoinstall_known_extensions": "false",
        "preserve_insertion_order": "false",
    }
    with duckdb.connect(config=settings) as engine:
        if (system := store.place.system()) is not None:
            engine.register_filesystem(system)
        for kind in (SAMPLES, ROWS):
            if store.place.names(kind):
                _create(engine, kind, store.place.files(kind).replace("'", "''"))
        engine.register(RECORDS, store.records().to_arrow())
        try:
            answer = engine.sql(sql)
            return pl.DataFrame() if answer is None else pl.DataFrame(answer.to_arrow_table())
        except duckdb.OutOfMemoryException as error:
            raise UserError(
                f"{shown(sql, 200)}: needs more than {memory >> 20:,} MiB; give more with --memory,"
                " or APPROX_QUANTILE(ns, 0.5) in place of MEDIAN(ns)"
            ) from error
        except (duckdb.Error, RuntimeError) as error:
            line = " ".join(str(error).split())
            raise UserError(f"{shown(sql, 200)}: {shown(line, 300)}; see --help") from error


def _create(engine: Any, kind: str, files: str) -> None:
    source = f"read_parquet('{files}', hive_partitioning = true, union_by_name = true)"
    names = [row[0] for row in engine.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    more = f", '' AS {MODE}" if kind == SAMPLES and MODE not in names else ""
    engine.execute(f"CREATE VIEW {kind} AS SELECT *{more} FROM {source}")
