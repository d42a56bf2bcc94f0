# SPDX-License-Identifier: Apache-2.0
"""Tasks on several machines, by dask.distributed: one worker of one thread on each.

A worker has one task at a time. Only keys of tasks and results pass the scheduler; the worker
starts the command as a program of its own.
"""
