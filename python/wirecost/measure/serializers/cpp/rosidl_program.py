# SPDX-License-Identifier: Apache-2.0
"""A program for the Python of a ROS 2: generates C++ structs and type supports from ``.msg`` files.

``python rosidl_program.py JSON`` with ``folder`` (``<package>/msg/<Name>.msg``, and all that is
generated), ``names`` (``package/Name``, each behind those that it uses), ``templates`` (folders of
them, by generator).
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

from rosidl_adapter.msg import convert_msg_to_idl  # type: ignore[import-not-found]
from rosidl_generator_cpp import generate_cpp as structs  # type: ignore[import-not-found]
from rosidl_typesupport_fastrtps_cpp import (  # type: ignore[import-not-found]
    generate_cpp as support,
)

try:
    from rosidl_generator_type_description import (  # type: ignore[import-not-found]
        generate_type_hash,
    )
except ImportError:  # before Iron types have no hashes
    generate_type_hash = None

PUBLIC = "rosidl_typesupport_fastrtps_cpp__visibility_control.h"
# Functions of the handles, as C's generator would declare them; serializing does not call them.
DESCRIBED = {
    "get_type_hash": "rosidl_type_hash_t",
    "get_type_description": "rosidl_runtime_c__type_description__TypeDescription",
    "get_type_description_sources": "rosidl_runtime_c__type_description__TypeSource__Sequence",
}


def main() -> None:
    job = json.loads(sys.argv[1])
    folder = Path(job["folder"])
    with contextlib.redirect_stdout(sys.stderr):
        for name in job["names"]:
            _generate(folder, name, job["names"], job["templates"])


def _generate(folder: Path, name: str, names: list[str], templates: dict[str, str]) -> None:
    package, _, message = name.partition("/")
    out = folder / package
    path = folder / "arguments.json"
    arguments: dict[str, object] = {
        "package_name": package,
        "output_dir": str(out),
        "idl_tuples": [f"{out}:msg/{message}.idl"],
        "ros_interface_dependencies": [],
        "target_dependencies": [],
        "include_paths": [f"{p}:{folder / p}" for p in {path.partition("/")[0] for path in names}],
    }

    def written(**more: object) -> str:
        path.write_text(json.dumps(arguments | more), encoding="utf-8")
        return str(path)

    convert_msg_to_idl(out, package, Path("msg", f"{message}.msg"), out / "msg")
    if generate_type_hash is not None:
        (described,) = generate_type_hash(written())
        arguments["type_description_tuples"] = [f"msg/{message}.idl:{described}"]
    structs(written(template_dir=templates["rosidl_generator_cpp"]))
    outputs = support(written(template_dir=templates["rosidl_typesupport_fastrtps_cpp"]))
    path.unlink()
    kinds = ("PUBLIC", "EXPORT", "IMPORT")
    defines = (f"#define ROSIDL_TYPESUPPORT_FASTRTPS_CPP_{kind}_{package}\n" for kind in kinds)
    (out / "msg" / PUBLIC).write_text("#pragma once\n" + "".join(defines), encoding="utf-8")
    if generate_type_hash is not None:
        (source,) = (Path(path) for path in outputs if str(path).endswith(".cpp"))
        header = source.parents[1] / source.name.replace("__type_support.cpp", "__functions.h")
        header.write_text(_described(f"{package}__msg__{message}"), encoding="utf-8")


def _described(name: str) -> str:
    functions = (
        f"static const {kind}* {name}__{function}(const rosidl_message_type_support_t*)"
        " { return nullptr; }\n"
        for function, kind in DESCRIBED.items()
    )
    header = '#include "rosidl_runtime_c/message_type_support_struct.h"\n'
    return "#pragma once\n" + header + "".join(functions)


if __name__ == "__main__":
    main()
