"""Sparse Jacobians and Hessians: the values and patterns are those of the dense ones."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from benchmarks import ba
from pullback.api.colouring import columns_apart, stars
from pullback.api.sparsity import Pattern
from pullback.call import driver
from pullback.call.request import Request, What
from tests.campaign import part

N = 60
RNG = np.random.default_rng(5)


def stencil(x):
    return x[2:] - 2.0 * x[1:-1] ** 2 + np.sin(x[:-2])


def branches(x):
    y = np.zeros(len(x))
    for i in range(len(x) - 1):
        if x[i] > 0.0:
            y[i] = x[i] * x[i + 1]
        elif x[i] > -0.5:
            y[i] = x[len(x) - 1 - i] ** 2
    return y


def gathers(x):
    order = np.argsort(x)
    return np.array([x[order[i]] * x[i] for i in range(len(x))])


def sorts(x):
    return np.sort(x)[::2] ** 2


def cumulative(x):
    return np.cumsum(x * x)[:12]


def halved(x):
    """A loop whose length each element decides."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        v, k = x[i], i
        while abs(v) > 0.3:
            v, k = 0.5 * v * x[k], (k + 7) % len(x)
        out[i] = v
    return out


def tree(x, lo, hi):
    if hi - lo == 1:
        return x[lo] ** 2
    mid = (lo + hi) // 2
    left, right = tree(x, lo, mid), tree(x, mid, hi)
    return left if left > right else right * x[lo]


def recursion(x):
    return np.array([tree(x, i, i + 5) for i in range(len(x) - 5)])


def rows(x):
    a = x.reshape(12, 5)
    return (a @ np.diag(np.arange(5.0))) * a[:, :1]


def solved(x):
    return np.linalg.solve(np.diag(x[:3]) + 9.0 * np.eye(3), x[3:6])


def chosen(x):
    return np.where(x > 0.0, x * x, np.flip(x)) + np.maximum(x, np.roll(x, 1))


def discrete(x):
    return np.floor(x) + x[0] * np.round(x) + pb.stop_gradient(x)


def inner_gradient(x):
    return pb.grad(lambda v: np.sum(v[1:] * v[:-1] ** 2))(x)


def constant(x):
    return np.ones(len(x))


JACOBIANS = [stencil, branches, gathers, sorts, cumulative, halved, recursion, rows, solved, chosen,
             discrete, inner_gradient, constant]  # fmt: skip


def check(matrix, dense, tolerance=1e-13):
    """The values are right, and nothing outside of the pattern is other than zero."""
    assert matrix.shape == dense.shape
    assert np.all(np.abs(matrix.toarray() - dense) <= tolerance * np.maximum(1.0, np.abs(dense)))
    assert matrix.has_canonical_format


@pytest.mark.parametrize("f", part("agreement", JACOBIANS, 2), ids=lambda f: f.__name__)
def test_a_jacobian_at_several_points(f):
    sparse, dense = pb.sparse_jacobian(f), pb.jacfwd(f)
    for _ in range(3):
        x = RNG.normal(size=N)
        expected = dense(x)
        check(sparse(x), expected.reshape(-1, N))


def rosenbrock(x):
    return sum((1.0 - x[i]) ** 2 + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 for i in range(len(x) - 1))


def separate(x):
    return np.sum(np.exp(x) * x)


def arrow(x):
    return x[0] * np.sum(x[1:] ** 2)


def linear(x):
    return np.sum(3.0 * x)


def springs(x):
    total = 0.0
    for i in range(len(x) - 1):
        if x[i] < x[i + 1]:
            total += (x[i + 1] - x[i]) ** 3
        else:
            total += x[i] * x[(i + 9) % len(x)]
    return total


def blocks(x):
    a = x.reshape(12, 5)
    return np.sum(np.prod(a, axis=1))


