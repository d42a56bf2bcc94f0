# SPDX-License-Identifier: Apache-2.0
"""A policy in PyTorch: gets observations and answers with actions. Ends with Ctrl-C.

python policy_serve.py [TRANSPORT]
"""

import sys
from contextlib import suppress

import wirecost

try:
    import torch
except ImportError:
    sys.exit("policy_serve.py: PyTorch is missing; pip install torch (5.4 GB)")

policy = torch.nn.Sequential(torch.nn.Linear(7, 64), torch.nn.Tanh(), torch.nn.Linear(64, 7))

with (
    suppress(KeyboardInterrupt),
    torch.inference_mode(),
    wirecost.serve(*sys.argv[1:], "policy", as_="torch") as requests,
):
    for request in requests:
        action = policy(request.message["joints"])
        request.answer({"action": action, "step": request.message["step"]})
