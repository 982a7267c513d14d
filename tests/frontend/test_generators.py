"""Generators: functions with ``yield``, beside plain Python."""

from __future__ import annotations

import importlib.util
import itertools
import math

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.core.traverse import all_lets
from tests import campaign, harness
from tests.frontend import generator_programs as programs
from tests.frontend.harness import compiled, same
from tests.frontend.harness import run as evaluated

NATIVELY = (
    programs.three_products, programs.stop_early, programs.return_early, programs.builds_list,
    programs.tree_first, programs.tree_old, programs.slide, programs.stops_inside, programs.mutual,
    programs.round_and_round, programs.while_with_state, programs.inside_updates,
    programs.gradients, programs.in_gradient,
)  # fmt: skip
DERIVED = (
    programs.for_loop, programs.summed, programs.three_products, programs.stop_early,
    programs.return_early, programs.error_after, programs.delegated, programs.enumerated,
    programs.zipped_three, programs.taken, programs.paired, programs.slide, programs.tree_old,
    programs.parameter, programs.in_loop, programs.converged, programs.arrays,
    programs.inside_updates, programs.recurses, programs.in_gradient,
)  # fmt: skip


def name_of(case):
    return getattr(case, "__name__", "")


@pytest.mark.parametrize(("f", "args"), programs.PROGRAMS, ids=name_of)
def test_values(f, args):
    if f not in NATIVELY:
        same(evaluated(f, *args), f(*args))
    else:
        same(driver.run(f, args), f(*args))


DIFFERENTIATED = [p for p in programs.PROGRAMS if p[0] in DERIVED]


@pytest.mark.parametrize(
    ("f", "args"), campaign.part("values", DIFFERENTIATED, 3), ids=name_of
)
def test_derivatives(f, args):
    argnums = tuple(range(len(args)))
    for method in campaign.rotated("values", f.__name__, ("chad", "dual")):
        _, gradient = harness.gradient(f, args, argnums, "native", method)
        rng = np.random.default_rng(1)
        tangents = tuple(harness.direction(rng, a) for a in args)
        slope = harness.difference(f, args, tangents)
        assert math.isclose(harness.inner(gradient, tangents), slope, rel_tol=1e-6, abs_tol=1e-8)


@pytest.mark.parametrize(("f", "args"), programs.RAISING, ids=name_of)
def test_errors(f, args):
    with pytest.raises(Exception) as expected:
        f(*args)
    with pytest.raises(expected.type) as found:
        driver.run(f, args)
    if expected.type is AssertionError:
        assert str(found.value) == str(expected.value)


# --- right or refused -----------------------------------------------------------------------------


def begun_twice(xs):
    values = programs.squares(xs)
    return sum(values) + sum(values)


def begun_in_a_loop(xs):
    values, total = programs.squares(xs), 0.0
    for _ in range(2):
        total += sum(values)
    return total


def expression_begun_twice(xs):
    values = (x * x for x in xs)
    return max(values) + max(values, default=0.0)


def begun_by_another(xs):
    values = programs.squares(xs)
    return programs.total_of(values) + sum(values)


def stopped_and_begun_again(xs):
    values = programs.squares(xs)
    return any(v > 1.0 for v in values) or any(v > 8.0 for v in values)


def updates_its_parameter(xs):
    stack = [x for x in xs]
    return [v + len(stack) for v in taking(stack)]


def taking(stack):
    while len(stack) > 0:
        yield stack.pop()


def updated_under_it(xs):
    ys = [x for x in xs]
    total = 0.0
    for v in programs.squares(ys):
        ys[0] = v
        total += ys[0]
    return total


def updated_before_it(xs):
    ys = [x for x in xs]
    values = programs.squares(ys)
    ys.append(7.0)
    return sum(values)


def expression_updated_before_it(xs):
    ys = [x for x in xs]
    values = (y * y for y in ys)
    ys.append(7.0)
    return sum(values)


def rebound_under_it(xs):
    total = 1.0

    def scaled():
        for x in xs:
            yield x * total

    for v in scaled():
        total = total + v
    return total


def expression_rebound_under_it(xs):
    total = 1.0
    for v in (total * u for u in programs.squares(xs)):
        total = total + v
    return total


def one_buffer(xs):
    return [b[0] for b in list(buffers(xs))]


def buffers(xs):
    b = np.zeros(1)
    for x in xs:
        b[0] = x
        yield b


def growing(xs):
    return [len(w) for w in list(grown(xs))]


def grown(xs):
    window = []
    for x in xs:
        window.append(x)
        yield window


def item_updated(xs):
    total = 0.0
    for row in programs.rows_of(xs):
        row[0] = 1.0
        total += row[0]
    return total


def side_by_side(xs):
    return sum(a * b for a, b in zip(programs.squares(xs), programs.scaled(xs)))


def one_by_one(xs):
    values = programs.squares(xs)
    return next(values) + next(values)


def inside_out(xs):
    return sum(v for _, v in longer(xs, 3))


