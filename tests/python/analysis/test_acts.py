# SPDX-License-Identifier: Apache-2.0
"""What a program did at a stack is told by names of any C library, stripped or not."""

import pytest

from wirecost.results.analysis.budget.acts import act
from wirecost.results.records.probe_stacks import SYSTEM_CALLS, Stack


def stack(call: str | None) -> Stack:
    return Stack(1, "update", None, (), 1, 0, 0, 0, 0, (), (), call)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("__GI__IO_fflush", "print (write)"),
        ("fflush@@GLIBC_2.2.5", "print (write)"),
        ("__GI___printf_chk", "print (write)"),
        ("__vfprintf_internal", "print (write)"),
        ("_IO_puts", "print (write)"),
        ("std::basic_ostream<char, std::char_traits<char> >::flush()", "print (write)"),
        ("__pthread_create_2_1", "thread start (write)"),
        ("dlopen_implementation", "library load (write)"),
        ("_dl_runtime_resolve_xsavec", "lazy binding (write)"),
        ("_Unwind_RaiseException", "throw (write)"),
        ("printed(int)", "write"),
        ("__GI___libc_write", "write"),
    ],
)
def test_an_act_is_told_by_each_name_of_its_function(function: str, expected: str) -> None:
    assert act(stack("write"), SYSTEM_CALLS, ["main", function]) == expected


def test_a_stream_that_allocates_prints_nothing() -> None:
    assert act(stack(None), "allocations", ["std::ostream::flush()", "_IO_printf"]) == ""
