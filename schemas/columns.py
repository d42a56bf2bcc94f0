# SPDX-License-Identifier: Apache-2.0
"""OSI's descriptors with the columns beside their rows: ``osi_columns.fds``.

``columns.py osi.fds PROTO_FOLDER OUT``: every message that has a namesake in ``osi3.columns`` gains
the columns fields that this one lists, as someone with the ``.proto`` files would write into OSI's.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

COLUMNS = "osi3/columns.proto"
FIRST_COLUMNS_FIELD = 6 << 26


def main(osi: Path, folder: Path, out: Path) -> None:
    made = out.with_suffix(".tmp")
    command = ["protoc", f"--proto_path={folder}", f"--descriptor_set_out={made}", COLUMNS]
    subprocess.run(command, check=True)
    columns = pb.FileDescriptorSet.FromString(made.read_bytes()).file[0]
    made.unlink()
    whole = pb.FileDescriptorSet.FromString(osi.read_bytes())
    columns_fields = {
        message.name: [field for field in message.field if field.number >= FIRST_COLUMNS_FIELD]
        for message in columns.message_type
    }
    for file in whole.file:
        changed = False
        for message in file.message_type if file.package == "osi3" else ():
            for field in columns_fields.get(message.name, ()):
                copy = message.field.add()
                copy.CopyFrom(field)
                copy.ClearField("proto3_optional")
                copy.ClearField("oneof_index")
                changed = True
        if changed:
            file.dependency.append(COLUMNS)
    # The columns know nothing of OSI, so they come first.
    whole.file.insert(0, columns)
    out.write_bytes(whole.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
