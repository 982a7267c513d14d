"""Programs that catch exceptions: each with arguments that go every way."""

from __future__ import annotations

import contextlib
import math
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce

import numpy as np

import pullback as pb


class TooSmallError(ValueError):
    pass


class OtherError(Exception):
    pass


def by_log(x):
    try:
        return math.log(x)
    except ValueError:
        return -3.0 * x


def bound_before(x):
    y = 2.0 * x
    try:
        y = y * 3.0
        z = math.sqrt(y)
        y = z + 1.0
        y += math.log(x - 1.0)
    except ValueError:
        y = y * 7.0
    return y


def counted_until(xs):
    total, n = 0.0, 0
    try:
        for x in xs:
            total += math.sqrt(x)
            n += 1
    except ValueError:
        total *= 10.0 + n
    else:
        total += 0.5
    return total


def _half(x):
    if x > 100.0:
        raise ValueError("too large")
    return x / 2.0


def what_was_there_before_a_call(x):
    """The call is all that an attempt does, and its result the variable that the clause reads."""
    try:
        while x > 1.0:
            x = _half(x)
    except ValueError:
        x = x / 50.0
    return x


def what_was_there_round_by_round(x):
    y = 3.0 * x
    for _ in range(3):
        try:
            for _ in range(2):
                y = _half(y)
        except ValueError:
            y = y / 7.0 + x
    return y


def each_guarded(xs):
    total = 0.0
    for x in xs:
        try:
            total += math.log(x)
        except ValueError:
            total -= x
            continue
        total += 1.0
    return total


def leaves_loop(xs):
    total = 0.0
    for x in xs:
        try:
            if x > 5.0:
                break
            total += math.log(x)
        except ValueError:
            if x < -4.0:
                return total
            total -= x
    else:
        total += 100.0
    return total


def in_while(x):
    n = 0
    while True:
        try:
            if x < 1.0:
                raise TooSmallError("too small")
            return math.log(x) + n
        except TooSmallError:
            x *= 2.0
            n += 1


def test_of_while(x):
    n = 0
    try:
        while math.sqrt(x) > 0.1:
            x -= 1.0
            n += 1
    except ValueError:
        return x * n
    return x + n


def nested(x):
    try:
        try:
            if x > 3.0:
                raise OtherError
            return math.log(x)
        except ValueError:
            return math.sqrt(x + 1.0)
    except ValueError:
        return x * x
    except OtherError:
        return 1.0 / x


def inner_passes_on(x):
    y = x
    try:
        y = 3.0 * x
        try:
            y = y + math.log(x)
        except KeyError:
            y = 0.0
    except (ValueError, ZeroDivisionError):
        y = y * y
    return y


def again(x):
    try:
        try:
            return math.log(x)
        except ValueError:
            raise
    except ValueError:
        return 5.0 * x


def helper(x, k):
    if k == 0:
        return math.sqrt(x)
    return x * helper(x - 1.0, k - 1)


def in_recursion(x, k):
    try:
        return helper(x, k)
    except ValueError:
        return x / 2.0


def tries_below(x, k):
    if k == 0:
        return math.log(x)
    try:
        return x * tries_below(x - 1.0, k - 1)
    except ValueError:
        return x + tries_below(x + 2.0, k - 1)


def comprehended(xs):
    try:
        logs = [math.log(x) for x in xs]
    except ValueError:
        logs = [x * x for x in xs]
    return sum(logs)


def tabled(a):
    try:
        t = np.array([[math.sqrt(a[i] - 0.1 * j) for j in range(3)] for i in range(len(a))])
    except ValueError:
        return np.sum(a)
    return np.sum(t * t * t)


def summed(xs):
    try:
        return sum(math.sqrt(x) for x in xs)
    except ValueError:
        return sum(xs) * 2.0


def off_the_end(xs, i):
    try:
        return xs[i] ** 2
    except IndexError:
        return sum(xs)


def stores(xs, i):
    out = [0.0, 0.0, 0.0]
    try:
        out[i] = xs[0] * 2.0
    except IndexError:
        out[0] = xs[1] * 3.0
    return out[0] + 2.0 * out[1] - out[2]


def divides(a, b, default=0.25):
    try:
        q = a / b
    except ZeroDivisionError:
        q = default * a
    else:
        q *= 2.0
    finally:
        a = a + 1.0
    return q + a


def with_finally(x):
    out = []
    try:
        out.append(x)
        if x > 2.0:
            return x * 2.0 + len(out)
        y = math.sqrt(x)
    except ValueError:
        y = 0.5 * x
    finally:
        out.append(3.0)
    return y + sum(out)


def finally_in_loop(xs):
    seen = 0.0
    for x in xs:
        try:
            if x < 0.0:
                continue
            if x > 4.0:
                break
            seen += x * x
        finally:
            seen += 0.1 * x
    return seen


def finally_under_a_try(x):
    n = 1.0
    try:
        try:
            n = n + math.log(x)
        finally:
            n = n * 3.0
    except ValueError:
        return n * x
    return n


