# Needs python3 (3.11 or newer, with venv) and make; everything else goes into .venv, and only what
# the target at hand needs.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check
PYTEST := $(RUN) -m pytest --numprocesses=logical --dist=worksteal
SWEEP_SECONDS ?= 900
FUZZ_SECONDS ?= 600

.PHONY: help dist demo check test test-compiled test-python test-bounds sweep mutants fuzz trust atheris lint format \
	bench docs clean clean-cache

help:
	@echo "make demo     solve and prove a matching, with scipy beside it"
	@echo "make check    lint, and the tests of what you changed (2 minutes)"
	@echo "make test     all tests: compiled, in plain Python with coverage, with bounds checks"
	@echo "make sweep    every algorithm × start × threads × graph, for SWEEP_SECONDS=$(SWEEP_SECONDS)"
	@echo "make mutants  break the default's kernels on purpose, and see whether tests notice"
	@echo "make fuzz     damaged files, odd graphs, forged proofs: FUZZ_SECONDS=$(FUZZ_SECONDS) of each"
	@echo "make trust    make fuzz, storms of Ctrl-C, kills and a soak; writes docs/trust.md"
	@echo "make atheris  damaged files by coverage, FUZZ_SECONDS=$(FUZZ_SECONDS) in all"
	@echo "make lint     ruff and mypy"
	@echo "make format   ruff, and the tables in the docs"
	@echo "make bench    berge against scipy, igraph and SuiteSparse on generated graphs"
	@echo "make dist     what is released: source, pure wheel, wheel with compiled kernels; all tried"
	@echo "make docs     the documentation as a site, in build/site"
	@echo "make clean    remove caches and .venv"

# What users install. All are made anew when pyproject.toml changes.
$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "berge needs Python 3.11 or newer: make PYTHON=python3.11 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	@touch $@

$(VENV)/ready-lint: $(VENV)/ready
	$(INSTALL) --editable '.[lint]'
	@touch $@

$(VENV)/ready-lab: $(VENV)/ready lab/pyproject.toml
	$(INSTALL) --editable . --editable lab
	@touch $@

$(VENV)/ready-test: $(VENV)/ready lab/pyproject.toml
	$(INSTALL) --editable '.[test,test-cuda]' --editable lab
	@touch $@

demo: $(VENV)/ready
	$(VENV)/bin/berge demo

# In plain Python too where kernels changed: nothing to compile, and no stale cache to be misled by.
check: lint $(VENV)/ready-test
	$(RUN) -m tests.changed

test: test-compiled test-python test-bounds

test-compiled: $(VENV)/ready-test
	$(PYTEST)

# Without the compiler every line of a kernel is seen by coverage.
test-python: $(VENV)/ready-test
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q -m kernels --cov --cov-report=
	$(RUN) -m tests.kernel_files 95

# With a cache of its own: numba's does not know that the checks are in.
test-bounds: $(VENV)/ready-test
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds-cache $(PYTEST) -q -m 'kernels and not wide'

sweep: $(VENV)/ready-test
	$(PYTEST) -q --sweep --seconds=$(SWEEP_SECONDS) tests/methods/test_algorithms.py

mutants: $(VENV)/ready-test
	$(RUN) -m tests.mutation

# Each goes on from its last seed, and notes in trust/tried.json what it has tried.
fuzz: $(VENV)/ready-test
	$(RUN) -m tests.fuzz.fuzz --go-on --keep --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.fuzz.differential small --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.fuzz.differential large --go-on --seconds $(FUZZ_SECONDS)
	NUMBA_CACHE_DIR=$(VENV)/lowered-cache $(RUN) -m tests.fuzz.lowered --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.fuzz.assignments one --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.fuzz.assignments many --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.fuzz.forged --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -W ignore -m tests.fuzz.forged_files --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.fuzz.weighted --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.fuzz.general --keep --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.schedules --go-on --seconds $(FUZZ_SECONDS)

# All of the long runs, and the page of what they came to.
trust: fuzz
	$(RUN) -m tests.mutation $(addprefix checker/,$(addsuffix .py,check general capacities tutte_berge prices odd_sets vertex_prices))
	$(RUN) -m tests.chaos.storms --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.chaos.commands --go-on --seconds $(FUZZ_SECONDS)
	$(RUN) -m tests.chaos.soak --seconds 600 --note --plot docs/figures/soak.svg
	$(RUN) trust/page.py

atheris: $(VENV)/ready-test
	$(INSTALL) atheris
	$(RUN) -m tests.fuzz.atheris_target all -max_total_time=$(FUZZ_SECONDS)

$(VENV)/ready-dist: $(VENV)/ready
	$(INSTALL) --editable '.[dist]'
	@touch $@

dist: $(VENV)/ready-dist
	$(RUN) .ci/dist.py

lint: $(VENV)/ready-lint
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(RUN) docs/tables.py --check

format: $(VENV)/ready-lint
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix
	$(RUN) docs/tables.py

bench: $(VENV)/ready-lab
	$(VENV)/bin/berge bench run standard -o bench.jsonl
	$(VENV)/bin/berge bench show bench.jsonl

$(VENV)/ready-docs: $(VENV)/ready-lab
	$(INSTALL) --editable '.[docs]'
	@touch $@

# Warnings are errors, and so are links within the site that lead nowhere.
docs: $(VENV)/ready-docs
	$(RUN) -m sphinx --quiet --fail-on-warning --keep-going -c docs . build/site
	@echo "build/site/index.html"

clean: clean-cache
	rm -rf $(VENV) build/site .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

clean-cache:
	find src lab tests -name __pycache__ -type d -exec rm -rf {} +
	rm -rf src/berge/compile/shipped $(VENV)/bounds-cache $(VENV)/lowered-cache
