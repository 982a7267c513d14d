"""Functions that update what is in their arguments: lists of rows, of objects, of arrays, tuples,
and what other operators make of them. The arguments are afterwards what Python leaves: the same
objects in the same places, also where somebody else holds them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, parts_outside
from tests.given_owners import CASES as OWNERS
from tests.parts_outside import CASES, Made, Planet, a_part_is_the_result

Path = tuple[Any, ...]


def inside(x: Any) -> list[tuple[Any, Any]]:
    match x:
        case list() | tuple():
            return list(enumerate(x))
        case dict():
            return list(x.items())
        case parts_outside.Slotted():
            return [("x", x.x), ("w", x.w)]
        case _ if hasattr(x, "__dict__"):
            return list(vars(x).items())
    return []


def told(x: Any) -> Any:
    """What can be seen of a value."""
    if isinstance(x, np.ndarray):
        return str(x.dtype), x.shape, x.tolist()
    if isinstance(x, list | tuple | dict) or inside(x):
        return type(x).__name__, [(k, told(v)) for k, v in inside(x)]
    return type(x).__name__, x


def objects(x: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The objects in a value, with their places."""
    for k, part in inside(x):
        yield from objects(part, (*path, k))
    if path and (isinstance(x, list | dict | np.ndarray) or hasattr(x, "__dict__")):
        yield path, x


def outcome(f: Callable[..., Any], args: Any) -> Any:
    try:
        return f(*args)
    except pb.PullbackError:
        raise
    except Exception as error:
        return repr(error)


def run(f: Callable[..., Any], made: Made, held: bool) -> tuple[Any, Any, Any]:
    """The result, what the arguments are then, and which objects of before are where; ``held``: all
    of these are held by somebody else too."""
    args = made()
    before = [(path, id(x)) for path, x in objects(args)]
    others = [x for _, x in objects(args)] if held else []
    result = outcome(f, args)
    names = {number: path for path, number in before} if others else {}
    return result, told(args), [(path, names.get(id(x))) for path, x in objects(args)]


TAKEN = campaign.part("values", [*CASES, *OWNERS], 3)


@pytest.mark.parametrize(("f", "made"), TAKEN, ids=[f.__name__ for f, _ in TAKEN])
def test_as_in_python(f: Callable[..., Any], made: Made) -> None:
    compiled = pb.jit(f)
    differentiated = pb.value_and_grad(f, argnums=differentiable(made()))
    for held in (False, True, False):
        want, args, places = run(f, made, held)
        assert run(compiled, made, held) == (want, args, places)
        found, *rest = run(differentiated, made, held)
        assert (found if isinstance(found, str) else found[0]) == want
        assert rest == [args, places]


def differentiable(args: Any) -> int:
    return next(k for k, x in enumerate(args) if numbers(x))


def numbers(x: Any) -> list[Path]:
    """The places of the real numbers in a value."""
    if isinstance(x, float):
        return [()]
    if isinstance(x, np.ndarray):
        return list(np.ndindex(x.shape))
    return [(k, *rest) for k, part in inside(x) for rest in numbers(part)]


def at(x: Any, path: Path) -> Any:
    for k in path:
        x = x[k] if isinstance(x, list | tuple | dict | np.ndarray) else getattr(x, k)
    return x


def moved(x: Any, path: Path, h: float) -> Any:
    """The value with one number moved."""
    if isinstance(x, np.ndarray):
        x[path] += h
        return x
    if not path:
        return x + h
    k, *rest = path
    part = moved(at(x, (k,)), tuple(rest), h)
    if isinstance(x, tuple):
        items = [part if i == k else v for i, v in enumerate(x)]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    if isinstance(x, list | dict):
        x[k] = part
    else:
        setattr(x, k, part)
    return x


@pytest.mark.parametrize(("f", "made"), TAKEN, ids=[f.__name__ for f, _ in TAKEN])
def test_the_gradient_is_by_the_values_at_entry(f: Callable[..., Any], made: Made) -> None:
    n = differentiable(made())
    if isinstance(outcome(f, made()), str):
        return  # what it raises is compared above
    gradient = pb.grad(f, argnums=n)(*made())
    for path in numbers(made()[n]):
        ends = []
        for h in (1e-6, -1e-6):
            args = list(made())
            args[n] = moved(args[n], path, h)
            ends.append(f(*args))
        assert at(gradient, path) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-6)


def test_a_part_is_the_result() -> None:
    mine, args = parts_outside.particle(), parts_outside.particle()
    want, found = a_part_is_the_result(mine, 3.0), pb.jit(a_part_is_the_result)(args, 3.0)
    assert told(found) == told(want) and told(args) == told(mine)
    assert found[1] is args.pos


