"""Calls of NumPy as people write them, one in a line, with the keywords that are less usual: each
line is the body of a function of the arrays and numbers that it names."""

import linecache
import re
from collections.abc import Callable
from typing import Any

import numpy as np

_STACK = np.random.default_rng(5).normal(size=(2, 3, 3)) + 2.0 * np.eye(3)

ARGUMENTS: dict[str, Any] = {
    "s": 1.7,
    "v": np.array([0.5, -1.2, 2.1, 0.3]),
    "w": np.array([1.5, 0.2, -0.7, 2.9]),
    "m": np.array([[1.0, 2.5, -0.5], [0.3, 4.0, 1.1], [-2.0, 0.7, 3.0]]),
    "t": np.arange(24.0).reshape(2, 4, 3) / 7.0 - 1.3,
    "f": np.array([0.5, -1.25, 2.0, 0.75], np.float32),
    "i": np.array([1, 0, 3, 1]),
    "n": np.array([1.0, np.nan, 2.0, 0.5]),
    "stack": _STACK,
    "even": _STACK @ _STACK.transpose(0, 2, 1),
}
"""The arguments, by the names that stand for them in the lines."""


def lines() -> list[str]:
    """Return the lines of all subjects."""
    return [line for subject in SUBJECTS for line in subject.strip().splitlines()]


def named(line: str) -> list[str]:
    """Return the names of the arguments of a line."""
    return [n for n in ARGUMENTS if re.search(rf"(?<![.\w'\"]){n}(?!['\w]|\()", line)] or ["s"]


def function_of(line: str) -> Callable[..., Any]:
    """Return the function whose body a line is: statements and an expression, with semicolons
    between them."""
    *statements, result = line.split("; ")
    body = "".join(f"    {s}\n" for s in [*statements, f"return {result}"])
    text = f"def line({', '.join(named(line))}):\n{body}"
    file = f"<line {line}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    found: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), found)
    return found["line"]


def arguments_of(line: str) -> tuple[Any, ...]:
    return tuple(np.copy(v) if np.ndim(v) else v for v in (ARGUMENTS[n] for n in named(line)))


NUMBERS = """
np.asarray(s).flatten()
np.asarray(s)[()]
np.asarray(s).ravel()
np.asarray(s).reshape(1)
np.asarray(s).reshape(-1)
np.asarray(s).copy()
np.array(s)[None]
np.array(s)[..., None]
np.array(s).tolist() * 2
np.var(s)
np.std(s)
np.asarray(s).var()
np.asarray(s).std()
np.squeeze(np.asarray(s))
np.isscalar(s)
np.isscalar(v)
np.isscalar(v[0])
np.iscomplexobj(v)
np.isrealobj(v)
np.iterable(v)
np.iterable(s)
v * (np.result_type(v, np.float32) == np.float64)
v * (np.result_type(v) == np.float64)
v.astype(np.result_type(v, i))
s if np.can_cast(np.float32, np.float64) else 0.0
s if np.can_cast(v.dtype, np.float32) else 0.0
s if np.issubdtype(v.dtype, np.floating) else 0.0
s if np.issubdtype(i.dtype, np.integer) else 0.0
s if np.issubdtype(i.dtype, np.number) else 0.0
np.finfo(v.dtype).eps * s
np.finfo(np.float32).tiny
np.isdtype(v.dtype, 'real floating')
np.dtype(float) == v.dtype
np.dtype('float32').itemsize
np.promote_types(np.float32, np.int64) == v.dtype
"""

