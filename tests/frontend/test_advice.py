"""The advice that refusals give for library functions is real: it compiles and gives the same."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.special

import pullback as pb
from pullback.call import driver
from pullback.frontend.kinds.values import CALLS, WRITTEN
from pullback.frontend.python.rewrites import ANYTHING, DESCENT, REWRITES, rewrite_of
from tests import campaign
from tests.frontend.advice import ADVICE, OUTSIDE, X, descend
from tools import library_page
from tools.library_page import IN_ANOTHER_WAY


def flat(value):
    """The numbers of a value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return np.concatenate([np.ravel(flat(v)) for v in value])
    return np.asarray(value, float)


@pytest.mark.parametrize("at", range(len(ADVICE)), ids=lambda k: ADVICE[k][0])
def test_the_advice_gives_the_same(at):
    name, args, original, mended = ADVICE[at]
    assert rewrite_of(name) != ANYTHING
    wanted = flat(original(*args))
    tolerance = 1e-6 if name.startswith("scipy.integrate.") else 1e-9
    for found in (mended(*args), driver.run(mended, args, "eval")):
        assert np.allclose(flat(found), wanted, rtol=tolerance, atol=tolerance)


STAND_INS = {
    "functools.singledispatch", "scipy.integrate.ode",
    "pb.ravel", "torch.tanh", "tqdm.contrib.tzip",
}  # fmt: skip
"""Of these the original is written without the function itself."""


@pytest.mark.parametrize("at", campaign.part("values", range(len(ADVICE)), 3), ids=str)
def test_what_the_page_says_is_out_is_refused(at):
    """``docs/library.md`` has what the compiler does."""
    name, args, original, _ = ADVICE[at]
    anyway = any(name == n or (n.endswith(".") and name.startswith(n)) for n in IN_ANOTHER_WAY)
    if library_page.supported(name):
        assert f"| `{name}` |" not in library_page.page()  # it is in, with arguments that fit
    elif name in STAND_INS or anyway:
        pb.jit(original)(*args)
    else:
        with pytest.raises(pb.PullbackError, match="not supported"):
            pb.jit(original)(*args)


def test_the_page_of_library_functions_is_what_the_compiler_has():
    assert library_page.PAGE.read_text() == library_page.page(), "python -m tools.library_page"


def test_every_advice_is_shown():
    shown = {rewrite_of(name) for name, *_ in ADVICE}
    missing = set(REWRITES.values()) - shown - OUTSIDE - {DESCENT}
    assert missing == set()
    assert np.allclose(descend(X), np.ones(5), atol=1e-5)


def test_what_the_advice_names_is_supported():
    text = "\n".join(REWRITES.values())
    for name in set(re.findall(r"\bnp\.((?:linalg\.)?\w+)\(", text)):
        obj = np
        for part in name.split("."):
            obj = getattr(obj, part)
        assert obj in CALLS or obj in WRITTEN, name
    for name in set(re.findall(r"\bscipy\.special\.(\w+)\(", text)):
        assert getattr(scipy.special, name) in CALLS, name
    for name in set(re.findall(r"\bpb\.(\w+)\(", text)):
        assert name in pb.__all__, name


def test_the_longest_name_counts():
    assert rewrite_of("scipy.optimize.brentq") == REWRITES["scipy.optimize."]
    assert rewrite_of("scipy.optimize.milp") == REWRITES["scipy.optimize.milp"]
    assert rewrite_of("numpy.random.mtrand.RandomState.normal") == REWRITES["numpy.random."]
    assert rewrite_of("mine.helper") == ANYTHING
