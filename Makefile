# Needs python3 (3.11 or newer) with venv and pip, and make. Everything else comes into .venv.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check

# The record that the replay compares with: not tracked.
SAVED := replay.json

# The benchmarks are single-threaded; so is whatever they are compared with.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: demo test papers-full campaign replay replay-save bench bench-table1 callgrind clean

demo: $(VENV)/demo.stamp
	$(PY) -m pullback demo

test: $(VENV)/dev.stamp
	$(PY) -m pytest -n 2 -q

# The papers' theorems on thousands of random programs, and on all programs up to a larger size.
papers-full: $(VENV)/dev.stamp
	PAPERS_PROGRAMS=2000 $(PY) -m pytest -n 2 -q tests/papers

# Steps after every pass, and against CPython's bytecodes, of the whole corpus and random programs.
campaign: $(VENV)/dev.stamp
	PULLBACK_CAMPAIGN=1 $(PY) -m pytest -n 2 -q tests/opt/test_work.py tests/test_python_work.py

# What is compiled, beside the revision BASE, or beside the record of make replay-save.
replay: $(VENV)/dev.stamp
	$(PY) -m tools.replay $(if $(BASE),against $(BASE),against-saved $(SAVED))

replay-save: $(VENV)/dev.stamp
	$(PY) -m tools.replay record $(SAVED)

bench: $(VENV)/bench.stamp
	$(ONE_THREAD) $(PY) -m benchmarks

bench-table1: $(VENV)/demo.stamp
	$(ONE_THREAD) $(PY) -m benchmarks.table1

callgrind: $(VENV)/demo.stamp
	@command -v valgrind >/dev/null || { echo "make callgrind needs valgrind"; exit 1; }
	$(ONE_THREAD) $(PY) -m benchmarks.instructions

clean:
	rm -rf $(VENV) build *.egg-info src/*.egg-info .mypy_cache .ruff_cache .pytest_cache

$(VENV)/venv.stamp:
	$(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp per extra: a changed pyproject.toml installs again.
$(VENV)/%.stamp: pyproject.toml $(VENV)/venv.stamp
	@echo "Setting up $(VENV) ($*): a minute or two the first time"
	@$(PIP) -e '.[$*]'
	@touch $@

.PRECIOUS: $(VENV)/%.stamp
