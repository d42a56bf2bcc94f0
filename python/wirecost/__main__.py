# SPDX-License-Identifier: Apache-2.0
from wirecost.cli import main

main()
