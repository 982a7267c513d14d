"""``pb.cfunc`` and ``pb.export``: C functions have the bits of ``pb.jit``, and need no Python."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy
from scipy import integrate, ndimage

import pullback as pb
from pullback.core.waiting import join

DOUBLES = ctypes.POINTER(ctypes.c_double)
Density = tuple[int, float, np.ndarray]


def at(c: Any, x: np.ndarray) -> Density:
    """Call a log density as a sampler does."""
    gradient, value = np.full_like(x, 7.0), ctypes.c_double(7.0)
    status = c.ctypes(
        len(x), x.ctypes.data_as(DOUBLES), gradient.ctypes.data_as(DOUBLES), ctypes.byref(value),
        None,
    )  # fmt: skip
    return status, value.value, gradient


# --- log densities --------------------------------------------------------------------------------

DATA = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def eight_schools(x):
    mu, log_tau, z = x[0], x[1], x[2:]
    theta = mu + math.exp(log_tau) * z
    prior = -0.5 * (mu / 5.0) ** 2 - 0.5 * np.sum(z**2)
    prior += log_tau - math.log(1.0 + (math.exp(log_tau) / 5.0) ** 2)
    return prior - 0.5 * np.sum(((DATA - theta) / ERRORS) ** 2)


def many_terms(x):
    return np.sum(np.sin(x) * np.exp(-x * x)) - np.sum(np.log1p(x * x))


def edit_table(x):
    n = len(x)
    d = np.zeros((n + 1, n + 1))
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            d[i, j] = min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1]) + (x[i - 1] - x[j - 1]) ** 2
    return d[n, n]


def tree_sum(x):
    def part(lo, hi):
        if hi - lo == 1:
            return math.sin(x[lo]) * x[lo]
        mid = (lo + hi) // 2
        return part(lo, mid) * 0.5 + part(mid, hi) ** 2

    return part(0, len(x))


def until_small(x):
    y = x[0]
    while abs(y) > 0.1:
        y = y * 0.5 + 0.01 * x[1]
    return y * y + np.max(x)


DENSITIES: list[tuple[Callable[..., Any], int]] = [
    (eight_schools, 10), (many_terms, 5), (many_terms, 100_000), (edit_table, 9), (tree_sum, 33),
    (until_small, 4),
]  # fmt: skip


@pytest.mark.parametrize("f, n", DENSITIES, ids=lambda x: getattr(x, "__name__", x))
def test_a_log_density_has_the_bits_of_its_gradient(f: Callable[..., Any], n: int) -> None:
    x = np.random.default_rng(1).normal(size=n)
    value, gradient = pb.value_and_grad(f)(x)
    for like in (None, (x,)):
        status, got, along = at(pb.cfunc(f, like=like), x)
        assert status == 0
        assert got == value
        np.testing.assert_array_equal(along, gradient)
    plain = f(x)
    assert got == pytest.approx(plain, rel=1e-11)


def test_extents_of_one_meet_others() -> None:
    def f(x):
        return np.sum(x[:1] * x)

    x = np.array([2.0, 3.0, 4.0])
    for like in (None, (x,)):
        status, value, gradient = at(pb.cfunc(f, like=like), x)
        assert (status, value) == (0, 18.0)
        np.testing.assert_array_equal(gradient, [11.0, 2.0, 2.0])


def test_an_error_is_a_status_with_a_text() -> None:
    def f(x):
        if x[0] < 0.0:
            raise ValueError("negative")
        return math.sqrt(x[0]) / float(x[1])

    c = pb.cfunc(f)
    assert at(c, np.array([4.0, 2.0]))[:2] == (0, 1.0)
    for x, text in [
        ([-1.0, 1.0], "ValueError: negative"), ([1.0, 0.0], "ZeroDivisionError"),
        ([1.0], "IndexError"),
    ]:  # fmt: skip
        status, value, gradient = at(c, np.array(x))
        assert status > 0 and value == 7.0 and (gradient == 7.0).all()
        assert text in c.error(status) and "in f" in c.error(status)
    assert at(c, np.array([4.0, 2.0]))[:2] == (0, 1.0)  # after errors
    assert c.error(10**6) == "no such status"


def test_a_recursion_that_does_not_end_is_a_status() -> None:
    def f(x):
        def down(n, y):
            return y if n == 0.5 else 1.0 + down(n + 1, y * 0.999)

        return down(0, x[0])

    c = pb.cfunc(f)
    status, value, _ = at(c, np.ones(1))
    assert status == -2 and value == 7.0
    assert "RecursionError" in c.error(status)


def test_what_is_around_is_read_once() -> None:
    scale, weights = 2.0, np.array([1.0, 2.0])

    def f(x):
        return scale * np.sum(weights * x)

    c = pb.cfunc(f)
    weights[:] = 100.0
    scale = 50.0
    assert at(c, np.ones(2))[1] == 6.0
    assert pb.jit(f)(np.ones(2)) == 10_000.0


def test_threads_have_memory_of_their_own() -> None:
    rng, wrong = np.random.default_rng(2), []
    c = pb.cfunc(edit_table)
    points = [rng.normal(size=n) for n in range(3, 11)]
    wanted = [at(c, x) for x in points]

    def work(x: np.ndarray, want: Density) -> None:
        for _ in range(200):
            got = at(c, x)  # ctypes gives the lock away, so these run side by side
            if got[:2] != want[:2] or (got[2] != want[2]).any():
                wrong.append(x)

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(points, wanted, strict=True)
    ]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert not wrong


def test_code_lives_as_long_as_the_function() -> None:
    call = pb.cfunc(lambda x: x * 3.0, "double (double)").ctypes
    for k in range(100):
        assert pb.jit(lambda x, k=k: x + k)(1.0) == 1.0 + k
    assert call(2.0) == 6.0


# --- SciPy's callbacks ----------------------------------------------------------------------------


def gauss(x):
    return math.exp(-x * x) * math.cos(3.0 * x)


def test_quad() -> None:
    c = pb.cfunc(gauss, "double (double)")
    found = integrate.quad(scipy.LowLevelCallable(c.ctypes), -4.0, 4.0)
    assert found == integrate.quad(gauss, -4.0, 4.0)


def test_nquad() -> None:
    def f(x, y, z):
        return x * math.exp(-y) + z * z

    c = pb.cfunc(f, "double (int, double *)")
    box = [[0.0, 1.0], [0.0, 2.0], [-1.0, 1.0]]
    assert integrate.nquad(scipy.LowLevelCallable(c.ctypes), box)[0] == pytest.approx(
        integrate.nquad(f, box)[0], rel=1e-14
    )
    assert math.isnan(c.ctypes(2, (ctypes.c_double * 2)(1.0, 2.0)))  # one too few


def test_an_integrand_with_an_error_is_nan() -> None:
    c = pb.cfunc(lambda x: math.sqrt(x), "double (double)")
    assert c.ctypes(4.0) == 2.0 and math.isnan(c.ctypes(-1.0))


def test_filters() -> None:
    def spread(window):
        return np.max(window) - np.sum(window) / len(window)

    def reversed_sums(line):
        return np.cumsum(line[2:] - line[:-2])[::-1]

    image = np.random.default_rng(3).normal(size=(7, 6))
    c = pb.cfunc(spread, "int (double *, npy_intp, double *, void *)")
    np.testing.assert_allclose(
        ndimage.generic_filter(image, scipy.LowLevelCallable(c.ctypes), size=3),
        ndimage.generic_filter(image, spread, size=3), rtol=1e-14,
    )  # fmt: skip

    def in_place(line: np.ndarray, out: np.ndarray) -> None:
        out[:] = reversed_sums(line)

    c = pb.cfunc(reversed_sums, "int (double*, npy_intp, double*, npy_intp, void*)")
    np.testing.assert_allclose(
        ndimage.generic_filter1d(image, scipy.LowLevelCallable(c.ctypes), 3),
        ndimage.generic_filter1d(image, in_place, 3), rtol=1e-14,
    )  # fmt: skip
    with pytest.raises(RuntimeError):  # two elements too few
        ndimage.generic_filter1d(image, scipy.LowLevelCallable(c.ctypes), 5)

    def turned(place):
        return np.array([place[1] * 0.5 + 0.3, 1.2 * place[0]])

    c = pb.cfunc(turned, "int (npy_intp *, double *, int, int, void *)")
    np.testing.assert_array_equal(
        ndimage.geometric_transform(image, scipy.LowLevelCallable(c.ctypes)),
        ndimage.geometric_transform(image, lambda p: tuple(turned(p))),
    )


# --- refused --------------------------------------------------------------------------------------


def printing(x):
    print(x[0])
    return np.sum(x)


outside = pb.pure_callback(np.sum, 0.0)


def calling_python(x):
    return outside(pb.stop_gradient(x)) * x[0]


def solving(x):
    return np.sum(np.linalg.solve(np.outer(x, x) + np.eye(len(x)), x))


def transforming(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2)


@pytest.mark.parametrize("f, text", [
    (printing, "prints"), (calling_python, "Python's"), (solving, "LAPACK"),
    (transforming, "NumPy's Fourier transforms"),
])  # fmt: skip
def test_what_needs_python_is_refused(f: Callable[..., Any], text: str, tmp_path: Path) -> None:
    with pytest.raises(pb.UnsupportedError, match=text):
        pb.cfunc(f)
    with pytest.raises(pb.UnsupportedError, match=text):
        pb.export(f, (np.ones(3),), "f", tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "f, types, text",
    [
        (lambda x, way: x if way == "up" else -x, (float, "up"), "argument 1 decides"),
        (lambda a, axis: np.sum(a, axis=axis), (np.ones((2, 2)), 0), "argument 1 decides"),
        (lambda xs: sum(xs), ([1.0, 2.0, 3.0],), "no type in C"),
        (lambda x: f"{x}", (float,), "."),
        (lambda x: [x for _ in range(int(x))], (float,), "no type in C"),
        (lambda a: a, (np.ones(3, np.int16),), "."),
    ],
)
def test_what_has_no_type_in_c_is_refused(
    f: Callable[..., Any], types: tuple[Any, ...], text: str, tmp_path: Path
) -> None:
    with pytest.raises(pb.UnsupportedError, match=text):
        pb.export(f, types, "f", tmp_path)


def test_mistakes_in_the_call(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no C convention"):
        pb.cfunc(gauss, "void (int)")
    with pytest.raises(TypeError, match="returns a float"):
        pb.cfunc(lambda x: x * 2.0, "int (double *, npy_intp, double *, void *)")
    with pytest.raises(TypeError, match="as a tuple"):
        pb.export(gauss, float, "gauss", tmp_path)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(TypeError, match="says too little"):
        pb.export(gauss, (np.ndarray,), "gauss", tmp_path)
    with pytest.raises(ValueError, match="no name"):
        pb.export(gauss, (float,), "my gauss", tmp_path)
    for name in ("double", "main", "exp", "sinf", "malloc", "lambda"):
        with pytest.raises(ValueError, match="a word of C or Python, or a function of C"):
            pb.export(gauss, (float,), name, tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        pb.export(gauss, (float,), "gauss", tmp_path / "file", shared=False)


# --- exported -------------------------------------------------------------------------------------


def loaded(files: Any) -> ModuleType:
    spec = importlib.util.spec_from_file_location(files.python.stem, files.python)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def network(p, x, n):
    h = np.tanh(x @ p["w"]) * p["s"]
    total = 0.0
    for k in range(n):
        total = total * 0.9 + np.sum(h[k % len(h)] ** 2)
    return total


P = {"w": np.random.default_rng(4).normal(size=(3, 2)), "s": 1.5}
X = np.random.default_rng(5).normal(size=(4, 3))


def test_the_gradient_as_a_library(tmp_path: Path) -> None:
    want = pb.value_and_grad(network)
    files = pb.export(want, (P, X, int), "network", tmp_path)
    call = loaded(files).network
    for x in (X, X[::2], np.asfortranarray(X)):
        value, w, s = call(P["w"], P["s"], x, 7)
        expected, grads = want(P, x, 7)
        assert (value, s) == (expected, grads["s"])
        np.testing.assert_array_equal(w, grads["w"])
    with pytest.raises(RuntimeError, match="ValueError"):
        call(np.ones((5, 2)), 1.0, X, 7)
    with pytest.raises(TypeError, match="rank 2"):
        call(np.ones(3), 1.0, X, 7)
    with pytest.raises(TypeError, match="float64"):
        call(P["w"].astype(np.float32), 1.0, X, 7)


def shapes(x, n, flag):
    return np.outer(x, x) * n, x > 0.5, (n + 1, flag and n > 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_types_and_shapes(dtype: type, tmp_path: Path) -> None:
    files = pb.export(shapes, (np.ones(2, dtype), int, bool), "shapes", tmp_path)
    call = loaded(files).shapes
    for x in (np.arange(3, dtype=dtype) / 3, np.zeros(0, dtype)):
        for flag in (True, False):
            outer, above, (n, both) = pb.jit(shapes)(x, 2, flag)
            a, b, c, d = call(x, 2, flag)
            np.testing.assert_array_equal(a, outer)
            np.testing.assert_array_equal(b, above)
            assert a.dtype == outer.dtype and b.dtype == above.dtype
            assert (c, d) == (n, both)
    with pytest.raises(RuntimeError, match="room"):
        call(np.ones(5, dtype), 2, True, room=24)
    assert call(np.ones(5, dtype), 2, True, room=25)[0].shape == (5, 5)


def test_a_program_in_c_calls_it(tmp_path: Path) -> None:
    cc = shutil.which("cc")
    assert cc is not None, "a C compiler"
    files = pb.export(pb.grad(eight_schools), (np.ones(10),), "density", tmp_path, shared=False)
    assert files.library is None and files.python is None
    x = np.random.default_rng(6).normal(size=10)
    numbers = ", ".join(v.hex() for v in x)
    (tmp_path / "main.c").write_text(f"""
