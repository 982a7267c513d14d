"""A program whose operators joblib, loky and pools of processes take; it prints what agrees."""

from __future__ import annotations

import functools
import multiprocessing
import sys

import joblib
import numpy as np

import pullback as pb

K = 3.0


def helper(x):
    return np.sin(x * K)


def loss(x):
    return helper(x) * x


@pb.jit
def decorated(x):
    return helper(x) * 2.0


@pb.jit
def power(x, n=3):
    return 1.0 if n == 0 else x * power(x, n - 1)


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, x):
        return helper(x) * self.k

    def __call__(self, x):
        return x * x * self.k


def made(c):
    return lambda x: c * loss(x)


def task(x):
    return pb.grad(loss)(x)


ruled = pb.custom_vjp(lambda x: x * x)
ruled.defvjp(lambda x: (x * x, x), lambda x, ct: (7.0 * ct,))

CASES = {
    "function": pb.grad(loss),
    "lambda": pb.grad(lambda x: loss(x) * K),
    "decorated": decorated,
    "gradient of it": pb.grad(decorated),
    "recursive": power,
    "closure": pb.grad(made(2.0)),
    "method": pb.grad(Model(2.0).loss),
    "object": pb.grad(Model(2.0)),
    "partial of an operator": functools.partial(pb.grad(lambda a, x: a * loss(x), 1), 2.0),
    "operator of a partial": pb.grad(functools.partial(Model.loss, Model(3.0))),
    "with a rule": pb.grad(ruled),
    "operators inside": pb.grad(lambda x: decorated(x) * ruled(x)),
    "own function": task,
    "hessian": pb.hessian(loss),
}
XS = [0.5, 1.0, 2.0]


def show(way: str, name: str, found: object, f: object) -> None:
    wanted = [f(x) for x in XS]
    assert np.allclose(found, wanted, rtol=1e-14), (way, name, found, wanted)
    print(way, "|", name)


if __name__ == "__main__":
    if "loky" in sys.argv:
        run = joblib.Parallel(n_jobs=2, backend="loky")
        for name, f in CASES.items():
            show("loky", name, run(joblib.delayed(f)(x) for x in XS), f)
    for method in set(sys.argv) & {"fork", "spawn"}:
        with multiprocessing.get_context(method).Pool(2) as pool:
            for name, f in CASES.items():
                show(method, name, pool.map_async(f, XS).get(120), f)
