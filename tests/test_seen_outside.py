"""Functions that update their arguments: the arguments are afterwards what Python leaves."""

from __future__ import annotations

import copy
import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, captured_programs
from tests.outside_programs import CASES, RAISING, Account, Body, Made, doubled

CLASSES = Body, Account


def told(x: Any) -> Any:
    """What can be seen of a value."""
    match x:
        case np.ndarray():
            return str(x.dtype), x.shape, x.tolist()
        case list() | tuple():
            return type(x).__name__, [told(v) for v in x]
        case dict():
            return [(k, told(v)) for k, v in x.items()]
        case Body() | Account():
            return type(x).__name__, told(vars(x))
        case _:
            return type(x).__name__, x


def parts(args: Any) -> dict[str, Any]:
    """The objects in arguments, by their places."""
    found: dict[str, Any] = {}
    for k, a in enumerate(args):
        found[str(k)] = a
        if isinstance(a, CLASSES):
            found |= {f"{k}.{n}": v for n, v in vars(a).items() if isinstance(v, list | np.ndarray)}
    return found


def ids(cases: list[tuple[Callable[..., Any], Made]]) -> list[str]:
    return [f.__name__ for f, _ in cases]


@pytest.mark.parametrize(("f", "made"), CASES, ids=ids(CASES))
def test_as_in_python(
    f: Callable[..., Any], made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = made()
    before = parts(mine)
    want, out = f(*mine), capsys.readouterr().out
    still = {n: parts(mine)[n] is v for n, v in before.items()}
    compiled = pb.jit(f)
    for _ in range(2):
        args = made()
        before = parts(args)
        assert told(compiled(*args)) == told(want)
        assert told(args) == told(mine)
        assert {n: parts(args)[n] is v for n, v in before.items()} == still
        assert capsys.readouterr().out == out


def pure(f: Callable[..., Any], *args: Any) -> float:
    return float(f(*copy.deepcopy(args)))


def nudged(args: Any, k: int, at: Any, h: float) -> Any:
    args = copy.deepcopy(args)
    match args[k]:
        case np.ndarray() | list() | dict():
            args[k][at] += h
        case _:
            setattr(args[k], at, getattr(args[k], at) + h)
    return args


TAKEN = campaign.part("values", CASES, 3)


@pytest.mark.parametrize(("f", "made"), TAKEN, ids=ids(TAKEN))
def test_the_gradient_is_by_the_values_at_entry(
    f: Callable[..., Any], made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    for method in campaign.rotated("values", f.__name__, ("chad", "dual")):
        gradient_is_by_the_values_at_entry(f, made, method)


def gradient_is_by_the_values_at_entry(f: Callable[..., Any], made: Made, method: str) -> None:
    mine, args = made(), made()
    want = f(*mine)
    value, gradient = pb.value_and_grad(f, method=method)(*args)
    assert told(value) == told(want)
    assert told(args) == told(mine)
    start = made()
    match start[0]:
        case np.ndarray():
            places: list[Any] = [tuple(int(i) for i in p) for p in np.ndindex(start[0].shape)]
            found = {p: gradient[p] for p in places}
        case list():
            found = dict(enumerate(gradient))
        case dict():
            found = dict(gradient)
        case _:
            found = {n: v for n, v in vars(gradient).items() if isinstance(v, float)}
    single = isinstance(start[0], np.ndarray) and start[0].dtype == np.float32
    h, tolerance = (0.25, 1e-3) if single else (1e-6, 1e-6)
    for at, derivative in found.items():
        up, down = (pure(f, *nudged(start, 0, at, s * h)) for s in (1, -1))
        assert derivative == pytest.approx((up - down) / (2 * h), rel=tolerance, abs=tolerance)


@pytest.mark.parametrize(("f", "made"), RAISING, ids=ids(RAISING))
def test_where_it_raises(
    f: Callable[..., Any], made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = made()
    with pytest.raises((ValueError, LookupError, ArithmeticError)) as wanted:
        f(*mine)
    out = capsys.readouterr().out
    for operator in (pb.jit, pb.grad):
        compiled = operator(f)
        for _ in range(2):
            args = made()
            with pytest.raises(type(wanted.value)) as caught:
                compiled(*args)
            assert repr(caught.value) == repr(wanted.value)
            assert repr(caught.value.__context__) == repr(wanted.value.__context__)
            assert told(args) == told(mine)
            assert capsys.readouterr().out == out


def test_arguments_that_share_memory() -> None:
    def f(a: Any, b: Any) -> Any:
        b[0] = a[1]
        a[0] += 7.0
        return (a * b).sum()

    compiled = pb.jit(f)
    compiled(np.ones(3), np.ones(3))
    for pair in (lambda a: (a[:3], a[:3]), lambda a: (a[1:], a[:-1]), lambda a: (a[:2], a[2:])):
        one, two = np.arange(4.0), np.arange(4.0)
        assert compiled(*pair(two)) == f(*pair(one))
        assert two.tolist() == one.tolist()
    a = np.arange(3.0)
    with pytest.raises(pb.PullbackError, match="shares memory"):
        pb.grad(f)(a, a)
    assert a.tolist() == [0.0, 1.0, 2.0]


def test_what_only_compiled_code_raises_changes_nothing() -> None:
    def f(a: Any, n: int) -> float:
        a[0] = 5.0
        for _ in range(100):
            n = n * n + 1
        return float(n % 7)

    a = np.ones(3)
    with pytest.raises(OverflowError, match="64 bits"):
        pb.jit(f)(a, 3)
    assert a.tolist() == [1.0, 1.0, 1.0]


class Called:
    """An object that can be called, with an array."""

    def __init__(self, w: Any) -> None:
        self.w = w

    def __call__(self) -> Any:
        return self.w.sum()


def test_objects_that_are_called_and_dicts_of_many_keys_share_memory_too() -> None:
    def f(a: Any, g: Any) -> Any:
        a[0] = 10.0
        return g()

    def of_a_dict(a: Any, d: Any) -> Any:
        a[0] = 10.0
        return d["v"].sum()

    a, b = np.ones(3), np.ones(3)
    assert pb.jit(f)(a, Called(a)) == 12.0
    assert pb.jit(of_a_dict)(b, {**{f"k{k}": 1.0 for k in range(70)}, "v": b}) == 12.0


TABLE = np.array([1.0, 2.0, 3.0])


def test_what_the_function_reads_beside_its_arguments() -> None:
    def f(a: Any) -> Any:
        a[0] = 5.0
        return (a * TABLE).sum()

    compiled = pb.jit(f)
    assert compiled(np.ones(3)) == 10.0
    try:
        want = f(TABLE)
        TABLE[0] = 1.0
        assert compiled(TABLE) == want
        assert TABLE[0] == 5.0
    finally:
        TABLE[0] = 1.0


COUNTER = Body(0.0)
HELD = {"c": COUNTER}


def test_an_object_that_is_updated_is_read_by_its_other_name() -> None:
    def f(x: float) -> float:
        HELD["c"].x += x
        return HELD["c"].x * x + COUNTER.x

    want = told((f(1.5), COUNTER))
    vars(COUNTER).update(vars(Body(0.0)))
    assert told((pb.jit(f)(1.5), COUNTER)) == want
    with pytest.raises(pb.PullbackError, match="shares memory"):
        pb.grad(f)(1.5)


def test_a_read_only_array_raises_as_numpy_does() -> None:
    a = np.ones(3)
    a.flags.writeable = False
    compiled = pb.jit(doubled)
    assert compiled(np.ones(3)) == 6.0
    with pytest.raises(ValueError, match="read-only"):
        compiled(a)
    with pytest.raises(pb.PullbackError, match="read-only"):
        pb.grad(doubled)(a)


def test_the_result_is_the_argument() -> None:
    def f(a: Any) -> Any:
        a += 1.0
        return a

    compiled = pb.jit(f)
    for _ in range(2):
        a = np.zeros(2)
        assert compiled(a) is a
        assert a.tolist() == [1.0, 1.0]


def test_methods_and_options() -> None:
    one, two = Body(1.0), Body(1.0)
    step = pb.jit(one.step)
    for d in (0.5, 0.25):
        assert step(d) == two.step(d)
        assert told(one) == told(two)
    assert pb.grad(one.step)(0.5) == two.x
    two.step(0.5)
    assert told(one) == told(two)

    def f(a: Any, b: Any) -> Any:
        a[0] = 3.0
        return (a * b).sum(), a[1]

    a, b = np.ones(2), np.array([2.0, 4.0])
    (value, aux), (da, db) = pb.value_and_grad(f, argnums=(0, 1), has_aux=True)(a, b)
    assert (value, aux, da.tolist(), db.tolist()) == (10.0, 1.0, [0.0, 4.0], [3.0, 1.0])
    assert a.tolist() == [3.0, 1.0]
    db, aux = pb.grad(f, argnums="b", has_aux=True)(b=b, a=np.ones(2))
    assert (aux, db.tolist()) == (1.0, [3.0, 1.0])


def test_of_other_types_and_made_anew() -> None:
    compiled = pb.jit(doubled)
    for made in (np.ones, lambda n: np.ones((n, 2)), lambda n: np.ones(n, np.float32)):
        a = made(3)
        assert compiled(a) == 2.0 * a.size
        assert (a == 2.0).all()
        assert pb.jit(doubled)(a) == 4.0 * a.size


def refusal(f: Callable[..., Any], *args: Any) -> str:
    before = told(args)
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(f)(*args)
    assert told(args) == before
    return str(caught.value)


def test_refused() -> None:
    def to_itself(b: Any, x: float) -> Any:
        b.w = b
        return x

    assert "update refused" in refusal(to_itself, Body(1.0), 2.0)


# --- what is around a function --------------------------------------------------------------------


def loaded(name: str) -> Any:
    """The module of the programs, anew."""
    file = captured_programs.__file__
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def twice() -> Iterator[tuple[Any, Any]]:
    names = "captured_one", "captured_two"
    yield loaded(names[0]), loaded(names[1])
    for name in names:
        del sys.modules[name]


def around(module: Any) -> Any:
    cells = [c.cell_contents for c in module.made.__closure__]
    held = [module.log, module.count, module.total, module.state, module.table, module.latest]
    return told([*held, vars(module.model), cells])


def outcome(f: Callable[..., Any], x: float) -> Any:
    try:
        return told(f(x))
    except pb.PullbackError:
        raise
    except Exception as error:
        return repr(error)


@pytest.mark.parametrize("name", captured_programs.NAMES)
def test_around_the_function(
    name: str, twice: tuple[Any, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = twice
    kept = two.log, two.model, two.state
    f, compiled = getattr(one, name), pb.jit(getattr(two, name))
    both = pb.value_and_grad(getattr(two, name))
    for x in (2.0, 3.0):
        want, out = outcome(f, x), capsys.readouterr().out
        assert outcome(compiled, x) == want
        assert capsys.readouterr().out == out
        assert around(two) == around(one)
    want = outcome(f, 1.5)
    got = outcome(both, 1.5)
    assert (got if isinstance(got, str) else got[1][0]) == want
    assert around(two) == around(one)
    assert all(a is b for a, b in zip(kept, (two.log, two.model, two.state), strict=True))


def test_its_gradient_is_by_the_values_at_entry(twice: tuple[Any, Any]) -> None:
    one, two = twice
    for name in ("appended", "summed", "keyed", "of_an_object", "of_an_array", "in_a_loop"):
        gradient = pb.grad(getattr(two, name))(1.5)
        up, down = (pure_around(one, name, 1.5 + h) for h in (1e-6, -1e-6))
        assert gradient == pytest.approx((up - down) / 2e-6, rel=1e-6)
        getattr(one, name)(1.5)
        assert around(one) == around(two)


def pure_around(module: Any, name: str, x: float) -> float:
    before = {n: copy.deepcopy(v) for n, v in vars(module).items() if n in STATE}
    try:
        return float(getattr(module, name)(x))
    finally:
        vars(module).update(before)


STATE = "log", "count", "total", "state", "table", "latest", "model"


def test_the_result_is_what_is_around(twice: tuple[Any, Any]) -> None:
    _, two = twice
    assert pb.jit(two.result)(4.0) is two.table
    assert two.table.tolist() == [4.0, 1.0, 1.0]


@pytest.mark.parametrize("name", captured_programs.REFUSED)
def test_around_is_refused(name: str, twice: tuple[Any, Any]) -> None:
    _, two = twice
    before = around(two)
    with pytest.raises(pb.PullbackError):
        pb.jit(getattr(two, name))(2.0)
    assert around(two) == before


def test_what_two_global_names_hold_is_as_in_python(twice: tuple[Any, Any]) -> None:
    one, two = twice
    assert pb.jit(two.by_another_name)(2.0) == one.by_another_name(2.0)
    assert around(two) == around(one)
    with pytest.raises(pb.PullbackError):
        pb.grad(two.by_another_name)(2.0)
    assert around(two) == around(one)


def test_functions_of_one_code() -> None:
    """What is learnt of one closure is not taken for another one."""

    def made(g: Callable[[Any], Any], items: list[float]) -> Callable[[float], Any]:
        def f(x: float) -> Any:
            items.append(x)
            return g(x) * len(items)

        return f

    mine = [1.0]
    assert pb.jit(made(lambda x: x * x, mine))(3.0) == 18.0
    assert mine == [1.0, 3.0]
    with pytest.raises(pb.PullbackError):
        pb.jit(made(lambda x: x * mine[0], mine))(3.0)
    assert pb.jit(made(lambda x: x + 1.0, mine))(3.0) == 12.0
    assert mine == [1.0, 3.0, 3.0]


def test_what_operators_are_made_of() -> None:
    total = 0.0

    def f(x: Any) -> Any:
        nonlocal total
        total += x.sum()
        return x * total

    assert pb.jacfwd(f)(np.ones(2)).tolist() == [[3.0, 1.0], [1.0, 3.0]]
    assert pb.jacrev(f)(np.ones(2)).tolist() == [[5.0, 1.0], [1.0, 5.0]]
    of_each = [[[2.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 2.0]]]
    assert pb.hessian(f)(np.ones(2)).tolist() == of_each
    assert total == 6.0
    with pytest.raises(pb.PullbackError):
        pb.vmap(f)(np.ones((2, 2)))
    assert total == 6.0
    assert pb.jacfwd(lambda x: x * x)(np.ones(2)).tolist() == [[2.0, 0.0], [0.0, 2.0]]
