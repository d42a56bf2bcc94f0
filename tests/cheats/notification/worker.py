# SPDX-License-Identifier: Apache-2.0
"""The process of the Python contenders, with cheats for contenders."""

from __future__ import annotations

from cheats.notification.hands_over_object import HandsOverObject
from cheats.notification.honest import Honest
from cheats.notification.keeps_results import KeepsResults
from wirecost.bench.notification import python_worker


def main() -> None:
    cheats = [Honest(), HandsOverObject(), KeepsResults()]
    python_worker.all_contenders = lambda: (list(cheats), {})
    python_worker.main()


if __name__ == "__main__":
    main()
