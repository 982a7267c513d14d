"""Calls of SciPy, and of NumPy's linear algebra, as people write them, one in a line: each line is
the body of a function of the arrays and numbers that it names."""

import linecache
import re
from collections.abc import Callable
from typing import Any

import numpy as np

_A = np.array([[0.7, 1.3, -0.4], [0.9, 2.1, 0.35], [-0.8, 0.55, 1.7]])
_TURN = np.array([[0.7, 1.3, -0.4, 0.2], [-1.9, 0.8, 0.35, 0.1], [0.3, 0.55, 1.7, -0.6],
                  [0.25, -0.15, 0.45, -0.9]])  # fmt: skip

ARGUMENTS: dict[str, Any] = {
    "s": 1.7,
    "q": 0.35,
    "v": np.array([0.5, -1.2, 2.1, 0.3, 0.9, -0.45]),
    "w": np.array([1.5, 0.2, -0.7, 2.9, 0.75, 0.1]),
    "p": np.array([0.3, 1.2, 0.7, 2.5, 0.45, 1.9]),
    "m": _A,
    "even": _A @ _A.T + np.eye(3),
    "turn": _TURN,
    "g": np.sin(np.arange(30.0).reshape(5, 6) ** 1.3),
}
"""The arguments, by the names that stand for them in the lines."""


def lines() -> list[str]:
    """Return the lines of all subjects."""
    return [line for subject in SUBJECTS for line in subject.strip().splitlines()]


def named(line: str) -> list[str]:
    """Return the names of the arguments of a line."""
    return [n for n in ARGUMENTS if re.search(rf"(?<![.\w'\"]){n}(?!['\w=]|\()", line)] or ["s"]


def function_of(line: str) -> Callable[..., Any]:
    """Return the function whose body a line is: statements and an expression, with semicolons
    between them."""
    *statements, result = line.split("; ")
    body = "".join(f"    {s}\n" for s in [*statements, f"return {result}"])
    text = f"def line({', '.join(named(line))}):\n{body}"
    file = f"<line {line}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    found: dict[str, Any] = {}
    exec("import numpy as np, scipy\n" + "".join(map(_imported, MODULES)), found)
    exec(compile(text, file, "exec"), found)
    return found["line"]


MODULES = ("linalg",)


def _imported(name: str) -> str:
    return f"from scipy import {name}\n"


def arguments_of(line: str) -> tuple[Any, ...]:
    return tuple(np.copy(v) if np.ndim(v) else v for v in (ARGUMENTS[n] for n in named(line)))


EIGENVALUES = """
np.linalg.eigvals(turn)
np.linalg.eigvals(m + 1j * even)
np.linalg.eigvals(np.array([turn, turn.T + 0.1]))
w, v = np.linalg.eig(turn); w, v
np.linalg.eig(m + 1j * even).eigenvectors
np.abs(np.linalg.eigvals(m)).max()
np.real(np.linalg.eigvals(even))
np.real(np.linalg.eigvals(np.eye(3) * s))
np.roots(w[:4])
np.roots([1.0, 2j, s, 0.0])
np.real(np.roots(v[:1]))
np.poly(m)
np.poly(m + 1j * even)
linalg.eigvals(turn)
linalg.eig(m + 1j * even)
linalg.eig(turn, right=False)
linalg.expm(0.3j * m)
linalg.expm(m + 1j * even)
linalg.eigvals(turn[:3])
np.linalg.eigvals(turn[:3])
np.linalg.eigvals(m / 0.0)
"""

SUBJECTS = (EIGENVALUES,)
