# Needs python3 (3.11 or newer, with venv) and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: help demo test test-compiled test-python test-bounds lint format bench clean clean-cache

help:
	@echo "make demo    solve and prove a matching, with scipy beside it"
	@echo "make test    all tests: compiled, in plain Python with coverage, with bounds checks"
	@echo "make lint    ruff and mypy"
	@echo "make bench   berge against scipy, igraph and SuiteSparse on generated graphs"
	@echo "make clean   remove caches and .venv"

# Made anew when pyproject.toml changes.
$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "berge needs Python 3.11 or newer: make PYTHON=python3.11 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]' --editable lab
	@touch $@

demo: $(VENV)/ready
	$(VENV)/bin/berge demo

test: test-compiled test-python test-bounds

test-compiled: $(VENV)/ready
	$(RUN) -m pytest

# Without the compiler every line of a kernel is seen by coverage.
KERNELS := src/berge/initial/*,src/berge/augmenting/*,src/berge/push_relabel/*,src/berge/greedy/*
KERNELS := $(KERNELS),src/berge/spmd/sort.py,src/berge/spmd/symmetric.py,src/berge/spmd/components.py,src/berge/spmd/share.py,src/berge/spmd/scan.py,src/berge/interop/nx_backend/kernels.py
KERNELS := $(KERNELS),src/berge/generate/kernels.py,src/berge/io/tokens.py,src/berge/io/digits.py
KERNELS := $(KERNELS),src/berge/multilevel/rating.py,src/berge/multilevel/two_hop.py,src/berge/multilevel/contract.py,src/berge/bench/gather.py
KERNELS := $(KERNELS),src/berge/distributed/search.py,src/berge/distributed/augment.py,src/berge/distributed/start.py,src/berge/distributed/halo.py,src/berge/distributed/locally_dominant.py,src/berge/distributed/proposals.py
test-python: $(VENV)/ready
	NUMBA_DISABLE_JIT=1 $(RUN) -m pytest -q -m kernels --cov=berge --cov-report=
	$(RUN) -m coverage report --include='$(KERNELS)' --show-missing --fail-under=95

# With a cache of its own: numba's does not know that the checks are in.
test-bounds: $(VENV)/ready
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds-cache $(RUN) -m pytest -q -m kernels

lint: $(VENV)/ready
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(RUN) docs/tables.py --check

format: $(VENV)/ready
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix
	$(RUN) docs/tables.py

bench: $(VENV)/ready
	$(VENV)/bin/berge bench run standard -o bench.jsonl
	$(VENV)/bin/berge bench show bench.jsonl

clean: clean-cache
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

# numba does not notice a change in a helper from another file.
clean-cache:
	find src tests benchmarks -name __pycache__ -type d -exec rm -rf {} +