def always(x):
    try:
        raise OtherError("now")
    except OtherError:
        return 2.0 * x


def never(x):
    try:
        y = x + 1.0
    except ValueError:
        y = 0.0
    return y * x


def bare(x):
    try:
        return math.acos(x)
    except:  # noqa: E722  # the bare one is what is tried
        return x


def asserted(x):
    try:
        assert x > 0.0, "positive"
        return math.sqrt(x)
    except AssertionError:
        return math.sqrt(-x)


def suppressed(xs):
    best = 1.0
    for x in xs:
        with suppress(ValueError):
            best = max(best, math.log(x))
    return best


def quiet(x):
    with np.errstate(all="ignore"):
        y = np.log(x) * 2.0
    with contextlib.nullcontext():
        return y + x


def solved(a, b):
    try:
        return np.linalg.solve(a, b).sum()
    except np.linalg.LinAlgError:
        return (a * b).sum()


def factored(a):
    try:
        return np.linalg.cholesky(a).sum()
    except np.linalg.LinAlgError:
        return np.trace(a) * 2.0


def of_a_tuple(x):
    kinds = (ValueError, ZeroDivisionError)
    try:
        return 1.0 / math.sqrt(x)
    except kinds:
        return x - 4.0


def first_clause(x):
    try:
        if x > 1.0:
            raise KeyError("k")
        return math.log(x)
    except LookupError:
        return 2.0 * x
    except ValueError:
        return 3.0 * x
    except Exception:
        return 4.0 * x


def closure(x):
    def safe(f, y):
        try:
            return f(y)
        except ValueError:
            return 0.0 * y + 2.0

    return safe(math.log, x) + safe(math.sqrt, x) + safe(lambda v: v * x, x)


def grows(xs):
    out = []
    for x in xs:
        try:
            out.append(math.log(x))
        except ValueError:
            out.append(x)
    return sum(v * k for k, v in enumerate(out))


def many(xs):
    bad = 0
    good = []
    for x in xs:
        try:
            y = math.sqrt(x)
            z = 1.0 / y
        except ValueError:
            bad += 1
        except ZeroDivisionError:
            bad += 2
        else:
            good.append(z)
    return sum(good) * (1 + bad)


def loop_in_try_in_loop(rows):
    total = 0.0
    for row in rows:
        part = 0.0
        try:
            for v in row:
                if v > 9.0:
                    break
                for w in row:
                    part += math.sqrt(v * w)
        except ValueError:
            total -= part
            continue
        total += part
    return total


def matched(x):
    try:
        match math.floor(math.sqrt(x)):
            case 0:
                return x
            case 1:
                return math.log(x - 1.0)
            case _:
                return x * x
    except ValueError:
        return 4.0 * x


def in_place(x):
    xs = [1.0]
    try:
        xs.append(x)
        xs.append(2.0 * x)
        y = math.sqrt(x)
        xs.append(y)
    except ValueError:
        xs.append(-x)
    return sum(v * (k + 1) for k, v in enumerate(xs))


@dataclass(frozen=True)
class Leaf:
    v: float


@dataclass(frozen=True)
class Branch:
    low: Tree
    high: Tree


Tree = Leaf | Branch


def grown(x, d):
    if d == 0:
        if x < 0.0:
            raise TooSmallError(f"{x} is negative")
        return Leaf(math.sqrt(x))
    return Branch(grown(x - 0.5, d - 1), grown(x + 0.5, d - 1))


def total(t):
    match t:
        case Leaf(v):
            return v
        case Branch(l, r):
            return total(l) + 2.0 * total(r)


def tree(x, d):
    try:
        t = grown(x, d)
    except TooSmallError:
        t = Leaf(3.0 * x)
    return total(t)


def derivative(x):
    def f(v):
        return math.log(v) * v

    try:
        return pb.grad(f)(x)
    except ValueError:
        return 7.0 * x


def reduced(xs):
    try:
        return reduce(lambda a, b: a + math.sqrt(b), xs, 0.0) + sum(map(math.log, xs))
    except ValueError:
        return xs[0] * 2.0


def raised_by_a_handler(x):
    def inner(y):
        try:
            return math.sqrt(y)
        except ValueError:
            raise KeyError("k") from None

    try:
        return inner(x)
    except KeyError:
        return x**3


def twice(x):
    for _ in range(2):
        try:
            return math.log(x)
        except ValueError:
            x = -x
    return 0.0 * x


def bound_between(x):
    try:
        x = math.log(x)
        x = math.log(x)
    except ValueError:
        return x
    return x * 10.0


def to_the_end(xs):
    s, i = 0.0, 0
    try:
        while True:
            s += xs[i]
            i += 1
    except IndexError:
        return s * i


def all_four(x):
    try:
        if x < 0.0:
            return -x
        y = math.sqrt(x)
    except ValueError:
        y = 0.0
    else:
        try:
            y = math.log(y - 1.0)
        except ValueError:
            y = 1.0
        else:
            y += 100.0
    finally:
        x = x * 2.0
    return x + y


