"""What refusals of objects, classes, exceptions and functions advise, followed."""

from __future__ import annotations

import enum
import functools
from collections import OrderedDict
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import scipy.linalg

import pullback as pb
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    IdentityError,
    MutationError,
    UnknownAttributeError,
    UnsupportedError,
)
from tests.frontend.mended import X, mends


class Kind(enum.Enum):
    NEAR = 1
    FAR = 2


@dataclass(frozen=True, eq=False)
class Apart:
    x: float


@dataclass(frozen=True)
class Alike:
    x: float


@dataclass(frozen=True)
class Keeping:
    width: float

    @functools.cached_property
    def area(self):
        return self.width * self.width


@dataclass(frozen=True)
class Computing:
    width: float

    @property
    def area(self):
        return self.width * self.width


class Number:
    def __init__(self, x):
        self.x = x

    def __bool__(self):
        return self.x


class Truth(Number):
    def __bool__(self):
        return bool(self.x)


# --- identity and classes -------------------------------------------------------------------------


def refused_is(x, y):
    return 1.0 if x is y else x


@mends(refused_is, (2.0, 2.5), "use == (or 'is None')", IdentityError)
def mended_is(x, y):
    return 1.0 if x == y else x


def refused_view_returned(x):
    d = {"a": x}
    return d.values()


@mends(
    refused_view_returned, (2.0,), "make a list of it: return list(d.values())", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_view_returned(x):
    d = {"a": x}
    return list(d.values())


def refused_view_compared(x):
    d = {"a": x}
    return x if d.values() == [x] else 2.0 * x


@mends(
    refused_view_compared, (2.0,), "compare lists: list(d.values()) == ...", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_view_compared(x):
    d = {"a": x}
    return x if list(d.values()) == [x] else 2.0 * x


def refused_no_eq(x, y):
    return 1.0 if Apart(x) == Apart(y) else x


@mends(refused_no_eq, (2.0, 2.5), "write __eq__ (leave eq=False away)", UnsupportedError)
def mended_no_eq(x, y):
    return 1.0 if Alike(x) == Alike(y) else x


def refused_type(a):
    return a[0] if type(a[0]) is np.float64 else 1.0


@mends(refused_type, (X,), "use isinstance(x, Class)", UnsupportedError)
def mended_type(a):
    return a[0] if isinstance(a[0], np.float64) else 1.0


def refused_hasattr(x):
    return x if hasattr(np.sum, "reduce") else 1.0


@mends(refused_hasattr, (2.0,), "use isinstance(x, Class), or ask for a field", UnsupportedError)
def mended_hasattr(x):
    return x if isinstance(np.sum, np.ufunc) else 1.0


def refused_bool(x):
    return x if Number(x) else 1.0


@mends(refused_bool, (2.0,), "return bool(...)", ArgumentTypeError, TypeError)
def mended_bool(x):
    return x if Truth(x) else 1.0


def refused_namespace(x):
    return SimpleNamespace({"x": x}).x


@mends(
    refused_namespace, (2.0,), "write SimpleNamespace(name=...)", UnsupportedError, differs=True
)
def mended_namespace(x):
    return SimpleNamespace(x=x).x


def refused_cached_property(x):
    return Keeping(x).area


@mends(refused_cached_property, (2.0,), "use @property where it is cheap", UnsupportedError)
def mended_cached_property(x):
    return Computing(x).area


def refused_local_class(x):
    y = 2.0 * x

    class Scaled:
        factor = y

        def __init__(self, v):
            self.v = v

        def get(self):
            return self.v * self.factor

    return Scaled(x).get()


@mends(refused_local_class, (2.0,), "self.y = y in __init__(self, ..., y)", UnsupportedError)
def mended_local_class(x):
    y = 2.0 * x

    class Scaled:
        def __init__(self, v, y):
            self.v = v
            self.y = y

        def get(self):
            return self.v * self.y

    return Scaled(x, y).get()


# --- members of enumerations ----------------------------------------------------------------------


def refused_order_of_members(x, n):
    kind = Kind.NEAR if n > 0 else Kind.FAR
    return x if kind < Kind.FAR else 2.0 * x


@mends(
    refused_order_of_members, (2.0, 1), "compare with == and !=", ArgumentTypeError, TypeError
)
def mended_order_of_members(x, n):
    kind = Kind.NEAR if n > 0 else Kind.FAR
    return x if kind != Kind.FAR else 2.0 * x


def refused_sum_of_members(x, n):
    kind = Kind.NEAR if n > 0 else Kind.FAR
    return x * (kind + 1)


@mends(
    refused_sum_of_members, (2.0, 1), "compare it with constants: if kind == ...",
    ArgumentTypeError, TypeError,
)  # fmt: skip
def mended_sum_of_members(x, n):
    kind = Kind.NEAR if n > 0 else Kind.FAR
    return x * (2 if kind == Kind.NEAR else 3)


def refused_part_of_member(x, n):
    kind = Kind.NEAR if n > 0 else Kind.FAR
    return x * kind.weight


@mends(
    refused_part_of_member, (2.0, 1), "compare it with constants: if kind == ...",
    UnknownAttributeError, AttributeError,
)  # fmt: skip
def mended_part_of_member(x, n):
    kind = Kind.NEAR if n > 0 else Kind.FAR
    return x * (2.0 if kind == Kind.NEAR else 3.0)


# --- exceptions -----------------------------------------------------------------------------------


def refused_cause(x):
    def lost():
        return KeyError("k")

    if x < 0.0:
        raise ValueError("negative") from lost()
    return x


@mends(refused_cause, (2.0,), "raise ValueError('...') from None", UnsupportedError)
def mended_cause(x):
    if x < 0.0:
        raise ValueError("negative") from KeyError("k")
    return x


def refused_spread_exception(x, what):
    if x < 0.0:
        raise ValueError(*what)
    return x


@mends(
    refused_spread_exception, (2.0, ("negative", 1.0)), "raise ValueError(first, second)",
    UnsupportedError,
)  # fmt: skip
def mended_spread_exception(x, what):
    if x < 0.0:
        raise ValueError(what[0], what[1])
    return x


# --- functions and arrays -------------------------------------------------------------------------


def refused_rule(x):
    @pb.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x))
    return f(x)