def with_defaults() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    def logged(x: Any, log: Any = []) -> Any:  # noqa: B006  # it is what is tried
        log.append(x)
        return sum(log) * x

    def counted(x: Any, state: Any = {"n": 0}) -> Any:  # noqa: B006  # it is what is tried
        state["n"] += 1
        return x * x * state["n"]

    def remembered(n: int, x: Any, memo: Any = {}) -> Any:  # noqa: B006  # it is what is tried
        if n not in memo:
            memo[n] = x if n < 2 else remembered(n - 1, x, memo) + remembered(n - 2, x, memo)
        return memo[n]

    def read(x: Any, weights: Any = [1.0], k: int = 2) -> Any:  # noqa: B006  # it is what is tried
        return x * weights[0] * k

    class Meter:
        def step(self, x: Any, seen: Any = []) -> Any:  # noqa: B006  # it is what is tried
            seen.append(x)
            self.n = len(seen)
            return x * self.n

    return [(logged, (2.0,)), (counted, (3.0,)), (remembered, (6, 2.0)), (read, (1.5,)),
            (Meter().step, (2.0,))]  # fmt: skip


def test_defaults_are_shared_by_all_calls() -> None:
    for (f, args), (mine, _) in zip(with_defaults(), with_defaults()):
        for operator in (pb.jit, pb.jit, pb.grad, pb.jit):
            if operator is pb.grad and f.__name__ == "remembered":
                continue  # its recursion may take the default, too
            want, found = mine(*args), operator(f)(*args)
            assert found == want or operator is pb.grad
            assert told(getattr(f, "__defaults__", ())) == told(getattr(mine, "__defaults__", ()))


# --- other operators ------------------------------------------------------------------------------


def doubled(a: Any) -> Any:
    a *= 2.0
    return (a**3).sum()


class Model:
    """An object that keeps what it has computed."""

    def __init__(self) -> None:
        self.w, self.calls = np.array([1.0, 2.0, 3.0]), 0

    def loss(self, x: Any) -> Any:
        self.calls += 1
        self.kept = self.w * x
        return (self.kept**3).sum()

    __call__ = loss


A, ONES = np.array([1.0, 2.0, 3.0]), np.ones(3)
SLOPE, CURVE = 24.0 * A**2, np.diag(48.0 * A)


def pulled(f: Callable[..., Any], a: Any) -> Any:
    out, pullback = pb.vjp(f, a)
    first = pullback(1.0)
    assert told(first) == told(pullback(1.0))
    return out, *first


def along(f: Callable[..., Any], a: Any) -> Any:
    out, linear_map = pb.linearize(f, a)
    assert linear_map(ONES) == linear_map(ONES)
    return out, linear_map(ONES)


def by_passes(m: Any) -> Any:
    m[0][0] *= 3.0
    return sum(r[0] ** 2 * r[1] for r in m)


def test_operators_that_take_several_passes() -> None:
    """Data of a form that only the run knows: each pass is a call, and the function runs once."""
    for _ in range(2):
        m = [[1.0, 2.0], [3.0, 4.0]]
        assert pb.jacfwd(by_passes)(m) == [[36.0, 9.0], [24.0, 9.0]]
        assert m == [[3.0, 2.0], [3.0, 4.0]]
    m = [[1.0, 2.0], [3.0, 4.0]]
    assert pb.hessian(by_passes)(m)[0][0] == [[36.0, 18.0], [0.0, 0.0]]
    assert m == [[3.0, 2.0], [3.0, 4.0]]


def test_methods_of_the_papers() -> None:
    for method in ("dual.tape", "chad.monadic"):
        a = A.copy()
        assert close(pb.grad(doubled, method=method)(a), SLOPE)
        assert a.tolist() == (2.0 * A).tolist()


OPERATORS: dict[str, tuple[Callable[..., Any], Any]] = {
    "jacfwd": (lambda f, a: pb.jacfwd(f)(a), SLOPE),
    "jacrev": (lambda f, a: pb.jacrev(f)(a), SLOPE),
    "hessian": (lambda f, a: pb.hessian(f)(a), CURVE),
    "jacobian of grad": (lambda f, a: pb.jacobian(pb.grad(f))(a), CURVE),
    "sparse": (lambda f, a: pb.sparse_hessian(f)(a).toarray(), CURVE),
    "vjp": (pulled, (288.0, SLOPE)),
    "jvp": (lambda f, a: pb.jvp(f, (a,), (ONES,)), (288.0, SLOPE.sum())),
    "linearize": (along, (288.0, SLOPE.sum())),
    "hvp": (lambda f, a: pb.hvp(f, (a,), (ONES,)), (48.0 * A,)),
    "vhp": (lambda f, a: pb.vhp(f, (a,), (ONES,)), (48.0 * A,)),
    "jet": (lambda f, a: pb.jet(f, (a,), ((ONES, 0.0 * ONES),)),
            (288.0, (SLOPE.sum(), CURVE.sum()))),
}  # fmt: skip


