"""Views of dicts give what is in the dict when they are asked, wherever they are kept; so does
whatever else reads a container late. What cannot be is refused."""

import io
from contextlib import redirect_stdout

import pytest

import pullback as pb
from tests.campaign import part, rotated
from tests.foreign.__main__ import is_right, verdict
from tests.frontend import dict_view_programs
from tests.frontend.harness import run, same


def name_of(f):
    return getattr(f, "__name__", "")


@pytest.mark.parametrize("f", dict_view_programs.RIGHT, ids=name_of)
def test_as_in_python(f):
    same(run(f, 0.7), f(0.7))


@pytest.mark.parametrize("f", part("values", dict_view_programs.RIGHT, 3), ids=name_of)
def test_gradients(f):
    is_right(f, (0.7,))
    for method in rotated("values", f.__name__, ("chad", "dual")):
        found = pb.grad(f, method=method)(0.7)
        assert found == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("f", dict_view_programs.RIGHT_OR_REFUSED, ids=name_of)
def test_right_or_refused(f):
    assert verdict(f, (0.7,))[0] in ("right", "refused")


@pytest.mark.parametrize("f", dict_view_programs.REFUSED, ids=name_of)
def test_refused(f):
    with pytest.raises(pb.PullbackError, match=dict_view_programs.REFUSED[f]):
        run(f, 0.7)


def test_shown():
    def f(x):
        d = {"a": x}
        print(d.keys(), d.values(), d.items())
        return x

    texts = []
    for g in (f, pb.jit(f)):
        with redirect_stdout(io.StringIO()) as out:
            g(0.7)
        texts.append(out.getvalue())
    assert texts[0] == texts[1]
