"""What an ``except`` clause leaves: the name of its exception has no value after it, and what was
being updated is as it was."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign


def passed(x: float) -> float:
    e = 5.0
    try:
        raise ValueError("a")
    except ValueError as e:
        pass
    return x + e


def on_one_path(x: float) -> float:
    e = 5.0
    try:
        if x > 1.0:
            raise ValueError("a")
    except ValueError as e:
        pass
    return x + e


def on_the_other_path(x: float) -> float:
    e = 5.0
    try:
        if x > 100.0:
            raise ValueError("a")
    except ValueError as e:
        pass
    return x + e


def bound_in_the_clause(x: float) -> float:
    try:
        raise ValueError("a")
    except ValueError as e:
        e = x
    return e


def bound_again(x: float) -> float:
    e = 5.0
    try:
        raise ValueError("a")
    except ValueError as e:
        x += 1.0
    e = 2.0
    return x + e


def left_by_break(x: float) -> float:
    e = 5.0
    for _ in range(3):
        try:
            raise ValueError("a")
        except ValueError as e:
            break
    return x + e


def left_by_continue(x: float) -> float:
    e = 1.0
    for k in range(3):
        try:
            if k == 1:
                raise ValueError(e)
        except ValueError as e:
            continue
        x += e
    return x


def left_by_an_exception(x: float) -> float:
    e = 5.0
    try:
        try:
            raise ValueError("a")
        except ValueError as e:
            raise KeyError("b") from None
    except KeyError:
        return x + e


def seen_by_finally(x: float) -> float:
    e = 5.0
    try:
        raise ValueError("a")
    except ValueError as e:
        x += 1.0
    finally:
        x = x + e
    return x


def seen_by_a_function(x: float) -> float:
    e = 5.0

    def g() -> float:
        return e

    try:
        raise ValueError("a")
    except ValueError as e:
        pass
    return x + g()


def returned_in_a_function(x: float) -> float:
    def f() -> Callable[[], Any]:
        try:
            raise ValueError("a")
        except ValueError as e:
            return lambda: e

    return x if f()() is None else -x


def inner_clause_of_the_same_name(x: float) -> float:
    try:
        raise ValueError("a")
    except ValueError as e:
        try:
            raise KeyError("b")
        except KeyError as e:
            x += 1.0
        return x if isinstance(e, ValueError) else -x


def names_of_their_own(x: float) -> float:
    try:
        raise ValueError("a")
    except ValueError as e:
        try:
            raise KeyError("b")
        except KeyError as f:
            x += 1.0 if isinstance(f, KeyError) else 2.0
        return x if isinstance(e, ValueError) else -x


def deleted(x: float) -> float:
    y = 2.0 * x
    del y
    return x + y


NAMES = [
    passed, on_one_path, on_the_other_path, bound_in_the_clause, bound_again, left_by_break,
    left_by_continue, left_by_an_exception, seen_by_finally, seen_by_a_function,
    returned_in_a_function, inner_clause_of_the_same_name, names_of_their_own, deleted,
]  # fmt: skip


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except Exception as e:
        return type(e), e.args


@pytest.mark.parametrize("f", NAMES, ids=lambda f: f.__name__)
def test_a_name_has_no_value_after_its_clause(f: Callable[..., Any]) -> None:
    assert outcome(pb.jit(f), 1.5) == outcome(f, 1.5)


class Box:
    def __init__(self, x: float, n: int) -> None:
        self.d = {0: x, n: 2.0}

    def add(self, k: int) -> None:
        self.d[k] += 1.0


def by_exception(x: float, n: int) -> float:
    d = {0: x, n: 2.0}
    try:
        d[3] += 1.0
    except Exception:
        pass
    return sum(d.values())


def by_anything(x: float, n: int) -> float:
    d = {0: x, n: 2.0}
    try:
        d[3] += 1.0
    except:
        pass
    return sum(d.values())


def by_two_classes(x: float, n: int) -> float:
    d = {0: x, n: 2.0}
    try:
        d[3] += 1.0
    except (ValueError, LookupError):
        pass
    return sum(d.values())


def by_suppress(x: float, n: int) -> float:
    d = {0: x, n: 2.0}
    with suppress(Exception):
        d[3] += 1.0
    return sum(d.values())


def by_finally(x: float, n: int) -> float:
    d, s = {0: x, n: 2.0}, 0.0
    try:
        try:
            d[3] += 1.0
        finally:
            s = sum(d.values())
    except Exception:
        s += 100.0
    return s


def of_an_attribute(x: float, n: int) -> float:
    box = Box(x, n)
    try:
        box.d[3] += 1.0
    except Exception:
        pass
    return sum(box.d.values())


def by_a_method(x: float, n: int) -> float:
    box = Box(x, n)
    try:
        box.add(3)
    except Exception:
        pass
    return sum(box.d.values())


def of_a_dict_in_a_dict(x: float, n: int) -> float:
    d = {0: {1: x}, n: {n: 2.0}}
    try:
        d[0][3] += 1.0
    except Exception:
        pass
    return sum(sum(v.values()) for v in d.values())


def of_lists_in_a_dict(x: float, n: int) -> float:
    d = {0: [x], n: [2.0]}
    try:
        d[3].append(1.0)
    except Exception:
        pass
    return sum(sum(v) for v in d.values())


def in_rounds(x: float, n: int) -> float:
    d = {0: x, n: 2.0}
    for k in range(40):
        try:
            d[k % (n + 3)] += 1.0
        except Exception:
            d[k % (n + 3)] = x * k
    return sum(d.values())


def of_a_list(x: float, n: int) -> float:
    xs = [x * k for k in range(n)]
    try:
        xs[n] += 1.0
    except Exception:
        xs.append(x)
    return sum(xs)


def pops(x: float, n: int) -> float:
    xs, q, d = [x * k for k in range(n)], deque(), {0: x, n: 2.0}
    q.append(x)
    try:
        xs.pop(n)
    except Exception:
        xs.append(x)
    try:
        d.pop(3)
    except Exception:
        d[3] = x
    try:
        q.pop()
        q.pop()
    except Exception:
        q.append(2.0 * x)
    return sum(xs) + sum(q) + sum(d.values())


def of_a_set_and_a_counter(x: float, n: int) -> float:
    s, c = {n, 2}, Counter()
    c[n] += 1
    try:
        s.remove(3)
    except Exception:
        s.add(4)
    try:
        c.pop(9)
    except Exception:
        c[7] += 3
    return x * len(s) * sum(c.values())


def of_arrays(x: float, n: int) -> Any:
    d = {0: np.ones(2) * x, n: np.ones(2)}
    try:
        d[3] += np.ones(2)
    except Exception:
        pass
    try:
        d[0][n] += 1.0
    except Exception:
        pass
    return sum(np.sum(v) for v in d.values())


UPDATES = [
    by_exception, by_anything, by_two_classes, by_suppress, by_finally, of_an_attribute,
    by_a_method, of_a_dict_in_a_dict, of_lists_in_a_dict, in_rounds, of_a_list, pops,
    of_a_set_and_a_counter, of_arrays,
]  # fmt: skip


@pytest.mark.parametrize("f", campaign.part("values", UPDATES, 3), ids=lambda f: f.__name__)
def test_an_update_that_raises_leaves_all_as_it_was(f: Callable[..., Any]) -> None:
    if campaign.chosen("values", f.__name__, 4):
        assert pb.jit(f)(1.5, 5) == pytest.approx(f(1.5, 5), rel=1e-12)
    change = (f(1.5 + 1e-6, 5) - f(1.5 - 1e-6, 5)) / 2e-6
    value, slope = pb.value_and_grad(f)(1.5, 5)
    assert value == pytest.approx(f(1.5, 5), rel=1e-12)
    assert slope == pytest.approx(change, rel=1e-5)
