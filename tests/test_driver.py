"""The pipeline, the cache and its guards, the way of values into compiled code and out of it."""

from __future__ import annotations

import gc
import math
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver, recent
from pullback.call.marshal import Flattener, result_value
from pullback.call.request import Request, What
from pullback.call.shapes import shape_of
from pullback.call.store import Cells
from pullback.core.terms import Dialect
from pullback.core.waiting import join
from pullback.frontend.kinds.kinds import leaf_types
from pullback.frontend.python.pytypes import type_of


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """The functions that the front end reads during a test; it starts with an empty cache."""
    seen: list[object] = []
    plain = driver._front
    monkeypatch.setattr(driver, "_found", type(driver._found)())

    def counted(f: Any, *rest: Any) -> Any:
        seen.append(f)
        return plain(f, *rest)

    monkeypatch.setattr(driver, "_front", counted)
    yield seen


SCALE = 2.0
TABLE = np.array([1.0, 2.0])


def helper(x: Any) -> Any:
    return SCALE * x


def uses_helper(x: Any) -> Any:
    return helper(x) * TABLE[0]


# --- the pipeline --------------------------------------------------------------------------------


def test_methods_share_the_front_end_but_for_linear_algebra(compilations: list[object]) -> None:
    """Dual numbers have no rules for whole matrices: these are other programs for them."""

    def scaled(a: np.ndarray) -> float:
        return np.sum(a @ a) * SCALE

    def solved(a: np.ndarray) -> float:
        return np.sum(np.linalg.solve(a, a[0]))

    matrix = np.array([[2.0, 1.0], [0.5, 3.0]])
    for f, programs in ((scaled, 1), (solved, 2)):
        compilations.clear()
        results = [f(matrix), pb.jit(f)(matrix)]
        first, second = (pb.grad(f, method=method)(matrix) for method in ("chad", "dual"))
        np.testing.assert_allclose(results[0], results[1], 1e-14)
        np.testing.assert_allclose(first, second, 1e-12, 1e-12)
        assert compilations == [f] * programs


def test_who_asks_for_a_float_gets_one(compilations: list[object]) -> None:
    """What is known of a function is used again only where it suits: a derivative is of a float,
    the value of the same function is Python's own int."""

    def f(x: float) -> float:
        return 1 if x > 2.0 else x

    for _ in range(2):
        value, gradient = pb.value_and_grad(f)(3.0)
        assert (type(value), value, gradient) == (float, 1.0, 0.0)
        assert type(pb.jit(f)(3.0)) is int
        assert type(pb.jit(f)(1.0)) is float
    assert len(compilations) == 1


def test_the_pipeline_reads_from_source_to_accumulators() -> None:
    names = [stage.name for stage in driver.PIPELINE]
    assert len(set(names)) == len(names)
    assert names.index("flatten") < names.index("ad")
    assert names.index("ad") < names.index("entry")
    order = [Dialect.SOURCE, Dialect.FLAT, Dialect.ACCUMULATING]
    places = [order.index(stage.dialect) for stage in driver.PIPELINE]
    assert places == sorted(places)
    assert all(stage.why for stage in driver.PIPELINE)


def test_a_pass_that_breaks_the_program_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from pullback.core.check import CheckError

    def break_it(program: Any) -> Any:
        main = program.functions[program.main]
        broken = replace(main, body=replace(main.body, lets=()))
        return replace(program, functions={**program.functions, main.name: broken})

    stages = [replace(s, run=break_it) if s.name == "trim last" else s for s in driver.PIPELINE]
    monkeypatch.setattr(driver, "PIPELINE", tuple(stages))
    monkeypatch.setattr(driver.config, "check", "always")
    f = lambda x: x * x + 17.0
    for _ in range(2):
        with pytest.raises(pb.InternalError) as caught:
            pb.jit(f)(2.0)
        assert isinstance(caught.value.__cause__, CheckError)
    monkeypatch.undo()
    assert pb.jit(f)(2.0) == 21.0  # the failure was not kept


# --- the cache -----------------------------------------------------------------------------------


def test_new_values_do_not_compile(compilations: list[object]) -> None:
    g = pb.grad(lambda x, n: np.sum(x * x) * n)
    for size in (1, 10, 100):
        for n in (2, 3):
            np.testing.assert_allclose(g(np.ones(size), n), 2.0 * n * np.ones(size))
    assert len(compilations) == 1
    g(np.ones(3, np.float32), 2)
    assert len(compilations) == 2


