"""Choose the part of each campaign that a run takes: a shard by default, all of it when asked.

A *campaign* makes a claim about very many programs: of the whole corpus stage by stage, of random
programs, of all programs up to a size. ``make test`` runs a fixed core of each, so that every claim
is tested in every run, and a shard that moves on with the commits (``docs/TESTING.md``);
``PULLBACK_SHARD`` repeats the one that the header of a run names. ``PULLBACK_CAMPAIGN`` asks for
campaigns in full: names with commas between them, or ``all`` (``make campaign-NAME``,
``make campaign``).
"""

import os
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

NAMES = {
    "agreement": ("every way to a value and a derivative natively, for the corpus and NumPy's",
                  "tests/test_agreement.py", "tests/test_modes.py",
                  "tests/frontend/test_numpy_linalg.py", "tests/frontend/test_numpy_masks.py",
                  "tests/frontend/test_numpy_special.py", "tests/frontend/test_lapack.py",
                  "tests/frontend/test_scipy_ufuncs.py", "tests/frontend/test_polynomial_series.py",
                  "tests/frontend/test_scipy_goodness.py", "tests/frontend/test_scipy_curves.py",
                  "tests/frontend/test_distribution_wholes.py",
                  "tests/frontend/test_scipy_counts.py",
                  "tests/frontend/test_library_texts.py", "tests/frontend/test_sorted_texts.py",
                  "tests/test_sparse.py", "tests/test_threads.py", "tests/ad/test_rows_of_sums.py",
                  "tests/ad/test_loop_rows.py", "tests/test_rules_of_data.py"),
    "cost": ("steps and instructions at all sizes, for every program of the corpus",
             "tests/test_scaling.py", "tests/test_cost.py"),
    "work": ("steps after every pass, and against CPython's bytecodes, for the corpus",
             "tests/opt/test_work.py", "tests/test_python_work.py"),
    "order": ("what is compiled depends on no order and no process, all programs and stages",
              "tests/test_order.py"),
    "papers": ("the papers' theorems on thousands of random programs and on all small ones",
               "tests/papers"),
    "random": ("random programs: derivatives of all kinds, np.where, exact bits",
               "tests/ad/test_random.py", "tests/opt/test_pipeline.py",
               "tests/frontend/test_caught_statements.py", "tests/test_random_where.py",
               "tests/test_exact.py", "tests/frontend/test_random_control.py",
               "tests/frontend/test_random_lists.py", "tests/frontend/test_random_updates.py",
               "tests/frontend/test_exits.py", "tests/frontend/test_exception_values.py",
               "tests/frontend/test_random_owners.py", "tests/frontend/test_keyed_programs.py",
               "tests/frontend/test_shared_objects.py"),
    "edges": ("every function of numbers at its edge values, in all types",
              "tests/frontend/test_edge_values.py"),
    "surface": ("library functions that are texts, on all arguments that their signatures give",
                "tests/frontend/test_surface.py", "tests/frontend/test_distributions.py",
                "tests/frontend/test_scipy_texts.py", "tests/frontend/test_scipy_solvers.py",
                "tests/frontend/test_scipy_minima.py", "tests/frontend/test_scipy_fits.py",
                "tests/frontend/test_scipy_integrals.py",
                "tests/frontend/test_scipy_searches.py", "tests/frontend/test_search_callbacks.py",
                "tests/frontend/test_initial_values.py",
                "tests/frontend/test_images.py",
                "tests/frontend/test_sparse_products.py"),
    "lines": ("functions of NumPy with unusual keywords, and of SciPy, one call in a line",
              "tests/frontend/test_numpy_lines.py", "tests/frontend/test_scipy_lines.py",
              "tests/frontend/test_scipy_iterative.py",
              "tests/frontend/test_fourier.py"),
    "foreign": ("two hundred programs as people write them: right, or refused as before",
                "tests/test_foreign.py", "tests/frontend/test_hash_tables.py"),
    "values": ("values by code of their own, derivatives by both methods, all examples",
               "tests/test_examples.py", "tests/test_gallery.py", "tests/test_seen_outside.py",
               "tests/test_vmap.py",
               "tests/test_class_state.py", "tests/frontend/test_random_numbers.py",
               "tests/frontend/test_masked_arrays.py",
               "tests/explanation/test_explanation.py",
               "tests/explanation/test_trails.py",
               "tests/test_parts_outside.py", "tests/test_graphs.py",
               "tests/test_divided_loops.py",
               "tests/test_tables_as_results.py", "tests/test_nested_data.py",
               "tests/test_jet.py", "tests/test_derived.py", "tests/opt/test_contractions.py",
               "tests/opt/test_products_of_rows.py", "tests/opt/test_cells.py",
               "tests/opt/test_constructor_specialisation.py",
               "tests/opt/test_known_constructor.py",
               *(f"tests/frontend/test_{name}.py" for name in (
                   "attribute_updates", "container_bases", "local_classes", "value_classes",
                   "function_identity",
                   "advice", "aliases", "asdict", "bools_in_operators", "caught",
                   "cached_methods", "chosen_classes", "clause_names",
                   "constructs", "contextmanager", "deques", "descriptors", "dict_views",
                   "error_texts", "exception_values", "fallbacks",
                   "generators", "given_containers", "given_dicts", "given_iterators",
                   "given_sets", "grouped", "iterator_classes", "iterators", "kept_generators",
                   "keyed_programs", "long_tuples", "mended_programs", "mixed_keys", "objects",
                   "parted_attributes", "placeholders", "places", "recursion_kinds", "sending",
                   "set_order", "several_ranks", "shared_objects", "sorted_keys",
                   "spread_arguments", "stacks",
                   "try", "tuple_trees", "turns", "unions", "unlike_tuples", "unrolled_ranges",
                   "views"))),
    "cells": ("every sort of value in every operation, as in Python or refused",
              "tests/frontend/test_cells.py"),
    "refactorings": ("programs that are rewritten as people move code about give the same",
                     "tests/test_refactoring.py"),
    "second": ("what a second process loads from disk is what the first compiled, at low limits",
               "tests/test_second_process.py"),
    "interrupts": ("Ctrl-C at many places of the compiler; the memory of many compilations",
                   "tests/test_interrupted_compilation.py", "tests/test_caches.py",
                   "tests/test_interrupts.py"),
    "kept": ("compiled code on disk, while processes that write it are killed",
             "tests/native/test_objects.py"),
}  # fmt: skip
"""The campaigns: what each is about, and its tests."""