def longer(xs, n):
    if n > 0:
        for k, v in longer(xs, n - 1):
            yield k + 1, v
        yield 0, xs[n]


def several_kinds(xs):
    return list(mixed(xs))


def mixed(xs):
    yield xs[0]
    yield "text"


def given_back(xs):
    return programs.squares(xs)


def sent(xs):
    return sum(receiving(xs))


def receiving(xs):
    for x in xs:
        y = yield x
        yield 1.0 if y is None else y


def result_of_from(xs):
    return sum(using_result(xs))


def using_result(xs):
    last = yield from programs.ends_with_value(xs)
    yield last


def backwards(xs):
    return list(reversed(programs.squares(xs)))


def on_paths(xs):
    values = programs.squares(xs) if xs[0] > 0.0 else programs.scaled(xs)
    return sum(values)


def kept(xs):
    both = [programs.squares(xs), programs.scaled(xs)]
    return sum(both[0])


REFUSED = [
    begun_twice, begun_in_a_loop, expression_begun_twice, begun_by_another, stopped_and_begun_again,
    updates_its_parameter, updated_under_it, updated_before_it, expression_updated_before_it,
    rebound_under_it, expression_rebound_under_it, one_buffer, growing, item_updated, side_by_side,
    one_by_one, inside_out, several_kinds, given_back, sent, result_of_from, backwards, on_paths,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=name_of)
def test_right_or_refused(f):
    xs = [0.5, 2.0, 3.0, 1.0]
    try:
        found = driver.run(f, (xs,))
    except pb.PullbackError as e:
        assert (e.site is not None and e.rewrite) or isinstance(e, pb.errors.MutationError), str(e)
        print(str(e))
    else:
        same(found, f(xs))


# --- Core stays linear in the source --------------------------------------------------------------


def loaded(tmp_path, name, text):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def size(f, *args):
    functions = compiled(f, *args).program.functions.values()
    return sum(1 for f in functions for _ in all_lets(f.body))


def test_many_yields_have_one_consumer(tmp_path):
    def program(k):
        yields = "".join(f"    if x > {i}.5:\n        yield x * {i}.25\n" for i in range(k))
        body = "".join(f"        total = total * 0.5 + v * {i}.5\n" for i in range(30))
        return loaded(
            tmp_path,
            f"many{k}",
            f"""
def several(x):
{yields}

def f(x):
    total = 0.0
    for v in several(x):
{body}    return total
""",
        )

    made = [program(k) for k in (4, 8, 16)]
    sizes = [size(m.f, 5.75) for m in made]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0]) < 8 * 30
    assert driver.run(made[2].f, (5.75,)) == made[2].f(5.75)


@pytest.mark.parametrize("body", [
    "    yield from below(x)\n    yield from below(x + 1.0)\n",
    "    for v in below(x + 1.0):\n        yield v * 0.5\n        yield -v\n    yield x\n",
])  # fmt: skip
def test_nested_generators_are_functions(tmp_path, body):
    """Every level yields twice what the level below does, so there are 2**k items."""

    def program(k):
        levels = "".join(
            f"def level{i}(x):\n{body}".replace("below", f"level{i - 1}") for i in range(1, k + 1)
        )
        f = f"def f(x):\n    return sum(v * v for v in level{k}(x))\n"
        return loaded(tmp_path, f"nested{k}", f"def level0(x):\n    yield x\n{levels}{f}")

    made = [program(k) for k in (3, 6, 12)]
    sizes = [size(m.f, 0.5) for m in made]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    same(evaluated(made[1].f, 0.5), made[1].f(0.5))


def test_sums_over_generators_run_in_lanes():
    shown = pb.show(pb.jit(programs.summed), np.ones(3))
    assert "sum i < n" in shown and "loop" not in shown and "call" not in shown


def test_items_are_not_kept():
    """The steps do not depend on how many items are left over."""
    costs = [pb.cost(programs.any_stops, [4.0, 2.0] + [1.0] * n) for n in (10, 1000)]
    assert costs[0] == costs[1]


@pytest.mark.parametrize("endless", [
    lambda x: sum(a * b for a, b in zip([1.0, 2.0], itertools.accumulate(itertools.repeat(x)))),
    lambda x: sum(a * x for _, a in zip([1.0, 2.0], filter(lambda k: k % 2, itertools.count()))),
    lambda x: sum(a * b * x for a, b in zip([1.0, 2.0], (k for k in itertools.count() if k % 2))),
    lambda x: next(v for v in itertools.accumulate(x * k for k in itertools.count()) if v > 7.0),
])  # fmt: skip
def test_items_without_an_end_one_by_one(endless):
    assert pb.jit(endless)(1.5) == pytest.approx(endless(1.5), rel=1e-12)


def test_no_list_of_items_without_an_end():
    with pytest.raises(pb.UnsupportedError, match="without an end"):
        pb.jit(lambda x: len([v for v in itertools.count() if v > x]))(1.5)