def test_lambdas_made_anew_do_not_compile(compilations: list[object]) -> None:
    for k in (1.0, 2.0, 3.0):
        assert pb.grad(lambda x: k * x * x)(2.0) == 4.0 * k
        assert pb.value_and_grad(lambda x: x * x)(k) == (k * k, 2 * k)
    assert len(compilations) == 2


def test_captures_of_another_type_compile_again(compilations: list[object]) -> None:
    def make(k: Any) -> Any:
        return lambda x: np.sum(k * x)

    assert [pb.grad(make(k))(2.0) for k in (1.0, 2, np.array([1.0, 5.0]), 3.0)] == [1, 2, 6, 3]
    assert len(compilations) == 3


def test_globals_are_read_at_every_call(
    compilations: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    g = pb.grad(uses_helper)
    assert g(1.0) == 2.0
    monkeypatch.setitem(globals(), "SCALE", 10.0)
    assert g(1.0) == 10.0
    monkeypatch.setitem(globals(), "TABLE", np.array([3.0, 0.0, 0.0]))
    assert g(1.0) == 30.0
    assert len(compilations) == 1
    monkeypatch.setitem(globals(), "SCALE", 10)  # another type
    assert g(1.0) == 30.0
    monkeypatch.setitem(globals(), "helper", lambda x: 5.0 * x)  # another function
    assert g(1.0) == 15.0
    monkeypatch.undo()
    assert g(1.0) == 2.0


def test_static_values_are_guarded() -> None:
    def f(x: Any, axis: Any) -> Any:
        return np.sum(np.sum(x, axis=axis) ** 2)

    x = np.arange(6.0).reshape(2, 3)
    g = pb.grad(f)
    for axis in (0, 1, 0):
        expected = 2.0 * np.expand_dims(np.sum(x, axis=axis), axis) * np.ones_like(x)
        np.testing.assert_allclose(g(x, axis), expected)


def test_cells_are_read_at_every_call() -> None:
    k = 2.0

    def f(x: Any) -> Any:
        return k * x

    g = pb.grad(f)
    assert g(1.0) == 2.0
    k = 3.0
    assert g(1.0) == 3.0


def test_the_cache_is_bounded(
    compilations: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver.config, "cache_size", 3)
    for rank in range(1, 7):
        assert pb.jit(lambda x: np.sum(x))(np.ones((1,) * rank)) == 1.0
    assert len(driver._found) == 3
    assert sum(len(r.entries) for r in recent._recent.values()) <= 3


def test_compiled_code_goes_when_nobody_has_it(compilations: list[object]) -> None:
    g = pb.jit(lambda x: x + 4.0)
    g(1.0)
    gone = weakref.ref(next(iter(driver._found.values()))[0])
    driver._found.clear()
    recent._recent.clear()
    del g
    compilations.clear()
    gc.collect()
    assert gone() is None


def test_a_refused_program_is_refused_again_and_mended() -> None:
    def f(x: Any) -> Any:
        return x if x > 0.0 else (lambda: x)

    for _ in range(2):
        with pytest.raises(pb.PullbackError):
            pb.jit(f)(1.0)


def test_many_threads_compile_one_function_once(compilations: list[object]) -> None:
    f = lambda x: np.sum(np.sin(x) * x)
    x = np.linspace(0.0, 1.0, 500)
    expected = np.sin(x) + np.cos(x) * x
    wrong: list[Any] = []

    def work() -> None:
        g = pb.grad(f)
        for _ in range(20):
            if not np.allclose(g(x), expected):
                wrong.append(g(x))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert wrong == [] and len(compilations) == 1


def test_an_error_leaves_nothing_broken() -> None:
    f = pb.grad(lambda x, i: x[i] * x[i] / math.sqrt(x[0]))
    x = np.array([4.0, 2.0])
    for _ in range(3):
        with pytest.raises(IndexError):
            f(x, 7)
        np.testing.assert_allclose(f(x, 1), [-0.25, 2.0])
        with pytest.raises(ValueError, match="domain"):
            pb.jit(math.sqrt)(-1.0)


# --- the fast call -------------------------------------------------------------------------------


def test_a_plain_function_goes_straight_into_the_entry_point() -> None:
    g = pb.grad(lambda x: x * x)
    g(2.0)
    assert type(g._fast).__name__ == "builtin_function_or_method"


def test_the_fast_call_gives_up_where_it_does_not_fit() -> None:
    @dataclass(frozen=True)
    class Pair:
        a: float
        b: float

    f = lambda p, k: p.a * p.b * k if isinstance(p, Pair) else p * k
    fast, result = driver.bind(f, (Pair(2.0, 3.0), 4.0), Request(What.GRADIENT, (0,), True))
    assert result == Pair(12.0, 8.0) == fast(Pair(2.0, 3.0), 4.0)
    others = ((2.0, 4.0), (Pair(2.0, 3.0), 4), (Pair(2.0, 3.0),), (Pair(1.0, 1), 2.0), (1, 2, 3))
    for args in others:
        assert fast(*args) is NotImplemented


def test_calls_of_alternating_types_stay_compiled(compilations: list[object]) -> None:
    g = pb.grad(lambda x: np.sum(x * x))
    for _ in range(3):
        assert g(1.0) == 2.0
        assert g(np.ones(2)).tolist() == [2.0, 2.0]
        assert g(x=np.ones((1, 1))).tolist() == [[2.0]]
    assert len(compilations) == 3


# --- leaves --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class End:
    pass


@dataclass(frozen=True)
class Link:
    value: float
    data: np.ndarray
    flag: bool
    rest: Chain


Chain = End | Link


def chain() -> Any:
    return Link(1.5, np.array([1.0, 2.0]), True, Link(2.5, np.array([3.0]), False, End()))


@pytest.mark.parametrize(
    "value",
    [
        1.5, 2, True, np.float32(1.5), np.ones((2, 3)), (1.0, (2, [3.0])), [1.0, 2.0], [(1.0, 2)],
        [np.ones(2), np.ones(3)], [[1.0], [2.0, 3.0]], chain(), [chain(), End()], None, "text",
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_flattened_values_are_built_again(value: Any) -> None:
    kind = type_of(value)
    leaves = Flattener().leaves(shape_of(kind), value)
    assert len(leaves) == len(list(leaf_types(kind)))
    np.testing.assert_equal(_shown(result_value(shape_of(kind), leaves)), _shown(value))


def _shown(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return type(x)(map(_shown, x))
    return [x.value, x.data, x.flag, _shown(x.rest)] if isinstance(x, Link) else x


def test_accumulators_are_numbered_in_the_order_of_the_nodes() -> None:
    flattener = Flattener("fwd")
    kind = type_of(chain())
    flattener.leaves(shape_of(kind), chain())
    assert flattener.cells == 1 + (1 + 1) + (2 + 1) - 1
    inner, outer = (p for p in flattener.flat_nodes if isinstance(p.value, Link))
    assert inner.accumulators == {1: Cells(0, (1,))} and inner.cells == Cells(1, (1,))
    assert outer.accumulators == {1: Cells(2, (2,))} and outer.cells == Cells(4, (1,))
    made = flattener.node_gradients(np.arange(5.0))
    found: Any = made[id(outer.node)]
    assert found.value == 4.0 and found.flag is None and found.rest.value == 1.0
    np.testing.assert_array_equal(found.data, [2.0, 3.0])


def test_every_stage_can_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before ``own`` an update is of a value, after it of memory."""
    from tests.programs.functions import pullback_kept

    def again(x):  # compiled anew
        return pullback_kept(x)

    monkeypatch.setattr(driver.config, "check", "always")
    assert pb.grad(again)(1.5) == pb.grad(pullback_kept)(1.5)


def test_functions_alone_are_optimised_thoroughly() -> None:
    def f(x):
        return x[0] * x[1] ** 2

    def curvature(x):
        return pb.hessian(f)(x)

    for g, tight in ((f, True), (curvature, False)):
        _, unit = driver.found(g, (np.ones(2),), Request(What.VALUE))
        assert unit.tight is tight


def test_a_method_of_the_papers_does_not_take_blas_from_the_others() -> None:
    def product(x, y):
        return np.sum(x @ y)

    x = np.ones((3, 3))
    pb.cost(product, x, x, method="chad.monadic")  # of the program without whole products
    _, unit = driver.found(product, (x, x), driver.Request(driver.What.VALUE_AND_GRADIENT, (0, 1)))
    assert unit.special.has_products