SHAPES = """
np.expand_dims(s, 0)
np.transpose(s)
np.atleast_3d(v)
np.atleast_3d(m)
np.atleast_3d(s)
np.atleast_1d(s, v)
np.atleast_2d(v, m)
np.vstack(v)
np.hstack(v)
np.concatenate((v, w), dtype=np.float32)
np.array(m, order='F')
np.array(m, order='C')
np.asarray(m, order='F')
np.zeros((2, 3), order='F')
np.ones((2, 3), float, 'F')
k = np.empty_like(m, order='F'); k[:] = m; k
np.asfortranarray(m)
m.ravel(order='F')
np.ravel(m, 'F')
m.flatten('F')
m.reshape((9,), order='F')
np.reshape(m, (9, 1), order='F')
np.reshape(v, (2, 2), 'F')
k = np.ndarray((2, 3)); k[:] = s; k
np.ndarray(3).shape
np.linspace(0, s, 5, dtype=np.float32)
np.linspace(0, 10, 5, dtype=int)
np.linspace(0, s, 5, retstep=True)
np.linspace(v, w, 4)
np.linspace(v, w, 4, axis=1)
np.logspace(0, s, 5, dtype=np.float32)
np.geomspace(1, 100, 5, dtype=int)
np.zeros_like(m, shape=(2,))
np.require(m)
np.trace(t)
np.trace(t, axis1=1, axis2=2)
np.array(m.flat)
list(m.flat)
sum(x * x for x in m.flat)
np.apply_along_axis(np.sum, 0, m)
np.apply_along_axis(lambda r: r / r.sum(), 1, m)
np.apply_along_axis(np.sort, -1, t)
np.vectorize(lambda x: x * x)(v)
np.vectorize(lambda x, y: x * y)(v, w)
np.vectorize(lambda x, y: x * y)(v, 2.0)
np.vectorize(lambda x: 1.0 if x > 0 else -1.0)(v)
np.fromiter((x * x for x in v), dtype=float)
np.rollaxis(t, 2)
np.rollaxis(t, 0, 3)
np.nan_to_num(n / (i - 1.0), nan=s, posinf=3.0, neginf=-2)
np.nanargmax(n)
np.nanargmin(n)
np.unique_counts(i)
np.cross(m, m, axis=0)
np.cross(m, m.T, axisa=0, axisb=1, axisc=0)
np.roll(m, 1)
np.roll(m, np.array([1, -3]))
np.roll(m, np.array([1, -1]), axis=(0, 1))
np.roll(m, np.array([1, 1]), axis=1)
np.repeat(v, i)
np.delete(v, i > 1)
np.resize(v, (2, 3))
np.trim_zeros(v)
np.unstack(m)
np.gcd(i, 2)
np.lcm(i, 6)
np.lexsort((i, v))
np.squeeze(m[:1])
t[:, :1].squeeze() @ np.ones(3)
np.squeeze(v[None, :, None]) * w
np.squeeze(m[i[:1], :1])
np.squeeze(f[:1])
np.mean((np.squeeze(np.sin(m[:, :1])) - v[:3]) ** 2)
np.squeeze(m).shape
np.searchsorted(v, w, sorter=np.argsort(v))
np.partition(v, 1)
np.partition(m, (0, -1), axis=0) + np.partition(m, 1, axis=None)[:3]
v[np.argpartition(v, 2)[:2]]
m.argpartition(1, axis=0)
np.partition(i, 2)
u = v.copy(); u.partition(2); u
np.partition(v, 9)
np.cumsum(v, dtype=np.float32)
np.average(m, axis=0, weights=m ** 2, returned=True)
np.multiply(i, 2, dtype=np.float64)
np.exp(i, dtype=np.float32)
np.take(v, i, mode='clip')
np.take(v, i + 3, mode='wrap')
m.nbytes
m.itemsize
np.broadcast_shapes((3, 1), (1, 4))
np.asarray_chkfinite(v)
np.array_equiv(v, w)
np.array_equal(v, v, equal_nan=True)
np.isclose(v, w, equal_nan=True)
np.isneginf(v)
np.isposinf(v)
np.tri(3, dtype=int)
np.size(m, 0)
np.size(m, axis=1)
np.require(v, dtype=np.float32)
np.astype(v, np.float32)
k = v.copy(); np.multiply(k, s, k); k
"""

