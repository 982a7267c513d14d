"""Run the two hundred programs: ``python -m tests.foreign [file ...] [--refused] [--save]``.

For each program: whether the compiled function gives Python's value, and whether the gradient by
the arguments that have one gives the central differences of the plain function along random
directions. ``--refused`` prints the refusals, ``--save`` writes the names of what is not right to
``refused.txt``, to which ``tests/test_foreign.py`` holds the compiler."""

from __future__ import annotations

import copy
import importlib
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pullback as pb
from tests import campaign

FILES = ("plain_loops", "numpy_code", "objects", "generator_code", "memo", "exceptions", "closures",
         "comprehensions", "recursion", "state_machines")  # fmt: skip


def numbers(value: Any) -> np.ndarray:
    """The real numbers in a value, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return np.concatenate([np.zeros(0), *map(numbers, value)])
    if isinstance(value, bool | str) or value is None:
        return np.zeros(0)
    if hasattr(value, "__dict__"):
        return numbers(list(vars(value).values()))
    return np.asarray(value, dtype=float).ravel()


def moved(value: Any, draw: Callable[[], float], step: float) -> Any:
    """The value with its floats moved by ``step`` times the numbers drawn."""
    match value:
        case float():
            return value + step * draw()
        case np.ndarray() if value.dtype.kind == "f":
            return value + step * np.array([draw() for _ in range(value.size)]).reshape(value.shape)
        case dict():
            return {k: moved(v, draw, step) for k, v in value.items()}
        case list():
            return [moved(v, draw, step) for v in value]
        case tuple():
            items = [moved(v, draw, step) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if hasattr(value, "__dict__") and not isinstance(value, type):
        new = copy.copy(value)
        for k, v in vars(value).items():
            object.__setattr__(new, k, moved(v, draw, step))
        return new
    return value


def directional(f: Callable[..., Any], args: tuple[Any, ...], seed: int) -> np.ndarray:
    """The derivative of the plain function along a random direction, by differences."""

    def at(step: float) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return numbers(f(*[moved(a, rng.standard_normal, step) for a in copy.deepcopy(args)]))

    h = 1e-6
    return (at(h) - at(-h)) / (2 * h)


def tangent_of(value: Any, draw: Callable[[], float]) -> np.ndarray:
    """The direction of ``moved`` as numbers, for the floats in order."""
    return numbers(moved(value, draw, 1.0)) - numbers(value)


def verdict(f: Callable[..., Any], args: tuple[Any, ...], alone: bool = True) -> tuple[str, str]:
    """ "right", "refused" or "wrong", and why. ``alone``: the value by code of its own, too, beside
    that of the gradient's code."""
    expected = f(*copy.deepcopy(args))
    try:
        got = pb.jit(f)(*copy.deepcopy(args)) if alone else expected
    except pb.PullbackError as error:
        return "refused", f"{type(error).__name__}: {error}"
    except Exception as error:
        return "wrong", f"jit: {error!r}"
    if not alike(got, expected):
        return "wrong", f"value {got!r}, Python {expected!r}"
    try:
        got, pullback = pb.vjp(f, *copy.deepcopy(args))
        if not alike(got, expected):
            return "wrong", f"value {got!r} with the gradient, Python {expected!r}"
        rng = np.random.default_rng(7)
        cotangent = moved(got, rng.standard_normal, 1.0)
        back = pullback(minus(cotangent, got))
    except pb.PullbackError as error:
        return "refused", f"gradient, {type(error).__name__}: {error}"
    except Exception as error:
        return "wrong", f"vjp: {error!r}"
    rng = np.random.default_rng(11)
    along = sum(
        float(numbers(g) @ direction(a, g, rng.standard_normal)) for a, g in zip(args, back)
    )
    weights = numbers(cotangent) - numbers(got)
    difference = float(weights @ directional(f, args, 11))
    if abs(along - difference) > 1e-4 * max(1.0, abs(difference)):
        return "wrong", f"gradient {along!r}, differences {difference!r}"
    return "right", ""


def is_right(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Assert that a program is right; its value by code of its own in a shard of the programs."""
    alone = campaign.chosen("values", getattr(f, "__qualname__", type(f).__name__), 4)
    assert verdict(f, args, alone) == ("right", "")


def alike(a: Any, b: Any) -> bool:
    """Whether the numbers in two values are the same, up to rounding."""
    mine, other = numbers(a), numbers(b)
    return mine.shape == other.shape and bool(
        np.allclose(mine, other, rtol=1e-10, atol=1e-12, equal_nan=True)
    )


def minus(a: Any, b: Any) -> Any:
    """The cotangent a - b, of the structure of b; None where nothing is differentiable."""
    match b:
        case float() | np.floating() | np.ndarray() if np.asarray(b).dtype.kind == "f":
            return a - b
        case dict():
            return {k: minus(a[k], b[k]) for k in b}
        case list():
            return [minus(x, y) for x, y in zip(a, b)]
        case tuple():
            items = [minus(x, y) for x, y in zip(a, b)]
            return type(b)(*items) if hasattr(b, "_fields") else tuple(items)
    if hasattr(b, "__dict__") and not isinstance(b, type | types.FunctionType):
        new = copy.copy(b)
        for k, v in vars(b).items():
            object.__setattr__(new, k, minus(getattr(a, k), v))
        return new
    return None


def direction(value: Any, gradient: Any, draw: Callable[[], float]) -> np.ndarray:
    """The direction for those numbers of an argument that its gradient has."""
    there = moved(value, draw, 1.0)

    def walk(new: Any, old: Any, g: Any) -> np.ndarray:
        if g is None:
            return np.zeros(0)
        if isinstance(old, dict):
            return np.concatenate([np.zeros(0), *[walk(new[k], old[k], g[k]) for k in old]])
        if isinstance(old, list | tuple):
            return np.concatenate([np.zeros(0), *map(walk, new, old, g)])
        if hasattr(old, "__dict__"):
            return walk(*(list(vars(v).values()) for v in (new, old, g)))
        return numbers(new) - numbers(old)

    return walk(there, value, gradient)


def cases(name: str) -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """The programs of a file: a title, the function and its arguments."""
    seen: Counter[str] = Counter()
    for f, args in importlib.import_module(f"tests.foreign.{name}").CASES:
        title = f"{name}.{getattr(f, '__qualname__', type(f).__name__)}"
        seen[title] += 1
        yield title + "'" * (seen[title] - 1), f, args


REFUSED = Path(__file__).with_name("refused.txt")


def main(argv: list[str]) -> None:
    """Print a line for each file, each program that is not right, and the count."""
    names = [a for a in argv if not a.startswith("--")] or list(FILES)
    total: Counter[str] = Counter()
    refused: list[str] = []
    for name in names:
        count: Counter[str] = Counter()
        for title, f, args in cases(name):
            word, why = verdict(f, args)
            count[word] += 1
            if word == "wrong" or (word == "refused" and "--refused" in argv):
                print(f"  {word}: {title}: {why.strip()}\n")
            if word == "refused":
                refused.append(title)
        print(f"{name:16}", dict(count))
        total += count
    print(f"{'all':16}", dict(total))
    if "--save" in argv:
        REFUSED.write_text("\n".join(refused) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
