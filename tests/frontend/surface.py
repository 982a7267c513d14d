"""Make arguments for library functions from the annotations of their texts.

    def trapezoid(y: Array, x: Growing | None = None, dx: float = 1.0, axis: Axis = -1) -> Array

gives calls as a user writes them: ``np.trapezoid(y)``, ``np.trapezoid(y, axis=0)``,
``np.trapezoid(y, x=x)``, ... with arrays of all kinds for y and x. The names of the annotations are
explained in ``pullback/frontend/library/text/domains.py``.
"""

import inspect
import itertools
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.frontend.library.text.names import ARRAYS

USUAL = ((5,), (4, 3))
EDGES = ((0,), (1,), (2,), (1, 1), (0, 2), (2, 0), (1, 3), (3, 1))


@dataclass(frozen=True)
class Call:
    """A function of the arrays and floats of a call; its other arguments are in its text."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]


def texts() -> dict[str, Callable[..., Any]]:
    """Return the functions in the table, by NumPy's names."""
    return {f.__name__: f for f in ARRAYS}


def array(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return an array of this kind. Its values are not close to each other: differences need
    that."""
    x = rng.permutation(np.prod(shape, dtype=int)) * 0.7 + rng.uniform(0.1, 0.5, np.prod(shape))
    x = (x - 0.3 * np.size(x)).reshape(shape)
    if kind == "Growing":
        return np.sort(x)
    if kind == "Weights":
        return np.abs(x) + 0.5
    if kind == "Gaps" and np.size(x):
        x.flat[np.size(x) // 2] = np.nan
    return x


def alternatives(annotation: str, default: object) -> list[str]:
    """Return the values of an argument besides its default, as a call writes them."""
    match annotation.removesuffix(" | None"):
        case "Axis":
            return [t for t in ("0", "1", "-1", "2") if t != str(default)]
        case "Size" | "int":
            return [t for t in ("0", "1", "2", "4", "-1") if t != str(default)]
        case "bool":
            return [str(not default)]
        case "Mode":
            return [repr(m) for m in ("full", "same", "valid", "other") if m != default]
        case _:
            return ["*"]  # an array or a float is a parameter


def all_calls(name: str) -> list[Call]:
    """Return the calls of a function: usual arguments first, then float32 and ints, then the edges
    of shapes."""
    forms: list[tuple[tuple[int, ...], type]] = [(shape, np.float64) for shape in USUAL]
    forms += [(shape, kind) for kind in (np.float32, np.int64) for shape in USUAL]
    forms += [(shape, np.float64) for shape in EDGES]
    return [call for shape, kind in forms for call in calls(name, shape, kind)]


def calls(name: str, shape: tuple[int, ...], kind: type = np.float64) -> Iterator[Call]:
    """Iterate over the calls of a function: with its defaults, and with each other argument by
    itself."""
    function = texts()[name]
    parameters = inspect.signature(ARRAYS[function]).parameters.values()
    needed = [p for p in parameters if p.default is p.empty]
    rng = np.random.default_rng(len(name))
    choices = [
        alternatives(p.annotation, None) if p.annotation == "Size" else ["*"]
        for p in needed
    ]
    for first in itertools.product(*choices):
        yield from one_call(name, list(zip(needed, first)), None, shape, kind, rng)
    for p in parameters:
        if p.default is not p.empty:
            for word in alternatives(p.annotation, p.default):
                given = [(q, "3" if q.annotation == "Size" else "*") for q in needed]
                yield from one_call(name, given, (p, word), shape, kind, rng)


def one_call(
    name: str,
    given: list[tuple[inspect.Parameter, str]],
    more: tuple[inspect.Parameter, str] | None,
    shape: tuple[int, ...],
    kind: type,
    rng: np.random.Generator,
) -> Iterator[Call]:
    """Iterate over the one call with these words for arguments ("*" is an array or a float), or
    none if there are no such arrays."""
    args: list[Any] = []
    words: list[str] = []
    names: list[str] = []
    for p, word in [*given, *([more] if more else [])]:
        if word == "*":
            label = p.annotation.removesuffix(" | None")
            several = label[6:-1].split(", ") if label.startswith("tuple[") else []
            own = [f"{p.name}{k}" for k in range(len(several))] or [p.name]
            word = f"({', '.join(own)})" if several else p.name
            names += own
            args += [argument(part, shape, kind, rng) for part in several or [label]]
            if args[-1] is None:
                return
        positional = p.kind is p.POSITIONAL_ONLY or p.default is p.empty
        words.append(word if positional else f"{p.name}={word}")
    text = f"np.{name}({', '.join(words)})"
    yield Call(text, written(f"def call({', '.join(names)}): return {text}\n"), tuple(args))


def scalar(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose result is a number that depends on all of the result that is not NaN,
    smoothly."""

    def weighed(*args: Any) -> Any:
        found = function(*args)
        total = 0.0
        for part in found if isinstance(found, tuple) else (found,):
            total += np.sum(np.sin(0.1 * np.ravel(part)) * (1.0 + 0.1 * np.arange(np.size(part))))
        return total

    return weighed


def argument(label: str, shape: tuple[int, ...], kind: type, rng: np.random.Generator) -> Any:
    """Return the argument of a parameter; None if there is none of this shape."""
    if label == "float":
        return 0.75
    if label == "Growing":
        shape = shape[-1:]
    if (label == "Vector" and len(shape) != 1) or (label == "Matrix" and len(shape) != 2):
        return None
    return array("Array" if kind is np.int64 else label, shape, rng).astype(kind)


def written(text: str) -> Callable[..., Any]:
    """Return the function ``call`` of a text, whose source can be read."""
    file = f"<surface {text}>"
    linecache.cache[file] = (len(text), None, [text], file)
    names: dict[str, Any] = {"np": np, "__name__": "surface"}
    exec(compile(text, file, "exec"), names)
    found: Callable[..., Any] = names["call"]
    return found
