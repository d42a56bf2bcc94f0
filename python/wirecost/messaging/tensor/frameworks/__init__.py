# SPDX-License-Identifier: Apache-2.0
"""One file a framework, under its name in frames; each imports its framework where it needs it.

``encoder`` says how objects of a class are written, ``tensor`` makes a tensor over received memory,
``restore`` an object from what was written; ``wirecost.tensor.matching.Framework`` has the details.
"""
