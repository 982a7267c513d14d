"""Automatic differentiation of ordinary functional Python, with a bounded cost."""

from pullback.absent import absence
from pullback.api import (
    check_grads,
    config,
    cost,
    grad,
    jit,
    jvp,
    pack,
    ravel,
    show,
    unpack,
    value_and_grad,
    vjp,
)
from pullback.combinators import (
    build,
    debug_print,
    fold,
    loop,
    map,
    scan,
    stop_gradient,
    while_loop,
)
from pullback.errors import PullbackError, UnsupportedError

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022  # in the order of the documentation
    "jit",
    "grad",
    "value_and_grad",
    "vjp",
    "jvp",
    "pack",
    "unpack",
    "ravel",
    "check_grads",
    "show",
    "cost",
    "config",
    "build",
    "map",
    "fold",
    "scan",
    "loop",
    "while_loop",
    "stop_gradient",
    "debug_print",
    "PullbackError",
    "UnsupportedError",
]


def __getattr__(name: str) -> object:
    """An error that says what to write today instead of what is not there yet."""
    reason, rewrite = absence(name)
    raise AttributeError(f"{reason}\n  Instead: {rewrite}" if rewrite else reason)


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__name__", "__version__"])
