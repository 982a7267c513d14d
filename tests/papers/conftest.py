"""Tests of many random programs run with a large stack from the beginning: otherwise each program
would start two threads for itself, a fifth of the time of these tests."""

import pytest

from pullback.papers.language.traverse import deeply

OF_MANY_PROGRAMS = {
    "test_across", "test_chad_arrays", "test_chad_higher", "test_chad_rules", "test_chad_theorems",
    "test_curry_chad", "test_curry_combinators", "test_curry_laws", "test_curry_sums",
    "test_delta_direct",
    "test_delta_monadic", "test_delta_variants", "test_dual_costs", "test_dual_mutable",
    "test_dual_naive", "test_dual_staged", "test_dual_systems", "test_dual_tape",
    "test_every_program", "test_matrix",
}  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the test in the thread with the large stack."""
    if pyfuncitem.path.stem not in OF_MANY_PROGRAMS:
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    deeply(lambda: pyfuncitem.obj(**given))
    return True