INDICES = """
np.atleast_1d(s, v)[1]
np.hstack([v, w], dtype=np.float32)
np.linspace(0, s, num=5, retstep=True)[1]
np.r_[v, w]
np.r_[v, 0.0, s]
np.r_[0:5]
np.r_[0:1:5j]
np.r_[1:3, v]
np.c_[v, w]
np.c_[m, v[:3]]
np.c_[v]
np.mgrid[0:3, 0:4]
np.mgrid[0:1:3j, 0:1:4j]
np.mgrid[0:5]
np.ogrid[0:3, 0:4]
np.ix_([0, 1], [1, 2])
m[np.ix_([0, 1], [1, 2])]
m[np.ix_(i[:2], i[:2])]
np.indices((2, 3))
np.indices((2, 3), sparse=True)
np.diag_indices(3)
m[np.diag_indices(3)]
np.diag_indices_from(m)
np.triu_indices_from(m, k=1)
np.tril_indices_from(m)
m[np.s_[0:2, 1]]
v[np.s_[1:]]
v[np.index_exp[1:3]]
np.unravel_index(5, (3, 4))
np.ravel_multi_index((1, 2), (3, 4))
np.ravel_multi_index((i, i), (4, 4), mode='clip')
np.diag(v, k=1)
np.diag(v, -1)
np.diag(m, k=1)
np.diagonal(m, offset=1)
np.diagonal(t, 0, 1, 2)
np.diagonal(t, axis1=0, axis2=2)
m.diagonal(1)
t.diagonal(0, 1, 2)
m[range(3), i[:3] % 3]
m[range(len(m)), [0, 1, 2]]
m.flat[2]
m.flat[::4]
np.lib.stride_tricks.sliding_window_view(v, 3)
np.lib.stride_tricks.sliding_window_view(v, window_shape=2, axis=0)
np.lib.stride_tricks.sliding_window_view(m, (2, 2))
np.apply_over_axes(np.sum, t, [0, 2])
np.fromiter([x for x in v], float, count=len(v))
np.intersect1d(i, [1, 2])
np.union1d(i, [7])
np.setxor1d(i, [1, 9])
np.repeat(m, [1, 2, 0], axis=1)
np.insert(v, [1, 2], [s, s])
np.meshgrid(v, w, sparse=True)
np.array([s, 1], ndmin=2)
k = m.copy(); k.flat[::4] += s; k
k = m.copy(); k.flat[1] = s; k
k = v.copy(); np.put(k, [0, 2], [s, 3.0]); k
k = v.copy(); np.place(k, k > 0, [s, 3.0]); k
k = v.copy(); np.putmask(k, k > 0, w * s); k
k = m.copy(); np.put_along_axis(k, np.argmax(k, axis=1)[:, None], s, axis=1); k
k = np.zeros(4); k[range(2)] = s; k
"""

REDUCTIONS = """
np.lib.stride_tricks.sliding_window_view(v, 3).mean(axis=-1)
np.apply_along_axis(lambda r: r.mean(), axis=0, arr=m)
np.gradient(m, axis=(0, 1))
np.nanpercentile(n, 30)
np.nanquantile(n, 0.3)
np.nanquantile(n, [0.3, 0.5])
np.percentile(v, 50, method='lower')
np.quantile(m, [0.1, 0.5], axis=1, keepdims=True)
np.quantile(v, 0.3, method='nearest')
np.quantile(v, 0.3, method='midpoint')
np.cov(m, aweights=v[:3] ** 2)
np.cov(m, fweights=i[:3])
np.sum(v, where=v > 0)
np.sum(v, initial=s)
m.sum(axis=1, where=m > 0)
np.mean(m, where=m > 0)
np.mean(m, dtype=np.float32)
np.var(m, axis=1, where=m > -9.0)
np.var(m, correction=1)
np.var(m, axis=0, mean=np.mean(m, axis=0, keepdims=True))
np.max(m, axis=0, initial=0.0)
np.max(v, where=v > 0, initial=-1.0)
np.min(m, initial=s, axis=1)
np.prod(m, axis=0, where=m > 0)
np.prod(v, initial=s)
np.all(m > 0, where=m > 1)
np.median(m, axis=(0, 1))
np.median(m, keepdims=True)
v.min(initial=0.0)
k = v.copy(); np.copyto(k, w, where=w > 0); k
"""

