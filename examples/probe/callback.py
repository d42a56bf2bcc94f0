# SPDX-License-Identifier: Apache-2.0
"""A callback with probes: how long it takes, and what for.

Record, with the state of the machine, and look:

    mkdir -p /dev/shm/callback && wirecost doctor --json /dev/shm/callback/doctor.json
    WIRECOST_PROBE=/dev/shm/callback python3 callback.py
    wirecost probe show /dev/shm/callback --deadline 1 --report callback.html
"""

from wirecost.probe import Section, prepare_thread

CALLBACK = Section("callback")


@Section("sum ranges")
def sum_ranges(points: list[float]) -> float:
    return sum(points)


def callback(message: list[float], index: int) -> float:
    with CALLBACK.run(loop=index, value=len(message)):
        points = list(message)
        return sum_ranges(points)


prepare_thread()
total = sum(callback([1.0] * (1000 + 10 * i), i) for i in range(200))
print(f"sum of all ranges: {total:.0f}")
