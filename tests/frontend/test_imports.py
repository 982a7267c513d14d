"""Imports inside functions, and list displays with ``*``."""

import numpy as np
import pytest

import pullback as pb
from pullback.errors import UnknownNameError


def imports(x):
    import math
    from math import pi
    from math import sin as s

    import numpy as also_np
    import scipy.special as special

    return math.cos(x) + s(x) * pi + also_np.exp(x) + special.erf(x)


def imports_nothing(x):
    import no_such_module_anywhere

    return no_such_module_anywhere.f(x)


def test_imports_inside_functions():
    assert pb.jit(imports)(0.5) == pytest.approx(imports(0.5), rel=1e-15)
    pb.check_grads(imports, (0.5,))
    with pytest.raises(UnknownNameError, match="no_such_module_anywhere"):
        pb.grad(imports_nothing)(0.5)


def imports_by_dots(x):
    from ..exact import math as m
    from . import test_updates
    from .test_closures import np as numpys

    return numpys.exp(x) * m.pi + len(test_updates.__name__)


def imports_too_far(x):
    from ....nothing import f

    return f(x)


def test_imports_by_dots():
    assert pb.jit(imports_by_dots)(0.5) == imports_by_dots(0.5)
    pb.check_grads(imports_by_dots, (0.5,))
    with pytest.raises(UnknownNameError, match="relative import"):
        pb.grad(imports_too_far)(0.5)


def displays(a, b):
    c = [*a, *b, 1.0]
    d = [0.0, *a]
    e = [*a]
    e[0] = 7.0
    f = [*(x * x for x in a), *range(2)]
    return sum(c) * len(c) + d[1] + e[0] * a[0] + sum(f) + len([*a, *a])


def grown(a):
    xs = [*a, 1.0]
    xs.append(2.0)
    xs[0] = a[1] * 3.0
    ys = [*xs, *xs]
    ys[1] = 0.0
    return sum(ys) + sum(xs) * a[0]


@pytest.mark.parametrize(
    "f, args",
    [
        (displays, ([1.0, 2.0], [3.0])),
        (displays, ([1.5], [])),
        (grown, ([1.0, 2.0],)),
        (grown, (np.array([1.0, 2.0, 3.0]),)),
    ],
)
def test_list_displays_with_stars(f, args):
    assert pb.jit(f)(*args) == f(*args)
    pb.check_grads(f, args)