def deep_tries(x, n):
    if n == 0:
        return math.log(x - 2.0)
    try:
        return 0.5 * deep_tries(x, n - 1) + x
    except ValueError:
        return x


def uncaught(x):
    try:
        return math.log(x)
    except KeyError:
        return x


def raised_in_handler(x):
    try:
        return math.log(x)
    except ValueError:
        return math.sqrt(x)


def raised_in_else(x):
    try:
        y = math.sqrt(x)
    except ValueError:
        return x
    else:
        return math.acos(y + 1.0)


def raised_from(x):
    try:
        return math.log(x)
    except ValueError as error:
        raise OtherError("bad input") from error


ONE = (2.25, 0.5, -0.25, -2.5, 1.25)
def taken_out_before(x):
    xs = [1.0, x]
    try:
        y = xs.pop() / (x - 2.0)
    except ZeroDivisionError:
        y = 3.0
    return y + sum(xs)


def set_in_the_expression(x):
    try:
        y = (z := x * 2.0) * math.log(x)
    except ValueError:
        y = 1.0
        return z + y
    return y


def taken_out_of_a_deque(xs):
    q, total = deque(xs), 0.0
    try:
        q.remove(1.5)
    except ValueError:
        total = 7.0 * xs[0]
    return total + sum(xs)


def _beyond(xs, v):
    while not any(x > v for x in xs):
        v = v - 1.0
        if v < -2.0:
            raise ValueError("nowhere")
    return sum(x * v for x in xs)


def test_of_while_in_a_helper(xs):
    try:
        return _beyond(xs, 4.25)
    except ValueError:
        return -xs[0]


def _until(xs, most):
    for x in xs:
        if x > most:
            raise KeyError("too much")
        yield x * most


def generated_in_a_helper(xs):
    def weighted(a):
        return sum(y * a for y in _until(xs, a))

    try:
        return weighted(3.25)
    except KeyError:
        return xs[0] * xs[1]


def several_managers(x):
    y = 1.0
    with np.errstate(all="ignore"), suppress(ZeroDivisionError), contextlib.suppress(ValueError):
        y = 3.0 * x
        y = math.log(x - 1.0)
    return y * x


PROGRAMS = [
    *((f, (x,)) for f in (what_was_there_before_a_call, what_was_there_round_by_round)
      for x in (3.0, 60.0, 3000.0)),
    *((f, (x,)) for f in (by_log, bound_before, nested, inner_passes_on, again, always, never,
                          asserted, first_clause, closure, with_finally, finally_under_a_try,
                          in_place, derivative, raised_by_a_handler, twice, bound_between, all_four,
                          of_a_tuple, matched, several_managers) for x in (*ONE, 4.5)),
    *((bare, (x,)) for x in (0.5, 2.0)),
    *((in_while, (x,)) for x in (0.3, 1.5)),
    *((test_of_while, (x,)) for x in (3.005, 2.5)),
    *((in_recursion, (x, k)) for x in (3.5, 0.5) for k in (0, 1, 3, 5)),
    *((tries_below, (x, k)) for x in (3.5, 0.5) for k in (0, 1, 3, 4)),
    *((f, (xs,)) for f in (counted_until, each_guarded, leaves_loop, comprehended, summed,
                           suppressed, grows, many, finally_in_loop, taken_out_of_a_deque,
                           test_of_while_in_a_helper, generated_in_a_helper)
      for xs in ([1.5, 3.5, 2.5], [1.5, -1.0, 3.0], [1.5, 4.5, 6.0, -1.0], [-3.0, -5.0, 2.0])),
    *((tabled, (np.array(a),)) for a in ([1.0, 2.0], [1.0, 0.15])),
    *((off_the_end, ([1.0, 2.0], i)) for i in (0, -1, 2, -3)),
    *((stores, ([1.0, 2.0], i)) for i in (0, -1, 3, -4)),
    *((divides, (1.5, b)) for b in (2.0,)),
    *((tree, (x, 2)) for x in (2.25, 0.75)),
    *((reduced, (xs,)) for xs in ([1.0, 2.0], [1.0, -2.0])),
    *((f, (x,)) for f in (taken_out_before, set_in_the_expression) for x in (2.0, -1.5)),
    (to_the_end, ([1.0, 2.0, 3.0],)),
    (quiet, (2.0,)),
    (solved, (np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0]))),
    (solved, (np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0]))),
    (factored, (np.array([[2.0, 1.0], [1.0, 3.0]]),)),
    (factored, (np.array([[2.0, 5.0], [5.0, 3.0]]),)),
    (loop_in_try_in_loop, ([[1.0, 2.0], [3.0, 10.0], [2.0, -1.0], [2.0, 2.0]],)),
]  # fmt: skip

BY_DERIVATIVE = (derivative,)
"""Programs that the evaluator does not know before "ad"."""

WITH_JUMPS = (solved, taken_out_before, taken_out_of_a_deque)
"""Programs that are not continuous in what is caught: differences go across."""
