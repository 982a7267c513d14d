"""What refusals of other libraries' names advise, followed."""

from __future__ import annotations

import numpy as np

import pullback.compat.autograd as autograd
import pullback.compat.jax as jax
from pullback.compat.autograd.extend import defvjp, primitive
from pullback.errors import ArgumentTypeError
from tests.frontend.mended import X, mends


def refused_rule(x):
    defvjp(np.sin, lambda ans, x: lambda g: g * np.cos(x))
    return autograd.grad(np.sin)(x)


@mends(refused_rule, (2.0,), "f = primitive(f), and then the rule", ArgumentTypeError, TypeError,
       outside=True)  # fmt: skip
def mended_rule(x):
    sine = primitive(lambda x: np.sin(x))
    defvjp(sine, lambda ans, x: lambda g: g * np.cos(x))
    return autograd.grad(sine)(x)


def refused_complex_direction(z):
    return autograd.deriv(np.exp)(z).real


@mends(refused_complex_direction, (1.0 + 2.0j,), "holomorphic_grad(f)(z)", ArgumentTypeError,
       TypeError, outside=True)  # fmt: skip
def mended_complex_direction(z):
    return autograd.holomorphic_grad(np.exp)(z).real


def refused_axis_name(x):
    return jax.vmap(lambda v: v * v, axis_name="i")(x).sum()


@mends(refused_axis_name, (X,), "np.sum(jax.vmap(f)(xs), axis=0)", ArgumentTypeError, TypeError,
       outside=True)  # fmt: skip
def mended_axis_name(x):
    return np.sum(jax.vmap(lambda v: v * v)(x), axis=0)


def refused_ints(x):
    return jax.grad(lambda x: np.sum(x**2), allow_int=True)(x)


@mends(refused_ints, (X,), "leave allow_int=True away", ArgumentTypeError, TypeError, outside=True)
def mended_ints(x):
    return jax.grad(lambda x: np.sum(x**2))(x)
