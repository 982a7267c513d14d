"""Programs that raise, for ``test_messages``: pytest does not rewrite the asserts of this file."""

import enum
import functools
import math
from dataclasses import dataclass

import numpy as np

import pullback as pb


class Mine(Exception):
    pass


class Zero(ValueError):
    def __init__(self):
        super().__init__("zero it is")


class Coded(ValueError):
    def __init__(self, code, *, why="none"):
        super().__init__(f"code {code} {why}")
        self.code = code


@dataclass
class Fields(Exception):
    a: int
    b: float


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    x: float
    n: int


def helper(v, what):
    raise Mine(f"{what}: {v:.2f}")


# --- what a message shows, if n > 2 ---------------------------------------------------------------


def shapes(x, n):
    if n > 2:
        raise ValueError(f"expected 1 of {x.shape}, {x.ndim}, {x.dtype}, {len(x)} items")
    return np.sum(x) * n


def formats(x, n):
    if n > 2:
        raise ValueError(f"{n:05d} {x[0]!r} {x[1]:.3f} {n > 3} {n!s:>4} {x[0]:{n + 5}.{2}e} {n=}")
    return np.sum(x) * n


def values(x, n):
    if n > 2:
        pair, some = (n, x[0]), [n, 2 * n]
        raise ValueError(f"{x} {pair} {some} {None} {[v * 2.0 for v in x]} {math.pi:.3f}")
    return np.sum(x) * n


def data(x, n):
    if n > 2:
        p = Point(x[0] * 1.0, n)
        color = Color.RED if x[0] > 0.0 else Color.BLUE
        word = "positive" if x[1] > 0.0 else "negative"
        raise Mine(f"{p} {p.x} {color} {color.name} {word!r} {'few' if n < 4 else 'many'}")
    return np.sum(x) * n


def several(x, n):
    if n > 2:
        raise ValueError("a", x[0], None, (1, n), {"k": n}, x, range(n))
    return np.sum(x) * n


def percent(x, n):
    if n > 2:
        first = "%d of %s, %.2f" % (n, x.shape, x[1])  # noqa: UP031  # the format is what is tested
        raise KeyError(first + " and " + str(x[0]) + "!")
    return np.sum(x) * n


def methods(x, n):
    if n > 2:
        raise Mine(f"{n} {x[1]:>8} {[n]!r}", ", ".join([str(n), "c"]).upper())
    return np.sum(x) * n


def own_constructor(x, n):
    if n > 2:
        raise Coded(n, why=f"first is {x[0]}") from KeyError(n)
    return np.sum(x) * n


def from_none(x, n):
    if n > 2:
        raise Fields(n, b=x[1]) from None
    return np.sum(x) * n


def in_lanes(x, n):
    total = 0.0
    for i in range(len(x)):
        if x[i] < -2.0 and n > 2:
            raise ValueError(f"item {i} of {x.shape} is {x[i]}, {n}")
        total += x[i] * x[i]
    return total


def asserts(x, n):
    assert n < 3, f"{x.shape} and {n}"
    return np.sum(x) * n


def asserts_value(x, n):
    assert n < 3, (n, "three")
    return np.sum(x) * n


def fails_with(what):
    raise Mine(what)


def in_helper(x, n):
    if n > 2:
        fails_with(n)
    return np.sum(x) * n


def unknown_key(x, n):
    table = {1: x[0], 2: x[1]}
    return table[n]


def text_first(x, n):
    message = f"bad {n} of {x}"
    longer = message + "!" + str(x[0])
    if n > 2:
        raise ValueError(longer, message)
    return np.sum(x) * n


def text_before_an_update(x, n):
    a = x.copy()
    message = f"was {a}"
    a[0] = 5.0
    if n > 2:
        raise ValueError(message)
    return np.sum(a) * n


def text_in_a_loop(x, n):
    total = 0.0
    for i in range(len(x)):
        message = f"item {i}: {x[i]}"
        assert n < 3 or x[i] > 0, message
        total += x[i]
    return total


def text_after_other_things(x, n):
    message = f"bad {x.shape}"
    y = x * 2.0 if n > 5 else x
    for _ in range(2):
        y = y * 1.0
    if n > 2:
        raise ValueError(f"{message} and {n}")
    return np.sum(y)


# --- programs that always raise -------------------------------------------------------------------


def wrong_rank(x):
    a = np.array([x, x])
    if a.ndim != 2:
        raise ValueError(f"expected 2-d, got {a.shape}")
    return np.sum(a)


def in_call(x):
    return helper(x, "h") + 1


def in_list(x):
    return sum([helper(x, "h") for _ in range(3)])


def in_loop(x):
    t = 0.0
    for i in range(3):
        t += helper(x * i, "loop")
    return t


def in_build(x):
    return pb.build(3, lambda i: helper(x, "b"))[0]


def in_both_arms(x):
    if x > 0:
        raise ValueError("a")
    else:
        raise KeyError("b")


def in_while(x):
    while x > 0:
        raise Zero()
    raise Fields(1, x)


def by_assert(x):
    assert False, f"never {x}"  # noqa: B011  # an assert that fails


def by_type(x):
    assert isinstance(x, int), "int wanted"
    return x


def class_alone(x):
    raise NotImplementedError


def empty_text(x):
    raise ValueError("")


def own_class_alone(x):
    raise Zero from KeyError


def wrong_constructor(x):
    raise Zero(1)


def inside_derivative(x):
    return pb.grad(in_call)(x)


def in_maximum(x):
    return max(helper(v, "m") for v in [x, x])


def in_array(x):
    return np.array([helper(x, "arr"), 1.0]).sum()


def in_lambda(x):
    return (lambda y: helper(y, "lam"))(x)


def in_fold(x):
    return pb.fold(lambda a, b: helper(a, "f"), 0.0, [x, x])


def in_generator(x):
    return sum(helper(v, "g") for v in np.ones(3) * x)


def in_items(x):
    return [helper(v, "g") for v in np.ones(3) * x][0]  # noqa: RUF015  # all items run


def in_condition(x):
    ys = [v for v in np.ones(3) * x if helper(v, "cond")]
    return ys[0]


def in_reduce(x):
    return functools.reduce(lambda a, b: helper(a, "red"), [x, x, x])


def in_match(x):
    match x:
        case 1:
            return x
        case _:
            raise Mine(f"{x=} {x!r:>10}|{'a':^5}|{type(x).__name__}")


SHOWN = [
    shapes, formats, values, data, several, percent, methods, own_constructor, from_none, in_lanes,
    asserts, asserts_value, in_helper, unknown_key, text_first, text_before_an_update,
    text_in_a_loop, text_after_other_things,
]  # fmt: skip
ALWAYS = [
    wrong_rank, in_call, in_list, in_loop, in_build, in_both_arms, in_while, by_assert, by_type,
    class_alone, empty_text, own_class_alone, wrong_constructor, inside_derivative, in_maximum,
    in_array, in_lambda, in_fold, in_generator, in_items, in_condition, in_reduce, in_match,
]  # fmt: skip


def chosen_asserted(x, n):
    assert n < 0, (f"{1 / (n - n)}" if n < 0 else f"{n:03d}", "a" if n > 2 else "b")
    return x[0]
