# SPDX-License-Identifier: Apache-2.0
# run · test · lint · bench · clean: the only commands anyone must know.
SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
.PHONY: run test lint bench clean install install-test test-frameworks

WIRECOST := .venv/bin/wirecost

run: install
	$(WIRECOST) bench osi --reflections 829440,100000

test: install-test
	setup/test

# PyTorch, TensorFlow, PaddlePaddle and MXNet, 8 GB; FRAMEWORKS="torch mxnet" takes these only.
test-frameworks:
	setup/test-frameworks $(FRAMEWORKS)

lint: install-test
	setup/lint

bench: install
	$(WIRECOST) bench osi --table1

install:
	@setup/install

install-test:
	@setup/install test

clean:
	rm -rf build .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