def updated(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = x[i] * x[i - 1]
        y[i - 1] += y[i] ** 2
    return np.sum(y[::3])


def products(x):
    return tree(x, 0, 8) * x[9] + np.max(x) ** 2


def factors(x):
    a = x[:9].reshape(3, 3)
    return np.linalg.slogdet(a @ a.T + np.eye(3))[1] + np.sum(np.linalg.eigh(a + a.T)[1][0] ** 4)


def held(x):
    return np.sum(pb.stop_gradient(x[1:]) * x[:-1] ** 2)


HESSIANS = [factors, held, rosenbrock, separate, arrow, linear, springs, blocks, updated,
            products]  # fmt: skip


@pytest.mark.parametrize("f", part("agreement", HESSIANS, 2), ids=lambda f: f.__name__)
def test_a_hessian_at_several_points(f):
    sparse, dense = pb.sparse_hessian(f), pb.hessian(f)
    for _ in range(3):
        x = RNG.normal(size=N)
        found = sparse(x)
        check(found, dense(x), 1e-11)
        assert (found != found.T).nnz == 0


def test_the_pattern_is_that_of_the_path():
    jacobian = pb.sparse_jacobian(branches)
    for _ in range(4):
        x = RNG.normal(size=N)
        assert jacobian(x).nnz == np.count_nonzero(pb.jacobian(branches)(x))


def test_a_branch_that_is_taken_otherwise_changes_the_pattern():
    def f(x, k):
        return x[k:] * x[: len(x) - k] if x[0] > 0.0 else np.flip(x)[k:]

    jacobian = pb.sparse_jacobian(f)
    x = np.abs(RNG.normal(size=N))
    for sign in (1.0, -1.0, 1.0):
        for k in (1, 2):
            given = sign * x
            check(jacobian(given, k), pb.jacobian(f)(given, k))


def test_a_pattern_is_kept_as_long_as_nothing_that_decides_it_changes(monkeypatch):
    places = np.arange(N)

    def f(x, steps):
        return np.array([x[i] * x[places[i]] for i in range(len(steps), len(x))])

    runs = []
    original = driver.tangent_of

    def counted(*args, **kwargs):
        runs.append(1)
        return original(*args, **kwargs)

    monkeypatch.setattr(driver, "tangent_of", counted)
    jacobian = pb.sparse_jacobian(f)
    x = RNG.normal(size=N)
    jacobian(x, np.zeros(2))
    first = len(runs)
    assert first > 0
    check(jacobian(2.0 * x, np.ones(2)), pb.jacobian(f)(2.0 * x, np.ones(2)))
    assert len(runs) == first
    places[:] = (places + 5) % N
    check(jacobian(x, np.zeros(2)), pb.jacobian(f)(x, np.zeros(2)))
    assert len(runs) > first
    check(jacobian(x, np.zeros(3)), pb.jacobian(f)(x, np.zeros(3)))


FLAG = True


def by_flag(x):
    return x * x if FLAG else np.flip(x)


def test_a_global_flag_decides_the_pattern(monkeypatch):
    jacobian, x = pb.sparse_jacobian(by_flag), RNG.normal(size=5)
    check(jacobian(x), np.diag(2.0 * x))
    monkeypatch.setitem(globals(), "FLAG", False)
    check(jacobian(x), np.flip(np.eye(5), axis=0))


@pytest.mark.parametrize("n", [1, 2, 52, 53, 100, 400, 3200])
def test_a_tridiagonal_matrix_takes_three_directions_of_any_size(n):
    def f(x):
        y = x * x
        y[1:] += x[:-1]
        y[:-1] += x[1:] * x[:-1]
        return y

    x = RNG.normal(size=n)
    jacobian = pb.sparse_jacobian(f)
    found = jacobian(x)
    assert jacobian.directions.derivatives <= 3
    assert jacobian.directions.runs <= 4
    assert found.nnz <= 3 * n
    assert np.allclose(found @ np.ones(n), pb.jvp(f, (x,), (np.ones(n),))[1])
    if n > 1:
        hessian = pb.sparse_hessian(rosenbrock)
        found = hessian(x)
        assert hessian.directions.derivatives <= 3
        assert hessian.directions.runs <= 4
        assert np.allclose(found @ x, pb.hvp(rosenbrock, (x,), (x,))[0])


def steps_of_runs(n):
    """The steps of the function, and of a dependence run of it and of its gradient."""
    x, word = RNG.normal(size=n), np.full(n, 1.5)

    def counted(f, request, *tangents):
        def run(g, unit):
            return unit.evaluate(unit.special.values(g, (x,)), tangents)[1]

        return driver.using(f, (x,), request, run)

    value, words = Request(What.VALUE), Request(What.TANGENT, words=True)
    return [
        counted(rosenbrock, value), counted(rosenbrock, words, word),
        counted(lambda x: pb.grad(rosenbrock)(x), words, word),
    ]  # fmt: skip


def test_a_dependence_run_costs_a_few_functions():
    few, many = steps_of_runs(100), steps_of_runs(3200)
    for a, b in zip(few, many, strict=True):
        assert b <= 33 * a
    assert many[1] <= 2 * many[0]
    assert many[2] <= 4 * many[0]


def test_directions_that_structure_saves():
    x = RNG.normal(size=N)
    for f, count in ((separate, 1), (arrow, 2), (blocks, 5)):
        hessian = pb.sparse_hessian(f)
        hessian(x)
        assert hessian.directions.derivatives == count, f
    jacobian = pb.sparse_jacobian(lambda x: np.stack([np.sum(x[:30] ** 2), np.sum(x[30:] ** 2)]))
    jacobian(x)
    assert jacobian.directions[:2] == ("reverse", 1)
    assert pb.sparse_hessian(linear)(x).nnz == 0


def test_structures_are_one_matrix():
    @dataclass(frozen=True)
    class Camera:
        place: np.ndarray
        focus: float
        number: int

    def f(camera, k, points):
        moved = points - camera.place
        return {"a": moved[:, 0] * camera.focus, "b": (moved[k, 1], k)}

    camera, points = Camera(np.array([1.0, 2.0]), 3.0, 7), RNG.normal(size=(4, 2))
    both = pb.sparse_jacobian(f, argnums=(0, "points"))(camera, 2, points)
    dense = pb.jacrev(f, argnums=(0, 2))(camera, 2, points)

    def joined(entry, count):
        camera, points = entry
        parts = [camera.place, np.asarray(camera.focus), points]
        return np.concatenate([np.reshape(p, (count, -1)) for p in parts], axis=1)

    check(both, np.concatenate([joined(dense["a"], 4), joined(dense["b"][0], 1)]))
    check(pb.sparse_jacobian(f, 2)(camera, k=2, points=points), both.toarray()[:, 3:])


def test_small_and_empty_results():
    assert pb.sparse_jacobian(lambda x: x * x)(np.zeros(0)).shape == (0, 0)
    assert pb.sparse_jacobian(lambda x: x[:0])(np.zeros(3)).shape == (0, 3)
    assert pb.sparse_hessian(lambda x: np.sum(x * x))(np.zeros(0)).shape == (0, 0)
    assert pb.sparse_jacobian(math.sin)(0.5).toarray() == [[math.cos(0.5)]]
    assert pb.sparse_jacobian(lambda x: 3)(1.0).shape == (0, 1)
    check(pb.sparse_jacobian(np.sum)(np.zeros(200)), np.ones((1, 200)))
    assert pb.sparse_hessian(lambda x: x**3)(2.0).toarray() == [[12.0]]


def test_float32_stays_float32():
    x = RNG.normal(size=90).astype(np.float32)
    found = pb.sparse_jacobian(stencil)(x)
    assert found.dtype == np.float32
    check(found, pb.jacobian(stencil)(x))


def test_a_narrower_number_inside_keeps_the_pattern():
    def f(x):
        return np.array([float(np.float32(v)) for v in x])

    check(pb.sparse_jacobian(f)(RNG.normal(size=52)), np.eye(52))


def test_a_rule_of_the_users_own_decides_the_pattern():
    rounded = pb.custom_vjp(lambda x: np.round(x))
    rounded.defvjp(lambda x: (np.round(x), None), lambda _, ct: (ct,))

    @pb.custom_jvp
    def turned(x):
        return x + 0.0

    turned.defjvp(lambda primals, tangents: (primals[0], np.flip(tangents[0])))
    x = RNG.normal(size=7)
    check(pb.sparse_jacobian(lambda x: rounded(x) ** 2)(x), np.diag(2.0 * np.round(x)))
    check(pb.sparse_jacobian(lambda x: turned(x))(x), np.flip(np.eye(7), axis=0))


def test_a_hessian_of_a_function_with_rules():
    @pb.custom_jvp
    def square(v):
        return v * v

    square.defjvp(lambda p, t: (p[0] * p[0], 2.0 * p[0] * t[0]))

    def f(x):
        return sum(square(x[i]) * x[i + 1] for i in range(len(x) - 1))

    x = RNG.normal(size=9)
    hessian = pb.sparse_hessian(f)
    check(hessian(x), pb.hessian(f)(x), 1e-12)
    assert hessian.directions.derivatives == 3
    gradient = pb.sparse_jacobian(pb.grad(f))
    check(gradient(x), pb.hessian(f)(x), 1e-12)


def test_errors_are_those_of_the_function():
    with pytest.raises(TypeError, match=r"has no derivative|no real number"):
        pb.sparse_jacobian(lambda k: k)(3)
    with pytest.raises(TypeError, match=r"pb.sparse_hessian\(f\)\(x\)"):
        pb.sparse_hessian(3.0)
    with pytest.raises(TypeError, match="returns an array"):
        pb.sparse_hessian(stencil)(np.ones(5))
    with pytest.raises(IndexError):
        pb.sparse_jacobian(lambda x: x[9] * x)(np.ones(3))
    with pytest.raises(ZeroDivisionError):
        pb.sparse_jacobian(lambda x: x / (x - x))(1.0)
    with pytest.raises(pb.PullbackError, match="sparse_jacobian"):
        pb.jit(lambda x: pb.sparse_jacobian(stencil)(x))(np.ones(5))


def test_the_result_may_change_its_shape():
    jacobian = pb.sparse_jacobian(lambda x: x[x > 0.0] ** 2)
    for x in (np.array([1.0, -1.0, 2.0]), np.array([1.0, 1.0, 2.0]), np.array([-1.0, 1.0, -1.0])):
        check(jacobian(x), pb.jacobian(lambda x: x[x > 0.0] ** 2)(x))


def test_the_benchmark_agrees_with_a_loop_of_pullbacks(monkeypatch):
    monkeypatch.setitem(ba.SIZES, "tiny", (2, 5, 9))
    args = ba.arguments("tiny")
    args = (*(a * RNG.uniform(0.9, 1.1, a.shape) for a in args[:3]), *args[3:])
    args[0][1, :3] = 0.0
    jacobian = pb.sparse_jacobian(ba.residuals, (0, 1, 2))
    expected = ba.matrix_by_pullbacks(ba.rows_by_pullbacks, *args)
    assert abs(jacobian(*args) - expected).max() <= 1e-9 * abs(expected).max()
    assert jacobian.directions.derivatives <= 15


def pattern_of(dense):
    rows, columns = np.nonzero(dense)
    return Pattern.of(rows, columns, len(dense))


def test_colourings_of_random_patterns():
    for n in (1, 5, 30, 150):
        for density in (0.01, 0.1, 0.5, 1.0):
            dense = RNG.random((n, n + 3)) < density
            found = pattern_of(dense)
            colours = columns_apart(found.ends, found.columns, n + 3)
            for c in range(colours.max() + 1):
                assert np.all(np.sum(dense[:, colours == c], axis=1) <= 1)
            square = dense[:, :n] | dense[:, :n].T
            found = pattern_of(square)
            colours = stars(found.ends, found.columns)
            met = np.stack([square[:, colours == c].sum(axis=1) for c in range(colours.max() + 1)])
            for i, j in zip(*np.nonzero(square), strict=True):
                assert met[colours[j], i] == 1 or met[colours[i], j] == 1
                assert i == j or colours[i] != colours[j]
