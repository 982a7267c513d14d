"""``np.fft`` and ``scipy.fft``: values, types, shapes and errors are the library's, to the bit
where NumPy's loops compute them; derivatives of both methods and modes agree with differences."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.fft as sf

import pullback as pb
from pullback.core import pocketfft
from pullback.core.build import Builder
from pullback.core.prims_fourier import FOURIER, MATRIX
from pullback.core.types import F64, I64
from pullback.frontend.library.text import plain_transforms
from tests import campaign, harness
from tests.core.programs import program, var
from tests.frontend import fourier_programs as programs
from tests.frontend.test_complex_arrays import by_differences
from tests.frontend.test_numpy_lines import compare_derivatives, outcome
from tests.lower.agreement import agree


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def same(f: Any, args: tuple[Any, ...], near: float = 1e-12) -> None:
    """Compare a compiled function with the library: class, type, shape and numbers, or error."""
    wanted, found = outcome(f, args), outcome(pb.jit(f), args)
    if isinstance(wanted, (tuple, list)):
        assert found == wanted
        return
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    near = 2e-6 if wanted.dtype in (np.float32, np.complex64) else near
    size = np.max(np.abs(wanted), initial=1.0)
    np.testing.assert_allclose(found, wanted, near, near * size)


CALLS = programs.of_numpy()


@pytest.mark.parametrize("k", range(4))
def test_values_of_all_kinds(k: int) -> None:
    for f, args in campaign.part("lines", CALLS[k::4], 8):
        same(f, args)


def test_values_along_axes() -> None:
    for f in campaign.part("lines", programs.OF_AXES, 3):
        same(f, (programs.mz,))
    for f in campaign.part("lines", programs.FREQUENCIES, 3):
        same(f, (7,))


def test_cosines() -> None:
    for f, kind, norm in campaign.part("lines", programs.cosines(), 8):
        for given in (programs.x, programs.a, np.arange(6), programs.x[:2], programs.x[:1]):
            if not (kind == 1 and len(given) < 2):
                call = {sf.dct: cosine, sf.idct: cosine_back, sf.dst: sine, sf.idst: sine_back}[f]
                same(call(kind, norm), (given,))
    for f in campaign.part("lines", programs.OF_COSINES, 3):
        same(f, (programs.a,))


def cosine(kind: int, norm: Any) -> Any:
    return lambda v: sf.dct(v, kind, norm=norm)


def cosine_back(kind: int, norm: Any) -> Any:
    return lambda v: sf.idct(v, kind, norm=norm)


def sine(kind: int, norm: Any) -> Any:
    return lambda v: sf.dst(v, kind, norm=norm)


def sine_back(kind: int, norm: Any) -> Any:
    return lambda v: sf.idst(v, kind, norm=norm)


def test_the_bits_are_numpys() -> None:
    for n in (1, 2, 5, 8, 13, 30, 97, 210, 1009):
        x = np.random.default_rng(n).normal(size=n)
        for f, given in (
            (lambda v: np.fft.fft(v), x), (lambda v: np.fft.ifft(v), x * (1 + 2j)),
            (lambda v: np.fft.rfft(v), x), (lambda v: np.fft.irfft(v, 9), x),
            (lambda v: np.fft.fft(np.outer(v[:9], v), axis=0), x),
        ):  # fmt: skip
            np.testing.assert_array_equal(pb.jit(f)(given), f(given))


def test_parts_side_by_side_are_read_where_they_lie() -> None:
    z = np.random.default_rng(4).normal(size=(3, 16)) * (1 + 2j)
    for given in (z[0], z[0, ::-1], z[:, 3], z[0].astype(np.complex64), z[0].real):
        same(programs.in_pairs, (given,))
    for given in (z, z.T, z[::2, ::3], np.asfortranarray(z)):
        same(lambda v: np.fft.fft2(v), (given,))
        same(lambda v: np.fft.irfft(v, 7, axis=0), (given,))
        same(lambda v: np.fft.fft(v.imag + 1j * v.real, axis=0), (given,))
    same(lambda v: np.fft.fft(v.real + 1j * v.real[::-1]), (z,))


@pytest.mark.parametrize("f", campaign.part("lines", programs.ERRORS, 3))
def test_errors_are_the_librarys(f: Any) -> None:
    wanted = outcome(f, (programs.a,))
    assert isinstance(wanted, tuple) and issubclass(wanted[0], Exception)
    assert outcome(pb.jit(f), (programs.a,)) == wanted


@pytest.mark.parametrize("f", [
    lambda v: np.fft.rfft(v * 1j), lambda v: sf.ihfft(v * 1j), lambda v: sf.rfftn(v + 1j),
])  # fmt: skip
def test_real_numbers_are_needed(f: Any) -> None:
    with pytest.raises(TypeError):
        f(programs.a)
    with pytest.raises(TypeError, match=r"takes real numbers(.|\n)*Instead: call it with z.real"):
        pb.jit(f)(programs.a)


def test_no_axis_is_refused() -> None:
    for f in (lambda v: np.fft.fftn(v, axes=()), lambda v: sf.ifftn(v, axes=())):  # meant
        with pytest.raises(pb.UnsupportedError, match="a transform along no axis"):
            pb.jit(f)(programs.a)


# --- derivatives ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "x"), campaign.part("lines", programs.LOSSES, 6, core=(0, 1)),
    ids=lambda v: getattr(v, "__name__", ""),
)  # fmt: skip
def test_derivatives_are_differences(f: Any, x: Any) -> None:
    np.testing.assert_allclose(pb.jit(f)(x), f(x), 1e-10)
    compare_derivatives(f.__name__, f, (x,), (0,))
    if x.ndim == 1:
        d, h = np.cos(np.arange(x.size)), 1e-6
        slope = (pb.grad(f)(x + h * d) - pb.grad(f)(x - h * d)) / (2 * h)
        np.testing.assert_allclose(pb.hessian(f)(x) @ d, slope, 1e-5, 1e-5)
        np.testing.assert_allclose(pb.vmap(f)(np.stack([x, x * 1.1])), [f(x), f(x * 1.1)], 1e-9)


@pytest.mark.parametrize("f", [programs.of_complex, programs.quotient], ids=lambda f: f.__name__)
@pytest.mark.parametrize("method", ["chad", "dual"])
def test_gradients_by_complex_numbers(f: Any, method: str) -> None:
    found = pb.grad(f, method=method)(programs.z)
    np.testing.assert_allclose(found, by_differences(f, (programs.z,), 0), 1e-5, 1e-6)


def test_a_transform_is_its_own_derivative() -> None:
    z, n = programs.z, programs.z.size
    matrix = np.fft.fft(np.eye(n))
    for operator in (pb.jacfwd, pb.jacrev):
        found = operator(lambda v: np.fft.fft(v), holomorphic=True)(z)
        np.testing.assert_allclose(found, matrix, 1e-12, 1e-12)
    assert pb.jvp(lambda v: np.fft.ifft(v), (z,), (z * 2,))[1].shape == z.shape


def test_sparse_matrices_of_rows() -> None:
    rows = np.arange(12.0).reshape(3, 4)
    found = pb.sparse_jacobian(lambda m: np.abs(np.fft.rfft(m)).ravel() ** 2)(rows)
    dense = pb.jacobian(lambda m: np.abs(np.fft.rfft(m)).ravel() ** 2)(rows).reshape(9, 12)
    np.testing.assert_allclose(found.toarray(), dense, 1e-12, 1e-12)
    assert found.nnz == 3 * 3 * 4


def test_steps_grow_as_n_log_n() -> None:
    ratios = []
    for n in (64, 256, 1024, 4096):
        x = np.cos(np.arange(1.0 * n))
        steps = harness.steps(programs.parseval, (x,))
        back = harness.steps(programs.parseval, (x,), "chad")
        assert back < 4 * steps and steps < 12 * n * np.log2(n)
        ratios.append(back / steps)
    assert ratios[-1] < 1.1 * ratios[0]


# --- below the front end -------------------------------------------------------------------------

@pytest.mark.parametrize("name", FOURIER.rows)
@pytest.mark.parametrize(("rows", "n"), [(1, 1), (2, 5), (3, 8), (17, 12), (0, 4)])
def test_loop_code_does_what_the_row_means(name: str, rows: int, n: int) -> None:
    x, y = np.random.default_rng(n).normal(size=(2, rows, n))
    half = n // 2 + 1
    args, static = {
        "fft": ((x, y, 0.5), (1,)), "rfft": ((x, 2.0), ()),
        "irfft": ((x[:, :half], y[:, :half], n, 0.5), ()),
    }[name]  # fmt: skip
    b = Builder()
    params = [
        var("p", MATRIX if isinstance(a, np.ndarray) else F64 if isinstance(a, float) else I64)
        for a in args
    ]
    agree(program(params, b, b.prim(name, *params, static=static)), list(args))


def test_the_plain_programs_mean_the_same() -> None:
    for n in (1, 2, 3, 5, 8, 12, 31):
        x, y = np.random.default_rng(n).normal(size=(2, 3, n))
        half = n // 2 + 1
        for name, args in (
            ("fft", (x, y, 0.5, 0)), ("fft", (x, y, 0.5, 1)), ("rfft", (x, 2.0)),
            ("irfft", (x[:, :half], y[:, :half], n, 0.5)),
        ):
            found = getattr(plain_transforms, name)(*args)
            np.testing.assert_allclose(found, FOURIER.rows[name].numpy(*args), 1e-11, 1e-11)


def test_without_numpys_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pocketfft.available()
    monkeypatch.setattr(pocketfft, "available", lambda: False)
    f = lambda v: np.fft.irfft(np.fft.rfft(v) ** 2, 7)  # meant
    np.testing.assert_allclose(pb.jit(f)(programs.x), f(programs.x), 1e-12, 1e-12)
    assert "irfft" not in pb.show(f, programs.x)


def test_loops_that_are_not_as_expected_are_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    pocketfft.loop_of.cache_clear()
    monkeypatch.setitem(pocketfft.LOOPS, "irfft", (15, 15, 15))
    assert not pocketfft.available.__wrapped__()
    monkeypatch.undo()
    pocketfft.loop_of.cache_clear()
    assert pocketfft.available.__wrapped__()


SCRIPT = """
import sys
import numpy as np
import pullback as pb
from pullback.call import driver
from fourier_user import loss
front = driver._front
def counted(*args):
    print("compiled")
    return front(*args)
driver._front = counted
x = np.cos(np.arange(12.0))
print(loss(x).hex(), pb.jit(loss)(x).hex(), [v.hex() for v in pb.grad(loss)(x)])
"""
USER = """
import numpy as np
def loss(x):
    spectrum = np.fft.rfft(x)
    return np.sum(np.abs(np.fft.fft(spectrum * spectrum)) ** 2) + np.fft.irfft(spectrum)[2]
"""


def test_in_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fourier_user.py").write_text(USER)
    monkeypatch.delenv("PULLBACK_CACHE_PROGRAMS", raising=False)
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", ":".join([str(tmp_path), *sys.path]))
    first, second = (
        subprocess.run(
            [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True, timeout=300
        ).stdout.splitlines()
        for _ in range(2)
    )
    assert first[0] == "compiled" and second == first[-1:]