@mends(refused_rule, (2.0,), "write f.defvjp(fwd, bwd)", ArgumentTypeError, TypeError)
def mended_rule(x):
    @pb.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * x * ct,))
    return f(x)


def refused_bound_anew(x):
    xs = [np.zeros(1), x]

    def more():
        nonlocal xs
        xs = [2.0 * x]

    add = xs.append
    more()
    add(x)
    return sum(xs)


@mends(
    refused_bound_anew, (2.0,), "write a lambda if the variable is meant", MutationError,
    differs=True,
)  # fmt: skip
def mended_bound_anew(x):
    xs = [x]

    def more():
        nonlocal xs
        xs = [2.0 * x]

    add = lambda v: xs.append(v)
    more()
    add(x)
    return sum(xs)


def refused_larger_array(a, b):
    return max(a, b)


@mends(
    refused_larger_array, (X, 2.5 * X[::-1]), "use np.maximum(a, b)", ArgumentValueError, ValueError
)
def mended_larger_array(a, b):
    return np.maximum(a, b)


def refused_factor(a, b):
    return scipy.linalg.cho_solve(np.linalg.cholesky(a), b)


@mends(
    refused_factor, (np.array([[2.0, 1.0], [1.0, 3.0]]), X[:2]), "c_and_lower = cho_factor(a)",
    ArgumentTypeError, ValueError,
)  # fmt: skip
def mended_factor(a, b):
    c_and_lower = scipy.linalg.cho_factor(a)
    return scipy.linalg.cho_solve(c_and_lower, b)


def refused_at_index(a):
    return a.at[0].set(2.0)