UFUNCS = """
np.maximum.reduce(v)
np.add.reduce(v)
np.add.reduce(m)
np.add.reduce(m, axis=1)
np.add.reduce(m, axis=(0, 1))
np.add.reduce(m, axis=None)
np.add.reduce(m, axis=0, keepdims=True)
np.add.reduce(v, initial=s)
np.add.reduce(v, where=v > 0)
np.multiply.reduce(v)
np.maximum.reduce(m, axis=1)
np.maximum.reduce([v, w])
np.minimum.reduce([v, w, v])
np.logical_and.reduce(v > 0)
np.logical_and.reduce([v > 0, w > 0])
np.logical_or.reduce(m > 0, axis=0)
np.subtract.reduce(v)
np.bitwise_or.reduce(i)
np.logaddexp.reduce(v)
np.hypot.reduce(v)
np.add.accumulate(v)
np.add.accumulate(m, axis=1)
np.multiply.accumulate(v)
np.maximum.accumulate(v)
np.minimum.accumulate(m, axis=0)
np.subtract.accumulate(v)
np.logaddexp.accumulate(v)
np.add.outer(v, w)
np.subtract.outer(v, w)
np.multiply.outer(v, m)
np.multiply.outer(s, m)
np.maximum.outer(v, w)
np.power.outer(w, [1, 2])
np.equal.outer(i, i)
np.add.reduceat(v, [0, 2])
np.add.reduceat(m, [0, 2], axis=1)
np.add.reduceat(m, [0, 2])
np.log(v, where=v > 0, out=np.zeros_like(v))
np.divide(v, w, out=np.zeros_like(v), where=w != 0)
np.divide(v, w, out=np.zeros(len(v)), where=w > 0)
np.sqrt(v, out=np.ones_like(v), where=v >= 0)
np.add(v, w, dtype=np.float32)
np.add(v, w, dtype=float)
np.dot(m, m, out=np.zeros((3, 3)))
np.matmul(m, m, out=np.zeros((3, 3)))
k = v.copy(); np.add(k, w, out=k); k
k = m.copy(); np.exp(k, out=k); k
k = np.zeros(4); np.maximum.at(k, i, v); k
k = np.zeros(3); np.sum(m, axis=0, out=k); k
k = np.zeros((3, 3)); r = np.dot(m, m, out=k); k + r
"""

LINALG = """
np.einsum('...ij,...jk->...ik', t, t[0].T)
np.einsum('...i,...i', m, m)
np.einsum('i...->...', m)
np.einsum(m, [0, 1], m, [1, 2], [0, 2])
np.einsum(m, [0, 1], v[:3], [1])
np.einsum(t, [Ellipsis, 0], [Ellipsis])
np.einsum(',i->i', s, v)
np.einsum('ij,j->i', m, v[:3], dtype=float)
np.linalg.solve(stack, stack[..., :1])
np.linalg.solve(stack, stack)
np.linalg.solve(stack[0], stack)
np.linalg.inv(stack)
np.linalg.det(stack)
np.linalg.slogdet(stack)
np.linalg.cholesky(even)
np.linalg.eigh(even)[0]
np.linalg.eigvalsh(even)
np.linalg.svd(stack)[1]
np.linalg.svd(stack, compute_uv=False)
np.abs(np.linalg.qr(stack)[1])
np.linalg.pinv(stack)
np.linalg.pinv(even[0], hermitian=True)
np.linalg.matrix_power(stack, 3)
np.linalg.norm(v, ord=3)
np.linalg.norm(v, 0)
np.linalg.matrix_rank(stack)
np.linalg.matrix_rank(stack[0])
np.linalg.cond(stack[0])
np.linalg.cond(stack[0], 1)
np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 2, 3) * s, np.ones((2, 3)))
np.linalg.vector_norm(m, axis=(0, 1))
np.linalg.vector_norm(t, axis=(0, 2), ord=1, keepdims=True)
np.linalg.vector_norm(m, axis=1, ord=np.inf) * np.linalg.vector_norm(m, ord=2.5)
np.linalg.vector_norm(m, keepdims=True)
np.linalg.matrix_norm(stack, ord=-np.inf)
np.linalg.trace(stack)
np.linalg.diagonal(stack)
np.vecmat(v[:3], m)
"""

