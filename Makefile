# SPDX-License-Identifier: Apache-2.0
# run · all · test · test-quick · test-thorough · snapshots · lint · attack · bench · results · rivals · bare · wheel · docs · transports · clean: the only commands anyone must know.
SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
.PHONY: run all test test-quick test-thorough snapshots lint attack bench results rivals bare wheel docs clean install install-test transports test-frameworks test-rivals test-peers test-ros2

WIRECOST := .venv/bin/wirecost

REFLECTIONS := 829440,100000
run: install
	$(WIRECOST) bench osi --reflections $(REFLECTIONS)

test: install-test
	setup/test

# More schemas, types and sizes than `make test` tries; before a release, or a change of the compiler.
test-thorough: install-test
	.venv/bin/python -m pytest -n 2 --dist loadfile -m thorough

# What needs no compiler, network, ROS, YARP or schemas of others: for a first change.
QUICK := advisor analysis clouds columns notebook records report repository tensor traces
test-quick: install-test
	.venv/bin/python -m pytest -n 2 --dist loadfile $(QUICK:%=tests/python/%)

# The expected answers that tests compare with (tests/**/__snapshots__), written anew; read the diff
# before you commit it. SNAPSHOTS=tests/python/report takes these tests only.
SNAPSHOTS := tests
snapshots: install-test
	.venv/bin/python -m pytest -m syrupy_snapshot --snapshot-update $(SNAPSHOTS)

# PyTorch, TensorFlow, PaddlePaddle and MXNet, 8 GB; FRAMEWORKS="torch mxnet" takes these only.
test-frameworks:
	setup/test-frameworks $(FRAMEWORKS)

lint: install-test
	setup/lint

# Hostile input for everything that reads; what finds a fault stays in build/attack.
ATTACK := --seconds 3600
attack: install-test
	.venv/bin/cmake --build build/cmake --target optimized_fuzzers
	PYTHONPATH=tests:tests/python .venv/bin/python -m attack $(ATTACK)

bench: install
	$(WIRECOST) bench osi --table1

# The runs that README and docs show, on a quiet machine; their tables, and what commands print, are written anew.
results: install
	.venv/bin/python -m benchmarks.waiting
	.venv/bin/python -m benchmarks.gate
	PYTHONPATH=tests .venv/bin/python -m documents
	PYTHONPATH=tests .venv/bin/python -m documents.pages

# Contenders of `bench osi` with current versions of FlatBuffers and Protobuf, built from source: once,
# about 6 minutes on two cores. BUILDS="release debug" builds both.
BUILDS := release
rivals: install
	setup/rivals $(BUILDS)

test-rivals: install-test
	setup/rivals release
	.venv/bin/python -m pytest tests/rivals

# Record and replay with nodes of ROS 2 on RustDDS; needs cargo, about 4 minutes the first time.
test-peers: install-test
	setup/test-peers

# Record, replay and probe run with nodes of rclcpp, built against an installed ROS 2: PREFIX=/opt/ros/jazzy.
test-ros2: install-test
	@setup/test-ros2 $(PREFIX)

# The README's two commands on a bare Debian 12 that exists as long as they run.
bare:
	setup/bare sh -c 'make run && make test'

# build/dist: a wheel for machines without a compiler, from what is built here. `setup/wheel` also
# makes the source distribution, and the wheel from that alone.
wheel: all
	setup/wheel --built

# build/site: the documentation, to be read without a network.
docs: install
	@setup/docs

install:
	@setup/install

# All parts at once, which otherwise a command builds when it needs one first.
all:
	@setup/install all

# The Python libraries of all middlewares, for `bench transport`, `wirecost.publish` and `subscribe`.
transports: install
	.venv/bin/python -m pip install -q --disable-pip-version-check -r setup/python-run.txt -r setup/python-transports.txt
	.venv/bin/python -m pip install -q --disable-pip-version-check --no-deps -r setup/python-transports-alone.txt

install-test:
	@setup/install test

clean:
	rm -rf build .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
