# SPDX-License-Identifier: Apache-2.0
"""Result folders of before as tasks of a store."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import msgspec

from wirecost.measure.campaign.measuring import rows_of
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results
from wirecost.results.store.store import DONE, REMEDY, Record, Store
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write

OF_THE_FOLDER = ("--out", "--json")
"""Options that say where results go."""


def imported(
    store: Store, folders: list[Path], campaign: str, machine: str, revision: str | None
) -> tuple[int, int, list[str]]:
    """Import folders; return how many were put in, how many were there, and why others cannot be.

    ``revision``: None for wirecost's version, which a folder names. Raises UserError where the
    store cannot be written.
    """
    records = store.records()
    there = set(records["task"].to_list())
    store.begin()
    counts: dict[tuple[str, ...], int] = {}
    for scenario, words in records.filter(campaign=campaign).select("scenario", "arguments").rows():
        counts[scenario, *words] = counts.get((scenario, *words), 0) + 1
    done, double, failed = 0, 0, []
    for folder in folders:
        try:
            results = read_results(folder)
        except UserError as error:
            failed.append(str(error))
            continue
        key = _key(campaign, machine, results)
        if key in there:
            double += 1
            continue
        there.add(key)
        record = _record(key, campaign, machine, revision, results)
        same = (record.scenario, *record.arguments)
        number = counts.get(same, 0)
        counts[same] = number + 1
        record = replace(record, repetition=number)
        try:
            store.keep(record, results.samples, rows_of(results))
        except OSError as error:
            raise _not_kept(store, done, error) from error
        done += 1
    if not done:
        store.undo_begin()
    return done, double, failed


def _not_kept(store: Store, done: int, error: OSError) -> UserError:
    """Return the error of a full store; ``done``: folders that were put in before."""
    failed = failed_write(str(store.place), error, REMEDY)
    if done:
        return UserError(f"{failed}; {done:,} imported, the same command imports the rest")
    store.undo_begin()
    return failed


def _key(campaign: str, machine: str, results: Results) -> str:
    """Return a key by content: a copy of a folder has the same."""
    digest = hashlib.sha256(f"{campaign}\n{machine}\n".encode())
    digest.update(json.dumps(msgspec.to_builtins(results.meta), sort_keys=True).encode())
    digest.update(results.samples.write_csv().encode())
    return digest.hexdigest()[:16]


def _record(
    key: str, campaign: str, machine: str, revision: str | None, results: Results
) -> Record:
    meta = results.meta
    installed = str(meta.environment.get("wirecost", ""))
    return Record(
        task=key, campaign=campaign, scenario=meta.scenario, host=machine, machine=machine,
        repetition=0, arguments=_arguments(meta.command), boot="", start_ns=0, end_ns=0,
        outcome=DONE, failure="", doctor_before=str(meta.doctor.get("verdict", "")),
        doctor_after="", wirecost=installed, meta=msgspec.json.encode(meta).decode(),
        created=meta.created,
        revision=installed if revision is None else revision,
    )  # fmt: skip


def _arguments(words: list[str]) -> list[str]:
    """Return those of `wirecost bench SCENARIO`; none of another command."""
    if "bench" not in words:
        return []
    behind = words[words.index("bench") + 2 :]
    arguments: list[str] = []
    skip = False
    for word in behind:
        if skip:
            skip = False
        elif word in OF_THE_FOLDER:
            skip = True
        elif not word.startswith(tuple(f"{name}=" for name in OF_THE_FOLDER)):
            arguments.append(word)
    return arguments