def close(found: Any, want: Any) -> bool:
    if isinstance(want, tuple):
        return len(found) == len(want) and all(map(close, found, want))
    return bool(np.allclose(found, want, rtol=1e-12))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str) -> None:
    """The derivatives are those at entry; the function has run once."""
    operate, want = OPERATORS[name]
    for _ in range(2):
        a = A.copy()
        assert close(operate(doubled, a), want)
        assert a.tolist() == (2.0 * A).tolist()
    model = Model()
    for k in range(1, 3):
        scaled = model.loss if name != "vjp" else model
        found = operate(scaled, 2.0 * ONES)
        assert told(model.kept) == told(2.0 * A)
        assert model.calls == k
        if name == "jvp":
            assert close(found, (288.0, (A**3).sum() * 12.0))


def test_what_looks_at_a_function_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    a = A.copy()
    pb.check_grads(doubled, (a,), order=2)
    assert pb.cost(pb.grad(doubled), a) > pb.cost(doubled, a) > 0
    assert "mul" in pb.show(doubled, a)
    assert a.tolist() == A.tolist()
    with pytest.raises(pb.PullbackError, match="seen outside"):
        pb.vmap(doubled)(np.ones((2, 3)))


def test_operators_where_it_raises() -> None:
    def f(planet: Planet, x: float) -> float:
        planet.x = x
        if x > 1.0:
            raise ValueError("too much")
        return x * x * planet.m

    for x in (0.5, 2.0):
        one, two = Planet(1.0, 2.0, 3.0), Planet(1.0, 2.0, 3.0)
        want = outcome(f, (one, x))
        found = outcome(lambda p, x: pb.jvp(f, (p, x), (None, 1.0)), (two, x))
        assert (found if isinstance(found, str) else found[0]) == want
        assert told(one) == told(two)


def test_operators_of_what_is_shared_are_refused() -> None:
    def f(a: Any, b: Any) -> Any:
        a[0] = 2.0
        return (a * b).sum()

    a = A.copy()
    for _ in range(2):
        with pytest.raises(pb.PullbackError, match="shares memory"):
            pb.jvp(f, (a, a), (ONES, ONES))
        assert a.tolist() == A.tolist()


TABLE = np.array([1.0, 2.0, 3.0])


def test_operators_of_what_is_read_by_another_name() -> None:
    def f(a: Any) -> Any:
        a[0] = 5.0 * a[1]
        return (a * TABLE).sum()

    assert pb.jvp(f, (A.copy(),), (ONES,))[0] == 23.0
    for operate in (lambda: pb.jvp(f, (TABLE,), (ONES,)), lambda: pb.hessian(f)(TABLE[:]),
                    lambda: pb.check_grads(f, (TABLE,))):  # fmt: skip
        with pytest.raises(pb.PullbackError, match="shares memory"):
            operate()
        assert TABLE.tolist() == [1.0, 2.0, 3.0]


def test_deep_copies() -> None:
    def rows(x: float) -> float:
        m = [[x * float(i + j) for j in range(3)] for i in range(int(x) + 2)]
        k = copy.deepcopy(m)
        k[0][1] = 7.0
        k.append([x])
        return m[0][1] + 10.0 * k[0][1] + 100.0 * len(m) + k[1][2] * k[-1][0]

    assert pb.jit(rows)(2.5) == rows(2.5)
    assert pb.grad(rows)(2.5) == 1.0 + 6.0 * 2.5


def test_tuples_hold_what_is_updated() -> None:
    def changed(t: Any) -> None:
        a, b, _ = t
        a.append(b[0])
        b[0] = 3.0

    def f(x: float) -> float:
        t = ([x], [2.0], parts_outside.particle())
        first, _, p = t
        first.append(x * x)
        p.pos[0] = x
        changed(t)
        return sum(t[0]) * sum(t[1]) + float(t[2].pos.sum())

    assert pb.jit(f)(1.5) == f(1.5)
    assert pb.grad(f)(1.5) == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6)