@mends(
    refused_at_index, (X,), "update a copy: y = x.copy(); y[i] = v", UnknownAttributeError,
    AttributeError,
)  # fmt: skip
def mended_at_index(a):
    y = a.copy()
    y[0] = 2.0
    return y


def refused_to_the_front(x):
    d = OrderedDict([("a", x), ("b", 2.0 * x)])
    d.move_to_end("b", last=False)
    return list(d.values())


def refused_mixed_items(x, n):
    parts = [x, np.array([x, 2.0])]
    return np.sum(parts[n])


@mends(refused_mixed_items, (2.0, 1), "use a tuple with literal indices", UnsupportedError)
def mended_mixed_items(x, n):
    parts = (x, np.array([x, 2.0]))
    return np.sum(parts[0]) if n == 0 else np.sum(parts[1])


@mends(
    refused_to_the_front, (2.0,), "make another dict: {key: d.pop(key), **d}", UnsupportedError
)
def mended_to_the_front(x):
    d = OrderedDict([("a", x), ("b", 2.0 * x)])
    d = {"b": d.pop("b"), **d}
    return list(d.values())


def refused_text(x, what):
    if x < 0.0:
        raise what
    return x


@mends(
    refused_text, (2.0, "negative"), "the class and what it is made of in one statement",
    UnsupportedError,
)  # fmt: skip
def mended_text(x, what):
    if x < 0.0:
        raise ValueError(what)
    return x


# --- derivatives inside ---------------------------------------------------------------------------


def refused_option(x):
    return pb.grad(lambda x: x * x, in_axes=0)(x)


@mends(
    refused_option, (2.0,), "pb.grad(f, argnums, has_aux)(x)", UnsupportedError, TypeError
)
def mended_option(x):
    return pb.grad(lambda x: x * x, 0, False)(x)


def refused_tangent(x):
    @pb.custom_jvp
    def f(x):
        return x * x

    f.defjvp(lambda primals, tangents: 2.0 * primals[0] * tangents[0])
    return pb.grad(f)(x)


@mends(refused_tangent, (2.0,), "return (out, tangent_out)", ArgumentTypeError, TypeError)
def mended_tangent(x):
    @pb.custom_jvp
    def f(x):
        return x * x

    f.defjvp(lambda primals, tangents: (primals[0] ** 2, 2.0 * primals[0] * tangents[0]))
    return pb.grad(f)(x)


def refused_residuals(x):
    @pb.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: x * x, lambda x, ct: (2.0 * x * ct,))
    return pb.grad(f)(x)


@mends(refused_residuals, (2.0,), "return (out, residuals)", ArgumentTypeError, TypeError)
def mended_residuals(x):
    @pb.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * x * ct,))
    return pb.grad(f)(x)


def refused_cotangent(x):
    @pb.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, ct: 2.0 * x * ct)
    return pb.grad(f)(x)


@mends(
    refused_cotangent, (2.0,), "return a tuple with one cotangent for each argument: (ct,)",
    ArgumentTypeError, TypeError,
)  # fmt: skip
def mended_cotangent(x):
    @pb.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * x * ct,))
    return pb.grad(f)(x)


def refused_captured(x):
    a = np.zeros(3)

    def f(y):
        a[0] = y
        return a[0] * y

    return pb.checkpoint(f)(x)


@mends(refused_captured, (2.0,), "work on a copy: a_ = a.copy()", MutationError)
def mended_captured(x):
    a = np.zeros(3)

    def f(y):
        a_ = a.copy()
        a_[0] = y
        return a_[0] * y

    return pb.checkpoint(f)(x)


@dataclass(frozen=True)
class Undeclared:
    a: float

    def __post_init__(self):
        object.__setattr__(self, "twice", 2.0 * self.a)


@dataclass(frozen=True)
class Declared:
    a: float
    twice: float = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "twice", 2.0 * self.a)


def refused_undeclared(x):
    return Undeclared(x).twice * x


@mends(
    refused_undeclared, (1.5,), "declare it in the class, as a field with init=False", MutationError
)
def mended_undeclared(x):
    return Declared(x).twice * x
