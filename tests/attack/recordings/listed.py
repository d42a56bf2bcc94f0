# SPDX-License-Identifier: Apache-2.0
"""Disagreements that stay, each with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Listed:
    """``kind``: a pattern of what ``disagreement`` reports; ``container``: of the pair's name."""

    container: str
    kind: str
    reason: str


LISTED = (
    Listed(
        "mcap|trace",
        r"refuses: UserError: _ its index has no message for frame",
        "an index that leads to other bytes than a message of its time and channel; the package "
        "reads whole chunks and does not look at it. The line names a command that rebuilds it",
    ),
    Listed(
        "mcap|trace",
        r"refuses: UserError: _ the chunk at byte N is damaged \((a chunk|compression )",
        "a chunk of another size than it states, or of an unknown compression: the package ignores "
        "the size, or the checksum of a chunk whose size is 0, and takes what is compressed by an "
        "unknown method as it is; ours does not guess",
    ),
    Listed(
        "mcap|trace",
        r"warns, yet reads other messages, beside ZstdError",
        "a chunk of another size than it states is left out and counted, and chunks behind a "
        "damaged one are read; the package takes the former and gives up at the latter",
    ),
    Listed(
        "mcap|trace",
        r"warns, yet reads other messages, beside whole",
        "a copy of a channel or schema that differs from it, behind data after their end: ours "
        "says that the last is taken, the package takes the first",
    ),
    Listed(
        "mcap|trace",
        r"refuses: UserError: _ holds no",
        "a record of a known kind longer than its own length: the package reads on and finds all "
        "behind it, ours stops there, here before the first channel",
    ),
    Listed(
        "mcap|trace",
        r"reads other messages and lacks some, beside .*whole",
        "a message that neither the index nor the statistics count: the package unpacks each chunk "
        "and so finds it; ours would have to read all of a file whose index fits its statistics",
    ),
    Listed(
        "mcap|trace",
        r"is silent, beside (McapError|KeyError): ",
        "a channel or schema behind the messages that need it: the package gives up at the first, "
        "ours reads all. A channel without its schema is listed as such where it is chosen",
    ),
    Listed(
        "mcap|trace",
        r"is silent, beside \w+:.*\|",
        "damage outside of what the index leads to, or behind the last message: all that the "
        "package found before it gave up is read, and the index leads to as many as are counted",
    ),
    Listed(
        "mcap|trace",
        r"reads other messages, beside ",
        "an index that leads to whole messages of its times and channels within other records: the "
        "package takes these records' lengths, ours the index",
    ),
    Listed(
        "bag",
        r"refuses: UserError: _ cannot be read \(two connections of one number\)",
        "rosbags gives each of the two all messages, those of the other type among them",
    ),
    Listed(
        "bag",
        r"is silent, beside ReaderError: Bag index looks damaged: .*Could not read string field",
        "a definition or digest that is not UTF-8 or not there: older files have it in comments",
    ),
    Listed(
        "db3",
        r"reads other messages, beside whole",
        "messages that a damaged key of the topics' table hides from rosbags' join; ours reads the "
        "tables one by one",
    ),
    Listed(
        "db3",
        r"is silent, beside UnicodeDecodeError: ",
        "text that is not UTF-8 is read with U+FFFD in its place",
    ),
    Listed(
        "db3",
        r"is silent, beside ReaderError: Cannot open database .*(no such (column|table)|missing)",
        "a table or column of newer layouts that messages can be read without",
    ),
    Listed(
        "db3",
        r"is silent, beside (TypeError|KeyError|SQLError|ReaderError: Could not load YAML)",
        "rosbags stops at profiles of quality of service, times and kinds of definitions that it "
        "does not know; ours reads messages without them",
    ),
    Listed(
        "db3",
        r"is silent, beside (CorruptError|.*malformed)",
        "a damaged page that only columns or an index which ours does not read lie in",
    ),
    Listed(
        "db3",
        r"refuses: UserError: _ cannot be read \(",
        "a damaged index or table that rosbags asks less of: refused in one line with the reason",
    ),
)


def listed(container: str, kind: str) -> Listed | None:
    for entry in LISTED:
        if re.fullmatch(entry.container, container) and re.match(entry.kind, kind):
            return entry
    return None
