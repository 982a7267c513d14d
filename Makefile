# Needs python3 (3.11 or newer) with venv and pip, and make. Everything else comes into .venv.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check

# The record that the replay compares with: not tracked.
SAVED := replay.json

# The benchmarks are single-threaded; so is whatever they are compared with.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: demo package papers-pictures test test-whole test-browser test-pyright test-neighbours test-versions test-fast campaign durations replay replay-save passes docs docs-check readme-picture scaling-picture release-check bench bench-table1 callgrind clean

demo: $(VENV)/demo.stamp
	$(PY) -m pullback demo

test: $(VENV)/dev.stamp
	$(PY) -m pytest -n 2 -q

# Every case of every test; make test takes of many cases those whose turn it is (docs/TESTING.md).
test-whole: $(VENV)/dev.stamp
	$(PY) -m pytest -n 2 -q tests

# The neighbours (PyTorch, JAX, Dask, PyMC ...), in an environment of their own: some of them want
# another LLVM than this package alone would get.
test-neighbours:
	@$(MAKE) --no-print-directory VENV=.venv-neighbours .venv-neighbours/neighbours.stamp
	.venv-neighbours/bin/python -m pytest tests/neighbours -q

# The suite under each CPython that is here, with an environment for each.
VERSIONS := 3.11 3.12 3.13
test-versions:
	@for v in $(VERSIONS); do \
	  if python$$v -c "" 2>/dev/null; then \
	    $(MAKE) --no-print-directory test PYTHON=python$$v VENV=.venv-$$v || exit 1; \
	  else echo "python$$v is not here: not tested"; fi; \
	done

# The wheel and the source distribution, each tried in an empty environment.
package:
	$(PYTHON) -m tools.package

# The tests of the layers that differ from main, within two minutes.
test-fast: $(VENV)/dev.stamp
	$(PY) -m tests.fast

# What make test runs a shard of, in full: all campaigns, or one (docs/TESTING.md names them).
campaign: $(VENV)/dev.stamp
	$(PY) -m tests.campaign

campaign-%: $(VENV)/dev.stamp
	$(PY) -m tests.campaign $*

# The theorems of the papers in full, with a table of seeds and counts (tests/papers/rows).
campaign-papers-table: $(VENV)/dev.stamp
	$(PY) -m tests.papers.full

# The pages of pb.explain in a headless Chromium, driven by selenium: clicks, keys, pictures.
test-browser: $(VENV)/dev.stamp $(VENV)/browser.stamp
	$(PY) -m pytest -q tests/browser/pages.py

# What pyright says of the operators' types; mypy is asked in make test.
test-pyright: $(VENV)/dev.stamp $(VENV)/pyright.stamp
	$(VENV)/bin/pyright --pythonpath $(PY)

# How long each file of tests takes, for make test-fast and for the order in make test.
durations: $(VENV)/dev.stamp
	$(PY) -m tests.durations

# What is compiled, beside the revision BASE, or beside the record of make replay-save.
replay: $(VENV)/dev.stamp
	$(PY) -m tools.replay $(if $(BASE),against $(BASE),against-saved $(SAVED))

replay-save: $(VENV)/dev.stamp
	$(PY) -m tools.replay record $(SAVED)

# What each pass earns, over the whole corpus: docs/PASSES.md. It takes some minutes.
passes: $(VENV)/dev.stamp
	$(PY) -m tools.passes docs/PASSES.md

# Counted steps of all stages of the papers against size, and the slack of the theorems:
# docs/pictures. It takes some minutes.
papers-pictures: $(VENV)/dev.stamp
	PULLBACK_SHARD=1 $(PY) -m tests.papers.pictures

# The site, in docs/_build/html: from docs, the docstrings and the gallery, without the network.
docs: $(VENV)/docs.stamp
	$(PY) -m sphinx -W --keep-going -n -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# What make test checks of the documents, and what needs Sphinx: a warning (a dead link, a name
# that is nowhere) is an error, and the search must answer the questions of newcomers. The scripts
# of the gallery are not run.
docs-check: $(VENV)/docs.stamp
	$(PY) -m sphinx -W --keep-going -n -q -D plot_gallery=0 -b html docs docs/_build/check
	$(PY) -m tools.site_search docs/_build/check
	$(PY) -m pytest -q tests/house/test_docs.py tests/house/test_site.py tests/house/test_reference.py

# The picture of the README, from the README's own program.
readme-picture: $(VENV)/dev.stamp
	$(PY) -m tools.readme_picture

# How Dask and MPI scale on this machine: the picture and the table in docs/guide/neighbours.md.
scaling-picture:
	@$(MAKE) --no-print-directory VENV=.venv-neighbours .venv-neighbours/neighbours.stamp
	$(ONE_THREAD) .venv-neighbours/bin/python -m tools.scaling_picture

# What is missing for a release: version, changelog, tag, packages.
release-check: $(VENV)/dev.stamp
	$(PY) -m tools.release

bench: $(VENV)/bench.stamp
	$(ONE_THREAD) $(PY) -m benchmarks

bench-table1: $(VENV)/demo.stamp
	$(ONE_THREAD) $(PY) -m benchmarks.table1

callgrind: $(VENV)/demo.stamp
	@command -v valgrind >/dev/null || { echo "make callgrind needs valgrind"; exit 1; }
	$(ONE_THREAD) $(PY) -m benchmarks.instructions

clean:
	rm -rf $(VENV) $(VENV)-3.* build *.egg-info src/*.egg-info .mypy_cache .ruff_cache .pytest_cache

$(VENV)/venv.stamp:
	$(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp per extra: a changed pyproject.toml installs again.
$(VENV)/%.stamp: pyproject.toml $(VENV)/venv.stamp
	@echo "Setting up $(VENV) ($*): a minute or two the first time"
	@$(PIP) -e '.[$*]'
	@touch $@

.PRECIOUS: $(VENV)/%.stamp