def _position() -> int:
    """Return a tenth of the number of commits, so that the tests after a commit are mostly those
    before it; without git, the number of the day."""
    root = Path(__file__).parents[1]
    try:
        done = subprocess.run(
            ["git", "rev-list", "--count", "HEAD"], cwd=root, capture_output=True, text=True,
            timeout=20, check=True,
        )  # fmt: skip
        return int(done.stdout) // 10
    except (OSError, ValueError, subprocess.SubprocessError):
        return int(time.time() // 86400)


SHARD = int(os.environ.get("PULLBACK_SHARD") or _position())
os.environ["PULLBACK_SHARD"] = str(SHARD)  # for the processes that run the tests

_asked = set(filter(None, os.environ.get("PULLBACK_CAMPAIGN", "").split(",")))
ASKED = frozenset(NAMES if "all" in _asked else _asked)
assert set(NAMES) >= ASKED, f"no such campaign: {ASKED - set(NAMES)}; there are {list(NAMES)}"


def full(campaign: str) -> bool:
    """Whether a campaign is asked for in full."""
    return campaign in ASKED


def chosen(campaign: str, name: str, every: int) -> bool:
    """Whether a program (or a case of a test) is in the shard, which is a part of ``every``."""
    assert campaign in NAMES
    return full(campaign) or zlib.crc32(name.encode()) % every == SHARD % every


def part(campaign: str, items: Sequence[T], every: int, core: Sequence[int] = (0,)) -> list[T]:
    """Return the items at the places ``core``, and one in ``every`` of the others; or all."""
    assert campaign in NAMES
    if full(campaign):
        return list(items)
    return [x for k, x in enumerate(items) if k in core or k % every == SHARD % every]


def seeds(campaign: str, core: int, shard: int, of: int) -> list[int]:
    """Return seeds of random programs: ``core`` that are always the same, and ``shard`` others out
    of ``of``, which change with the commits; or all of them."""
    assert campaign in NAMES
    if full(campaign):
        return list(range(of))
    start = core + SHARD * shard % max(1, of - core - shard + 1)
    return [*range(core), *range(start, start + shard)]


def rotated(campaign: str, name: str, items: Sequence[T]) -> Sequence[T]:
    """Return one of the items, a different one for each name and in each shard; or all of them."""
    assert campaign in NAMES
    if full(campaign):
        return items
    return [items[(zlib.crc32(name.encode()) + SHARD) % len(items)]]


MANY, TURNS, TAKEN = 6, 7, 2
"""A test with so many cases takes each of them in ``TAKEN`` of ``TURNS`` shards. Seven has no
common factor with the turns of the campaigns, so a case which is in a campaign too has its turn."""


def in_turn(cases: Sequence[T], names: Sequence[str]) -> list[T]:
    """Return the cases of one test that a run of the whole suite takes: of many those whose turn it
    is, by their names, and one at least."""
    if len(cases) < MANY:
        return list(cases)
    numbers = [(zlib.crc32(name.encode()) + SHARD) % TURNS for name in names]
    taken = [case for case, k in zip(cases, numbers, strict=True) if k < TAKEN]
    return taken or [cases[SHARD % len(cases)]]


def main(names: Sequence[str]) -> int:
    """Run campaigns in full, all of them if none is named."""
    assert set(names) <= set(NAMES), f"the campaigns are {', '.join(NAMES)}"
    files = sorted({file for name in names or NAMES for file in NAMES[name][1:]})
    asked = {**os.environ, "PULLBACK_CAMPAIGN": ",".join(names or NAMES)}
    words = [sys.executable, "-m", "pytest", "-n2", "-q", *files]
    return subprocess.run(words, env=asked, check=False, timeout=86_400).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
