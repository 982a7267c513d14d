"""tqdm's bars in compiled loops: they show what they show in Python, once, and change no number."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np
import pytest
import tqdm as package
import tqdm.auto
from tqdm import tqdm, trange

import pullback as pb
from pullback.call import driver

X = np.linspace(0.0, 1.0, 10)


def whole(p):
    s = 0.0
    for x in tqdm(X):
        s += np.sin(x * p)
    return s


def left(p):
    s = 0.0
    for x in package.tqdm(X, desc="fit", total=20):
        if x > 0.5:
            break
        s += np.sin(x * p)
    return s


def returned(p):
    s = 0.0
    for k in trange(2, 9, desc="seven"):
        s += np.sin(k * p)
        if k > 4:
            return s
    return s


def numbered(p):
    s = 0.0
    for i, x in enumerate(pb.progress(X)):
        s += np.sin(i * p) + x
    for i, x in tqdm(enumerate(X), desc="again"):
        s += i * x * p
    for y, x in tqdm(zip(X, X), total=10):
        s += np.sin(y * p) * x
    return s


def generated(p):
    return sum(v * v * p for v in tqdm((v * 2.0 for v in X), desc="squares"))


def caught(p):
    s = 0.0
    try:
        for x in tqdm(X):
            s += np.sin(x * p)
            if x > 0.5:
                raise ValueError("no")
    except ValueError:
        s = s * 2.0
    return s


def nested(p):
    s = 0.0
    for i in trange(3):
        for j in trange(4, desc=f"inner {i}", leave=False):
            s = np.sin(s + p * i * j)
    return s


def with_a_name(p):
    bar = tqdm(X)
    s = 0.0
    for x in bar:
        if x > 0.5:
            break
        s += np.sin(x * p)
        bar.set_postfix(s=s)
        bar.set_description(f"at {x:.2f}")
    return s + bar.n * p


def updated(p):
    s, k = 0.0, 0
    with tqdm(total=12, unit="B") as bar:
        while k < 6:
            s += np.sin(0.3 * p)
            k += 1
            bar.update(2)
    return s


def written(p):
    s = 0.0
    bar = tqdm(total=3)
    for k in range(3):
        s += np.sin(0.3 * p) * k
        bar.update()
        tqdm.write(f"hello {s:g}")
    bar.close()
    return s


def of_dicts(p):
    s = 0.0
    d = {"a": 1.0, "b": 2.0}
    for _, v in tqdm(d.items()):
        s += np.sin(v * p)
    for k in tqdm(d, disable=True):
        s += d[k] * p
    return s


def automatic(p):
    s = 0.0
    for x in tqdm_auto(X, ascii=True):
        s += np.sin(x * p)
    for k in trange_auto(3):
        s += k * p
    return s


tqdm_auto, trange_auto = package.auto.tqdm, package.auto.trange


def recursive(p):
    def go(k):
        s = 0.0
        for _ in trange(2, desc="down"):
            s += p * p
        return s if k == 0 else s + go(k - 1)

    return go(3)


def list_updated(p):
    a = [p, p * 2.0, p * 3.0]
    for i, v in enumerate(tqdm(a)):
        a[i] = v * v
    return sum(a)


def kept_few(p):
    def loop(q):
        for _ in trange(3):
            q = np.sin(q)
        return q

    return pb.checkpoint(loop)(p) + loop(p)


PROGRAMS = [
    whole, left, returned, numbered, generated, caught, nested, with_a_name, updated, written,
    of_dicts, automatic, recursive, list_updated, kept_few,
]  # fmt: skip
OPERATORS: dict[str, Callable[..., Any]] = {
    "jit": lambda f, p: (pb.jit(f)(p), None),
    "eval": lambda f, p: (driver.run(f, (p,), tier="eval"), None),
    "chad": lambda f, p: pb.value_and_grad(f)(p),
    "dual": lambda f, p: pb.value_and_grad(f, method="dual")(p),
    "jvp": lambda f, p: pb.jvp(f, (p,), (1.0,)),
}


def shown(f: Callable[..., Any], *args: Any) -> tuple[Any, list[str], str]:
    """Return the result, the last state of each line of bars without its times, and the output."""
    bars, out = io.StringIO(), io.StringIO()
    with redirect_stderr(bars), redirect_stdout(out):
        result = f(*args)
    lines = [line.split("\r")[-1] for line in bars.getvalue().split("\n")]
    return result, [re.sub(r"\[\d\d:.*?\]| +$", "", line) for line in lines], out.getvalue()


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_bars_are_those_of_python(f: Callable[..., Any]) -> None:
    value, bars, out = shown(f, 2.0)
    slope = (shown(f, 2.0 + 1e-6)[0] - shown(f, 2.0 - 1e-6)[0]) / 2e-6
    assert any(bars)
    for name, operator in OPERATORS.items():
        (found, derivative), seen, printed = shown(operator, f, 2.0)
        assert found == pytest.approx(value, rel=1e-12), name
        assert derivative is None or derivative == pytest.approx(slope, rel=1e-5), name
        # where a bar ends with other spaces, its texts came at another time
        assert [s.split() for s in seen] == [s.split() for s in bars], name
        assert printed == out, name


def test_an_error_leaves_the_bar_where_it_was() -> None:
    def failing(p):
        for x in tqdm(X):
            if x * p > 0.5:
                raise ValueError(f"at {x:.2f}")
        return p

    def message(f: Any) -> str:
        with pytest.raises(ValueError, match=r"at 0\.33") as error:
            f(2.0)
        return str(error.value)

    wanted = shown(message, failing)
    assert shown(message, pb.jit(failing)) == wanted
    assert "3/10" in wanted[1][0]


def test_python_is_called_now_and_then() -> None:
    def bare(p, n):
        s = 0.0
        for i in range(n):
            s = np.sin(s + p * i)
        return s

    def barred(p, n):
        s = 0.0
        for i in trange(n, desc="long"):
            s = np.sin(s + p * i)
        return s

    for make in (pb.jit, pb.value_and_grad):
        fast, slow = make(bare), make(barred)
        assert fast(0.3, 10) == shown(slow, 0.3, 10)[0]
        ratios = []
        for _ in range(5):
            start = time.perf_counter()
            wanted = fast(0.3, 1_000_000)
            middle = time.perf_counter()
            found, bars, _ = shown(slow, 0.3, 1_000_000)
            ratios.append((time.perf_counter() - middle) / (middle - start))
            assert found == wanted and "1000000/1000000" in bars[0]
        assert min(ratios) < 2.0


def test_a_long_loop_moves_its_bar(capsys: Any) -> None:
    def slow(p, n):
        s = 0.0
        for i in trange(n, mininterval=0.02):
            s = np.sin(s + p * i)
        return s

    pb.jit(slow)(0.5, 3_000_000)
    states = [int(k) for k in re.findall(r"(\d+)/3000000", capsys.readouterr().err)]
    assert len(states) > 4 and states == sorted(states) and states[-1] == 3_000_000


def test_each_element_of_vmap_has_its_bar() -> None:
    def walk(x):
        for _ in trange(3):
            x = np.sin(x)
        return x

    found, bars, _ = shown(pb.vmap(walk), X[:2])
    np.testing.assert_allclose(found, np.sin(np.sin(np.sin(X[:2]))))
    assert [b.count("3/3") for b in bars] == [1, 1, 0]


def test_other_functions_of_tqdm_are_refused() -> None:
    from tqdm.contrib import tzip

    with pytest.raises(pb.UnsupportedError, match="tzip"):
        pb.jit(lambda p: sum(a * b * p for a, b in tzip(X, X)))(1.0)


def test_progress_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(pb.progress(X, disable=True), tqdm)
    monkeypatch.delitem(sys.modules, "tqdm.auto")
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.warns(UserWarning, match="pip install tqdm"):
        assert pb.progress(X) is X