SERIES = """
np.gradient(v, w)
np.gradient(v, 2.0, edge_order=2)
np.gradient(m, 1.0, 2.0)
np.gradient(t, 0.5)[2]
np.polynomial.polynomial.polyval(s, v)
np.polynomial.chebyshev.chebval(s, v)
np.polynomial.legendre.legval(s, v)
np.polynomial.hermite.hermval(s, v)
np.polynomial.hermite_e.hermeval(s, v)
np.polynomial.laguerre.lagval(s, v)
np.polynomial.legendre.leggauss(5)[0]
np.polynomial.hermite.hermgauss(5)[0]
np.polymul(v, w)
np.ldexp(s, 3)
np.ldexp(v, i)
np.frexp(s)
np.frexp(v)
np.histogram_bin_edges(v, 4)
np.histogram2d(v, w, bins=3)
np.setdiff1d(i, [1])
np.ediff1d(v, to_begin=s, to_end=[1.0, 2.0])
np.diff(v, prepend=0.0)
np.diff(v, append=s)
np.diff(m, prepend=0, axis=1)
np.interp(v, [0.0, 1.0], [s, 2.0], period=2.0)
"""

EDGES = """
np.sum(i, initial=2.5)
np.max(i, initial=1.5)
np.sum(f, initial=np.float64(s))
np.var(m, axis=0, where=m > -1.0, ddof=1)
np.sum(m, axis=0, where=np.array([[True], [False], [True]]))
np.sum(v, where=i)
np.quantile(f, [0.2, 0.4])
np.max(m[:0], axis=0, initial=1.0)
np.max(m[:0], axis=1, initial=0)
np.add.reduceat(v, [3, 1, 2])
np.add.reduceat(m, [2, 0, 1], axis=-1)
np.add.reduceat(v > 0, [0, 2])
np.add.reduceat(v, [0, 4])
np.hypot.reduce(v[:0])
np.bitwise_and.reduce(i[:0])
np.logaddexp.reduce(m, axis=1)
np.subtract.reduce(m, axis=None)
np.gcd.reduce(i)
np.add.accumulate(s)
np.add(v, w, where=v[:, None] > 0, out=np.zeros((4, 4)))
np.add(v, s, where=m[:, :1] > 0, out=np.zeros((3, 4)))
np.add(v, w, where=i, out=np.zeros(4))
np.linalg.inv(stack[:0])
np.linalg.det(stack[:0].astype(np.float32))
np.linalg.solve(stack[:0], v[:3])
np.linalg.cond(m * 0.0, 1)
np.einsum('ii->i', m)
np.einsum('...ii->...i', stack)
np.einsum('iii->i', stack[:, :2, :2])
np.mgrid[3:0]
np.mgrid[0:s, 0:2]
np.ix_([], [1])
np.rot90(t, 3, (2, 0))
np.polymul([0.0, 1.0], [0.0, s])
np.gcd(i.astype(np.int32), 4)
np.ediff1d(i, to_end=1.5)
np.float64(s).reshape(1, 1)
k = v.copy(); np.square.at(k, [1, 1]); k
k = i.copy(); np.copyto(k, v); k
k = np.zeros(3); np.add.reduce(m, 0, None, k); k
k = np.zeros(3); np.nanmedian(m, axis=0, out=k); k
k = np.zeros(3); np.mean(m, 0, None, k); k
k = v.copy(); np.multiply(k[1:], k[:-1], out=k[1:]); k
k = m.copy(); np.dot(k, k, out=k); k
"""
"""Empty arrays, conditions and types that do not fit, results over what they are made of."""

SUBJECTS = (NUMBERS, SHAPES, INDICES, REDUCTIONS, UFUNCS, LINALG, SERIES, EDGES)
