"""Updates by calls that raise: what was changed until then is seen, as in Python."""

import math

import pytest

import pullback as pb
from tests import harness
from tests.frontend import unfinished_programs as programs
from tests.frontend.harness import agrees

POINTS = 0.5, 1.1, 2.0, 2.7, 4.03


@pytest.mark.parametrize("f", programs.RIGHT, ids=lambda f: f.__name__)
def test_nothing_has_changed_where_it_raises(f):
    for x in POINTS:
        agrees(f, x)


@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize("f", [programs.tests_first, programs.of_two, programs.in_a_list])
def test_derivatives(f, method):
    for x in (1.13, 2.07):
        value, gradient = harness.gradient(f, (x,), (0,), "native", method)
        assert value == pytest.approx(f(x), rel=1e-12)
        slope = harness.difference(f, (x,), (1.0,))
        assert gradient == pytest.approx((slope,), rel=1e-6)


@pytest.mark.parametrize("update", programs.CHANGED, ids=lambda f: f.__name__)
def test_what_has_changed_in_part_is_seen(update):
    for x in POINTS:
        agrees(programs.seen(update), x)


@pytest.mark.parametrize("f", programs.ITEM_BY_ITEM, ids=lambda f: f.__name__)
def test_what_changes_with_each_item_is_seen(f):
    for x in (1.2, 1.5):
        agrees(f, x)


def test_a_list_is_not_copied_where_a_call_may_raise():
    def work(n):
        return pb.cost(programs.tests_first_of, 1.0, n)

    assert work(800) < 2.1 * work(400)


def by_variable(x):
    count = 0

    def push():
        nonlocal count
        count += 1
        raise KeyError("k")

    try:
        push()
    except KeyError:
        return x * count
    return 0.0


def by_list(x):
    found = []

    def push():
        found.append(x)
        raise KeyError("k")

    try:
        y = 1.0 if x < 1.0 else push()
    except KeyError:
        y = 2.0
    return y * len(found)


def by_item(x):
    a = [0.0]

    def push():
        a[0] += x
        return a[5]

    try:
        push()
    except IndexError:
        return a[0]
    return 0.0


def through_another(x):
    found = {}

    def push():
        found["x"] = x
        raise KeyError("k")

    def outer():
        push()

    try:
        outer()
    except KeyError:
        return x * len(found)
    return 0.0


def where_it_raises_only(x):
    count = 0

    def push():
        nonlocal count
        if x > 1.0:
            count += 1
            raise KeyError("k")

    try:
        push()
    except KeyError:
        return x * count
    return 0.0


def behind_finally(x):
    count = 0

    def push():
        nonlocal count
        try:
            raise KeyError("k")
        finally:
            count += 1

    try:
        push()
    except KeyError:
        return x * count
    return 0.0


class Entered:
    def __init__(self):
        self.count = 0

    def __enter__(self):
        self.count += 1
        raise KeyError("k")

    def __exit__(self, kind, value, where):
        self.count += 10


def by_manager(x):
    manager = Entered()
    try:
        with manager:
            pass
    except KeyError:
        return x * manager.count
    return 0.0


def by_generator(x):
    found = []

    def fail():
        found.append(x)
        raise KeyError("k")

    def items():
        yield x
        fail()

    y = 0.0
    try:
        y = sum(items())
    except KeyError:
        y = 1.0
    return y * len(found)


NEVER_RETURN = [
    by_variable, by_list, by_item, through_another, where_it_raises_only, behind_finally,
    by_manager,
]  # fmt: skip


@pytest.mark.parametrize("f", NEVER_RETURN, ids=lambda f: f.__name__)
def test_a_change_before_a_certain_exception_is_seen(f):
    agrees(f, 0.5)
    agrees(f, 1.5)


@pytest.mark.parametrize("f", [by_generator, programs.changed_by_an_inner_generator])
def test_a_change_by_a_generator_that_raises_is_refused(f):
    with pytest.raises(pb.PullbackError, match="may raise after it has changed"):
        pb.jit(f)(1.5)


class Counted:
    """An attribute that is set where something is raised and not seen to be caught."""

    def __init__(self):
        self.count = 0.0

    def root(self, x):
        try:
            return math.sqrt(x)
        finally:
            self.count = 1.0

    def check(self, x):
        try:
            math.sqrt(x)
        finally:
            self.count += 1.0


def set_in_finally(x):
    counted = Counted()
    try:
        y = counted.root(x)
    except ValueError:
        y = -1.0
    return x + y + 3 * counted.count


def checked_with_finally(x):
    counted = Counted()
    try:
        counted.check(x)
    except ValueError:
        return -1.0
    return 5.0 + x


@pytest.mark.parametrize("f", [set_in_finally, checked_with_finally])
def test_what_is_raised_again_only_if_it_was_raised(f):
    agrees(f, 4.0)
    agrees(f, -4.0)
    assert harness.gradient(f, (4.0,), (0,), "native", "chad")[0] == f(4.0)


class Parser:
    def __init__(self, limit):
        self.limit, self.errors = limit, 0

    def fail(self):
        self.errors += 1
        raise ValueError("too large")

    def parse(self, x):
        if x > self.limit:
            self.fail()
        return x * x


def nobody_sees_it(x):
    def parsed():
        return Parser(1.0).parse(x)

    try:
        return parsed()
    except ValueError:
        return -x


def nobody_asks(x):
    parser = Parser(1.0)
    try:
        y = parser.parse(x)
    except ValueError:
        y = -x
    return y


@pytest.mark.parametrize("f", [nobody_sees_it, nobody_asks])
def test_a_change_that_nobody_sees_is_allowed(f):
    for x in POINTS:
        agrees(f, x)
