"""Families of programs whose objects have several names, which grow by their fields or classes."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path


def _fields(n: int) -> str:
    """Two objects of a class with n fields that lead to each other."""
    sets = "".join(f"        self.f{k} = x * {k}.5\n" for k in range(n))
    adds = "".join(f"    a.link.f{k} += a.f{k}\n" for k in range(n))
    total = " + ".join(f"b.f{k}" for k in range(n))
    return f"""class Node:
    def __init__(self, x):
{sets}        self.link = None

def f(x):
    a, b = Node(x), Node(x + 1.0)
    a.link, b.link = b, a
{adds}    return {total}
"""


def _classes(n: int) -> str:
    """A ring of objects of n classes, each with a list of objects of the next class."""
    ring = [(k, (k + 1) % n) for k in range(n)]
    classes = "".join(
        f"class C{k}:\n    def __init__(self, x):\n        self.v{k} = x\n"
        f"        self.items{k} = []\n        self.to{k} = None\n\n"
        for k in range(n)
    )
    made = "".join(f"    c{k} = C{k}(x)\n" for k in range(n))
    linked = "".join(f"    c{k}.to{k} = c{j}\n    c{k}.items{k}.append(c{j})\n" for k, j in ring)
    updated = "".join(f"    c{k}.to{k}.v{j} *= 2.0\n" for k, j in ring)
    total = " + ".join(f"c{k}.items{k}[0].v{j}" for k, j in ring)
    return f"{classes}def f(x):\n{made}{linked}{updated}    return {total}\n"


def _lists(n: int) -> str:
    """Lists with names of their own that meet in one list, and are updated by both."""
    made = "".join(f"    a{k} = [x * {k}.5]\n" for k in range(n))
    rows = ", ".join(f"a{k}" for k in range(n))
    grown = "".join(f"    a{k}.append({k}.0)\n" for k in range(0, n, 2))
    total = " + ".join(f"{k + 1} * sum(a{k})" for k in range(n))
    return f"""def f(x):
{made}    rows = [{rows}]
    for row in rows:
        row.append(x)
{grown}    return {total}
"""


def _dicts(n: int) -> str:
    """A class that keeps a dict of arrays which the caller has, too, and others beside it."""
    names = ", ".join(f'"w{k}": np.array([1.0, {k}.5]) * x' for k in range(n))
    return f"""import numpy as np

class Steps:
    def __init__(self, held):
        self.held = held
        self.means = {{k: np.zeros_like(v) for k, v in held.items()}}
        self.sizes = {{k: np.zeros_like(v) for k, v in held.items()}}

    def step(self):
        for k, v in self.held.items():
            self.means[k] = 0.9 * self.means[k] + 0.1 * v
            self.sizes[k] = 0.9 * self.sizes[k] + 0.1 * v * v
            self.held[k] -= self.means[k] / (np.sqrt(self.sizes[k]) + 1.0)

def f(x):
    held = {{{names}}}
    steps = Steps(held)
    for _ in range(3):
        steps.step()
    return float(sum(v.sum() for v in held.values()))
"""


FAMILIES = {"fields": _fields, "classes": _classes, "lists": _lists, "dicts": _dicts}


def program(family: str, n: int, folder: Path) -> Callable[[float], float]:
    """Return the program of a family with n fields or classes."""
    path = folder / f"{family}_{n}.py"
    path.write_text(FAMILIES[family](n))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[[float], float] = module.f
    return made