#include <stdio.h>
#include "density.h"
int main(void) {{
    double x[10] = {{{numbers}}}, g[10];
    if (density(x, 10, g)) return 1;
    if (density(x, 9, g) <= 0) return 2;
    puts(density_error(density(x, 9, g)));
    if (density(x, 10, 0)) return 3;
    for (int k = 0; k < 10; k++) printf("%a\\n", g[k]);
    return 0;
}}
""")
    build = [cc, "-Wall", "-Werror", "main.c", "density.o", "-lm", "-o", "main"]
    subprocess.run(build, cwd=tmp_path, check=True, timeout=120)
    run = subprocess.run(
        [str(tmp_path / "main")], capture_output=True, text=True, check=True, timeout=60, env={}
    )
    text, *lines = run.stdout.splitlines()
    assert "ValueError" in text
    assert [float.fromhex(line) for line in lines] == list(pb.grad(eight_schools)(x))
    example = [cc, "-Wall", "-Werror", "density_example.c", "density.o", "-lm", "-o", "example"]
    subprocess.run(example, cwd=tmp_path, check=True, timeout=120)
    libraries = subprocess.run(
        ["ldd", "main"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert "python" not in libraries.stdout


def test_files_are_whole_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(pb.UnsupportedError, match="C compiler"):
        pb.export(gauss, (float,), "gauss", tmp_path)
    assert not (tmp_path / "libgauss.so").exists()
    pb.export(gauss, (float,), "gauss", tmp_path, shared=False)


def test_much_data_around_is_refused(tmp_path: Path) -> None:
    data = np.zeros(1 << 23)
    with pytest.raises(pb.UnsupportedError, match="into the object"):
        pb.export(lambda x: x * data[3], (float,), "f", tmp_path, shared=False)
    c = pb.cfunc(lambda x: x + data[3], "double (double)")
    assert c.ctypes(2.0) == 2.0
