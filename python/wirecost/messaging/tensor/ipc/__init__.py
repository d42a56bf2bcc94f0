# SPDX-License-Identifier: Apache-2.0
"""Tensors on a CUDA device from one process to another of the same machine, without the host.

A sender copies them into a ring of slots in the device's memory, which receivers open by CUDA IPC
and copy from. The frame says where they lie; a small file per ring says whether they still do.

Tested with a stand-in for CUDA's driver only; ``setup/test-devices`` has the tests for a GPU.
"""
