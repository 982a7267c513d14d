"""Programs that return exceptions."""

import dataclasses
import math

import numpy as np


class Bad(Exception):
    def __init__(self, value, where="here"):
        super().__init__(f"bad {value}")
        self.value = value
        self.where = where


class Worse(Bad):
    code = 7


class Plain(Exception):
    pass


@dataclasses.dataclass
class Outcome:
    value: float
    error: Exception | None = None


@dataclasses.dataclass(frozen=True)
class Fixed:
    value: float
    error: Exception | None = None


def errors_of_a_loop(x):
    errors = []
    total = 0.0
    for k in range(5):
        try:
            if (k + x) % 2 < 1:
                raise ValueError("odd", k, x * k)
            total += x * k
        except ValueError as e:
            errors.append(e)
    return total, errors


def in_an_object(x):
    try:
        return Outcome(math.sqrt(-x))
    except ValueError as e:
        return Outcome(0.0, e)


def in_a_frozen_object(x):
    try:
        return Fixed(math.sqrt(x))
    except ValueError as e:
        return Fixed(0.0, e)


def of_ones_own_class(x):
    try:
        raise Bad(x, where="there")
    except Bad as e:
        return e


def beside_what_is_in_it(x):
    try:
        raise Worse(x)
    except Bad as e:
        return e, e.value * 2


def of_an_index(x):
    xs = [x, x]
    try:
        return xs[3]
    except IndexError as e:
        return e


def with_causes_of_before(x):
    last = None
    for k in range(3):
        try:
            try:
                raise ValueError("v", k)
            except ValueError as e:
                raise Plain("p", k) from (last if k else None)
        except Plain as e:
            last = e
    return last


def with_a_context(x):
    first = None
    try:
        try:
            raise ValueError("inner", x)
        finally:
            raise KeyError("outer")
    except KeyError as e:
        first = e
    return first, first.__context__


def checked(x):
    if x > 1:
        raise Bad(x)
    return x


def of_a_helper(x):
    try:
        return checked(x), None
    except Bad as e:
        return 0.0, e


def in_a_dict(x):
    out = {}
    for k in range(4):
        try:
            checked(x * k)
        except Bad as e:
            out[k] = e
    return out


def with_notes_and_attributes(x):
    e = Bad(x)
    e.state = x * 2
    e.add_note("a")
    e.add_note(f"b {x}")
    return e


def with_arrays_and_tuples(x):
    a = np.array([x, 2.0])
    try:
        raise ValueError("arr", a.copy(), (1, x), [x, 2.0])
    except ValueError as e:
        return e


def with_its_class(x):
    try:
        raise ValueError
    except Exception as e:
        return type(e), e


def of_an_assertion(x):
    try:
        assert x < 0, ("no", x)
    except AssertionError as e:
        return e


def left_in_a_clause(x):
    errs = []
    for k in range(3):
        try:
            raise ValueError(k)
        except ValueError as e:
            errs.append(e)
            if k == 1:
                return errs
    return errs


def of_functions_that_are_tried(x):
    def attempt(g, v):
        try:
            return g(v), None
        except (ValueError, ArithmeticError) as e:
            return None, e

    r1 = attempt(math.sqrt, -x)
    r2 = attempt(math.log, x)
    r3 = attempt(lambda v: 1 / (v - v), x)
    return r1, r2, r3


def of_a_text(x):
    try:
        int("abc")
    except ValueError as e:
        return e


def of_linear_algebra(x):
    try:
        np.linalg.inv(np.zeros((2, 2)))
    except np.linalg.LinAlgError as e:
        return e


def of_shapes(x):
    try:
        a = np.zeros(3) + np.zeros(int(x) + 2)
    except ValueError as e:
        return e
    return None


def made_and_never_raised(x):
    e1 = ValueError("a", x)
    e2 = KeyError(x)
    return [e1, e2], (e1, {"k": e2}), e1 is e2


def of_a_generator(x):
    def gen():
        yield x
        raise Plain("in gen", x)

    try:
        s = 0.0
        for v in gen():
            s += v
    except Plain as e:
        return e, s


def raised_again_with_a_context(x):
    try:
        try:
            raise ValueError("1")
        except ValueError as e:
            try:
                raise KeyError("2")
            except KeyError as f:
                raise e
    except ValueError as e:
        return e


def the_last_of_several(x):
    n = 0
    last = None
    while n < 3:
        n += 1
        try:
            if n < 3:
                raise TimeoutError(f"attempt {n}")
            return n, last
        except TimeoutError as e:
            last = e


def of_an_iterator(x):
    it = iter([x])
    next(it)
    try:
        next(it)
    except StopIteration as e:
        return e


def with_a_cause(x):
    try:
        raise RuntimeError("a") from ValueError("b", x)
    except RuntimeError as e:
        return e


def of_a_comprehension(x):
    es = [ValueError(k) for k in range(3)]
    return es


def of_the_system(x):
    if x > 100:
        raise ValueError(x)
    try:
        raise OSError(2, "no file")
    except OSError as e:
        return e


def or_none(x):
    def check(v):
        if v < 0:
            return ValueError("negative", v)
        return None

    return [check(v) for v in (x, -x, 0.0)]


PROGRAMS = [
    errors_of_a_loop,
    in_an_object,
    in_a_frozen_object,
    of_ones_own_class,
    beside_what_is_in_it,
    of_an_index,
    with_causes_of_before,
    with_a_context,
    of_a_helper,
    in_a_dict,
    with_notes_and_attributes,
    with_arrays_and_tuples,
    with_its_class,
    of_an_assertion,
    left_in_a_clause,
    of_functions_that_are_tried,
    of_a_text,
    of_linear_algebra,
    of_shapes,
    made_and_never_raised,
    of_a_generator,
    raised_again_with_a_context,
    the_last_of_several,
    of_an_iterator,
    with_a_cause,
    of_a_comprehension,
    of_the_system,
    or_none,
]
