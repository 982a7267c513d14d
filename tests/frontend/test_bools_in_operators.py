"""Bools that meet numbers in operators, and ints to negative powers: as NumPy and Python compute
them, with their class, dtype and errors, or refused."""

from __future__ import annotations

import importlib.util
import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import InternalError, PullbackError
from tests.campaign import part

BOOLS = [True, np.bool_(True), np.bool_(False), np.array([True, False, True])]
NUMBERS = [1.5, 2, -3, np.float64(2.5), np.array([1, -2, 3])]
BINARY = ["+", "-", "/", "//", "**", "&", "<", "@"]
UNARY = ["-a", "+a", "~a", "not a", "abs(a)", "np.negative(a)", "np.sum(a)", "np.mean(a)",
         "np.prod(a)", "np.cumsum(a)", "a ** 2", "a ** 3", "float(a)", "int(a)", "round(a)",
         "np.square(a)", "True - a", "(a == a) ** 2"]  # fmt: skip


def functions(texts: list[str], path: Path) -> dict[str, Callable[..., Any]]:
    lines = [f"def f{k}(a, b=None): return {text}" for k, text in enumerate(texts)]
    path.write_text("\n".join(["import numpy as np", *lines, ""]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {text: getattr(module, f"f{k}") for k, text in enumerate(texts)}


def told(f: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    """The class, the dtype and the digits of a result, or the class of an error and its text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = f(*args)
    except InternalError:
        raise
    except PullbackError:
        return ("refused",)
    except Exception as error:
        return type(error), str(error)
    return type(result), getattr(result, "dtype", None), repr(result)


def wrong(f: Callable[..., Any], *args: Any) -> tuple[Any, ...] | None:
    """What differs from plain Python; None: nothing, or it is refused, perhaps only by the run."""
    found, want = told(pb.jit(f), *args), told(f, *args)
    refused = found in (("refused",), want) or found[0] is NotImplementedError
    return None if refused else (args, want, found)


@pytest.mark.parametrize("op", part("values", BINARY, 3))
def test_two_operands(op: str, tmp_path: Path) -> None:
    f = functions([f"a {op} b"], tmp_path / "binary.py")[f"a {op} b"]
    pairs = [p for a, b in itertools.product(BOOLS, NUMBERS) for p in ((a, b), (b, a))]
    found = [wrong(f, *pair) for pair in [*pairs, *itertools.product(BOOLS, BOOLS)]]
    assert [x for x in found if x is not None] == []


def test_one_operand(tmp_path: Path) -> None:
    found = [
        (text, wrong(f, a))
        for text, f in functions(UNARY, tmp_path / "unary.py").items() for a in [*BOOLS, *NUMBERS]
    ]  # fmt: skip
    assert [x for x in found if x[1] is not None] == []


def power(n: int, k: int) -> float:
    return n**k


def test_ints_to_negative_powers() -> None:
    compiled = pb.jit(power)
    for n in (0, False):
        assert told(compiled, n, -2) == told(power, n, -2)
        assert told(compiled, n, -2)[0] is ZeroDivisionError
    for n in (2, -2, True):
        with pytest.raises(NotImplementedError, match="int to a negative power"):
            compiled(n, -1)
        assert told(compiled, n, 3) == told(power, n, 3)


def test_numbers_of_arrays_with_axes() -> None:
    """``float`` of one number in a row is an error of newer NumPys; older ones give it."""
    for text in (lambda a: float(a), lambda a: int(a)):
        want = told(text, np.ones(1))
        found = told(pb.jit(text), np.ones(1))
        assert found == want if want[0] in (int, float) else found == ("refused",)
