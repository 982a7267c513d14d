"""Tests run with a large stack from the beginning: otherwise each program would start two threads
for itself, a fifth of the time of these tests."""

import pytest

from pullback.papers.language.traverse import deeply


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Run the test in the thread with the large stack."""
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    deeply(lambda: pyfuncitem.obj(**given))
    return True
