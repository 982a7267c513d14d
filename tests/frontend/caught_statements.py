"""Statements under a ``try`` that raise after updates, each in a function that shows what there is
then. What ``i`` and ``j`` are says where it raises, and what."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

STATEMENTS = [
    "a.append(g(i))",
    "a.insert(i, g(j))",
    "a.pop()",
    "a.pop(i)",
    "del a[i]",
    "a[i] = g(j)",
    "a[i] += g(j)",
    "a[g(i) > 0] = h(a, i)",
    "a[i], a[j] = a[j], a[i]",
    "a[i], a[j] = 1.0, 2.0",
    "a.extend([g(i), g(j)])",
    "a += [g(i)]",
    "a.remove(1.0 * i)",
    "a[0] = a.pop()",
    "a.append(a.pop() + a.pop())",
    "a.append(a.pop(i))",
    "a[i:j] = [1.0]",
    "a.reverse(); a.pop(i)",
    "a.sort(); a[i] = 1.0",
    "a.clear(); a.pop()",
    "a[i] = a[j] = g(i)",
    "x = a.pop(); a[j] = x",
    "a.insert(0, a.pop(i))",
    "b = a.index(1.0 * i); a[b] = 7.0",
    "a.append(1.0); g(i); a.append(2.0); g(j)",
    "a = [1.0]; g(i); a = [2.0, 3.0]; g(j)",
    "c = g(i); c = g(j)",
    "a.append(push(a, i))",
    "push(a, i); push(a, j)",
    "a[i] = push(a, j)",
    "a = [g(k) for k in range(i, j)]",
    "a[push2(a, i)] = g(j)",
    "a += [push(a, i)]",
    "a.append(g(i) if j > 1 else push(a, j))",
    "a and push(a, i); push(a, j)",
    "n += 1; g(i); n += 1; g(j)",
    "n, m = n + 1, g(i)",
    "n = m = g(i)",
    "n += g(i); m += g(j)",
    "bump(i)",
    "n += bump(i)",
    "bump(i); bump(j)",
    "x = bump(i) + push(a, j)",
    "a.append(bump(i))",
    "a[bump2(i)] = g(j)",
    "n = (m := g(i)) + g(j)",
    "x = max(bump(i), bump(j))",
    "x = i > 1 and bump(i) > 0 and bump(j) > 0",
    "for k in range(i, j): a.append(g(k))",
    "for k in range(i, j): push(a, k)",
    "for k in range(i, j): n += g(k)",
    "for k in range(i, j):\n    n += 1\n    bump(k)",
    "while n < 3:\n    n += 1\n    a.append(g(int(n) + i - 2))",
    "if g(i) > 0: n += 1; push(a, j)",
    "many(a, i, j)",
    "m = many(a, i, j); n += m",
    "rec(a, i)",
    "rec(a, j); rec(a, i)",
    "w[i] = g(j)",
    "w[i] += g(j)",
    "w[i:j] = g(i)",
    "w *= g(i); w[j] = 1.0",
    "w = w * g(i); w = w + g(j)",
    "w[i], w[j] = g(j), g(i)",
    "fill(w, i, j)",
    "fill(w, i, j); a.append(w.sum())",
    "d[i] = g(j)",
    "d[int(g2(i))] = 1.0; d[int(g2(j))] = 2.0",
    "d.pop(i); d.pop(j)",
    "del d[i]",
    "d[i] += g(j)",
    "d[i] = d.pop(j)",
    "d.update({i: 1.0, j: g(j)})",
    "o.n += g(i); o.m += g(j)",
    "o.step(i); o.step(j)",
    "o.n = o.step(i)",
    "o.a.append(g(i)); o.a.append(g(j))",
    "o.a.append(o.step(i))",
    "o.add(i); o.add(j)",
    "o.a[i] = o.step(j)",
    "o.both(i, j)",
    "o.all(i, j)",
    "o.a = [g(i)]; o.n = g(j)",
    "o.inner(i)",
    "o.n += 1; raise ValueError(i)",
    "o.fail(i)",
    "o.fail(i); n += 1",
    "if i > 1: o.fail(j)",
    "o.checked(i); o.checked(j)",
    "q.append(g(i)); q.popleft(); q.popleft(); q.popleft()",
    "q.append(q.popleft() + q.pop())",
    "s.add(i); g(j)",
    "rows[i][j] = g(i)",
    "rows[i].append(g(j))",
    "rows[j] = [g(i)]",
    "rows.append([g(i)]); rows[i].append(g(j))",
    "addrow(rows, i, j)",
    "ps[i].n += g(j)",
    "ps[i].step(j)",
    "for p in ps: p.step(i)",
    "for p in ps: p.n += g(j)",
    "t = (g(i), push(a, j))",
    "n, (m, x) = g(i), (g(j), bump(i))",
    "lam = lambda v: push(a, v); lam(i); lam(j)",
    "try:\n    push(a, i)\nexcept KeyError:\n    n += 10; push(a, j)\nfinally:\n    m += 1; g(j)",
    "try:\n    push(a, i); o.step(j)\nexcept ZeroDivisionError:\n    o.step(i)\n    raise",
    "try:\n    o.step(i)\nfinally:\n    o.step(j)",
    "guarded(a, i); push(a, j)",
    "x = guarded(a, i) + guarded(a, j)",
    "with Ctx(o): o.step(i); o.step(j)",
    "a.append(next(it)); g(i); a.append(next(it)); g(j)",
    "x = [next(it) for k in range(i)]; g(j)",
    "n += 1; assert g(i) < 0.9; n += 1; assert g(j) > 0.6",
    "a.append(math.sqrt(i - 2)); a.append(math.log(j - 1))",
    "n += float(i) ** 2; n += 1 / (j - 2)",
    "w = np.linalg.solve(np.array([[1.0, i - 1.0], [1.0, 1.0]]), np.ones(2)); n += g(j)",
    "a.extend(w); a.extend(w[i:]); a.append(w[j + 1])",
    "s.update([i, int(g2(j))])",
    "d.update({k: g(k) for k in range(i, j)})",
    "a[0:1] = [g(k) for k in range(i, j)]",
    "d.setdefault(i, g(j)); d.setdefault(j, g(i))",
    "x = d.pop(i, 0.0) + g(j)",
    "a.insert(int(g2(i)), g(j))",
    "w[int(g2(i))] = g(j)",
    "w += g(i); w -= g(j); w[4] = 1.0",
    "w[w > g(i)] = g(j)",
    "w[[0, i]] = np.array([g(j), 1.0])",
    "o.a, o.n = [g(i)], g(j)",
    "a, n = [g(i)], bump(j)",
    "a2 = a; a2.append(g(i)); a.append(g(j))",
    "o2 = o; o2.step(i); o.step(j)",
    "p = ps[i]; p.step(j); p.n += 1",
    "ps.append(O(g(i))); ps[2].step(j)",
    "ps[0], ps[1] = ps[1], ps[0]; ps[i].step(j)",
    "a.append(g(i) if i > 1 else bump(j)); a.pop(i)",
    "if i > 2: raise ValueError(n)",
    "n += 1\nif i > 2: raise ValueError\nn += g(j)",
    "for k in range(3):\n    n += 1\n    if k == i: raise ValueError\n    a.append(n)",
    "for k in range(5):\n    if k == i: continue\n    n += g(k)\n    if k == j: break",
    "while True:\n    n += 1\n    a.append(g(int(n) % 5))\n    if n > i + 3: break",
    "for k, v in enumerate(a): a[k] = v * g(k + i)",
    "for k, v in zip(range(i, j), a): n += v; push(a2, k)",
    "a2 = []\nfor v in a:\n    a2.append(v)\n    g(i)\na.extend(a2); g(j)",
    "match i:\n    case 1: n += g(j)\n    case 2: push(a, j)\n    case _: n += 1; bump(j)",
    "deep(o, i, j)",
    "n = deep(o, i, j); m = n + g(j)",
    "o.a.append(deep(o, i, j))",
    "apply(bump, i); apply(bump, j)",
    "apply(lambda v: push(a, v), i); g(j)",
    "n = apply(o.step, i); m = apply(o.step, j)",
    "x = y if bump(i) > 1 else g(j)",
    "x = [push(a, i), bump(j)]",
    "x = {'k': push(a, i), 'l': o.step(j)}",
    "del d[i]; del d[j]",
    "del a[i]; del a[j]",
    "del a[i:]; a[j] = 1.0",
    "a.remove(2.0); a.remove(2.0)",
    "x = a[i] + d[j]; n += x; a[j] = x",
    "a[i] = d[j] = g(i)",
    "o.n = w[i] = g(j)",
    "w[i] = o.n = a[j]",
    "w[0], a[i], d[j] = 1.0, 2.0, g(j)",
    "a.extend([push(a, k) for k in range(i, j)])",
    "a.append(sum(push(a, k) for k in range(i, j)))",
    "x = [bump(k) for k in range(i, j)]",
    "x = sum(bump(k) for k in range(i, j))",
    "x = list(map(lambda v: push(a, v), [i, j]))",
    "x = sorted([i, j], key=lambda v: push(a, v))",
    "q.extend(g(k) for k in range(i, j))",
    "x = [n := k + g(k) for k in range(i, j)]",
    "a.extend(g(k) for k in range(i, j))",
    "a.extend(g(k) for k in (i, j))",
    "a += (g(k) for k in range(i, j))",
    "o.a.extend(g(k) for k in range(i, j))",
    "o.a += map(g, (i, j))",
    "rows[0].extend(push(a, k) for k in (i, j))",
    "s.update(int(g2(k)) for k in range(i, j))",
    "d.update((k, g(k)) for k in range(i, j))",
    "fill(a, i, j); g(j)",
    "s -= {int(g2(k)) for k in range(i, j)}",
    "put(d, i, j)",
]
"""Lines are divided by ``;`` where there is no other line."""

REFUSED = ["s.difference_update(int(g2(k)) for k in range(i, j))"]
"""What Python changes item by item, and raises in the middle."""

CONTEXT = '''
import math
import numpy as np
from collections import deque
class O:
    def __init__(self, n):
        self.n = n
        self.m = 0.0
        self.a = [n, 2.0]
    def step(self, i):
        self.n += 1.0
        if i == 2: raise KeyError(i)
        self.m += 0.5 / (i - 3)
        return self.n * self.m
    def add(self, i):
        self.a.append(self.n)
        self.n += g2(i)
        self.a.append(self.n)
    def both(self, i, j):
        x = self.step(i)
        self.add(j)
        self.m = x
    def all(self, i, j):
        for k in range(i, j):
            self.n += 1
            self.add(k)
    def inner(self, i):
        try:
            self.step(i)
        except KeyError:
            self.m += 5.0
            self.add(i + 1)
    def fail(self, i):
        self.n += 1.0
        raise ValueError(i)
    def checked(self, i):
        if i > 1:
            self.m += 1.0
            raise IndexError(i)
class Ctx:
    def __init__(self, o): self.o = o
    def __enter__(self):
        self.o.n += 1.0
        return self
    def __exit__(self, *e):
        self.o.m += 2.0
        return False
def g2(i):
    if i == 2: raise KeyError(i)
    if i > 3: raise ValueError(i)
    return 1.0 / (i - 3.0) + 2.0
def push(a, i):
    a.append(0.5 * i)
    v = g2(i)
    a.append(v)
    return v
def fill(a, i, j):
    a.extend(g2(k) for k in range(i, j))
    a += (g2(k) for k in range(j, i))
def push2(a, i):
    push(a, i)
    return i
def many(a, i, j):
    t = 0.0
    for k in range(i, j + 1):
        a.append(1.0 * k)
        t += g2(k)
        a[0] = t
    return t
def rec(a, i):
    a.append(1.0 * i)
    if i > 0:
        rec(a, i - 1)
        g2(i)
    a.append(2.0)
def fill(w, i, j):
    for k in range(i, j + 1):
        w[k] = g2(k)
def put(d, i, j):
    d[i] = g2(i)
    d[j] = g2(j)
    d[7] = 1.0
def addrow(rows, i, j):
    rows.append([1.0 * i])
    rows[i].append(g2(j))
def guarded(a, i):
    try:
        return push(a, i)
    except ZeroDivisionError:
        a.append(9.0)
        return push(a, i + 1)
def apply(f, v):
    return f(v)
def deep(o, i, j):
    o.m += 1.0
    x = deeper(o, i)
    o.m += 1.0
    return x + deeper(o, j)
def deeper(o, i):
    o.n += 1.0
    try:
        return o.step(i)
    except KeyError:
        o.n += 100.0
        return g2(i + 1)
    finally:
        o.m += 10.0
def iterator(x):
    k = 0.0
    while True:
        yield x + k
        k += 1.0
'''

FUNCTION = """
def statement_{number}(y, i, j):
    a, a2, n, m, x = [y, 2.0, 1.0], [y], y, 1.0, 0.0
    w, s, q = np.array([1.0, 2.0, y]), {{0, 1, 5}}, deque([y, 2.0])
    d, o = {{0: y, 1: 2.0, 3: 1.0}}, O(y)
    rows, ps = [[y], [1.0, 2.0]], [O(y), O(2.0)]
    it = iterator(y)

    def g(i):
        return g2(i) * y

    def h(a, i):
        return a[i]

    def bump(i):
        nonlocal n
        n += 1.0
        v = g2(i)
        n += v
        return v

    def bump2(i):
        bump(i)
        return i

    c = 0
    try:
{body}
        c = 1
    except KeyError:
        c = 2
    except IndexError:
        c = 3
    except ZeroDivisionError:
        c = 4
    except ValueError:
        c = 5
    except AssertionError:
        c = 6
    except np.linalg.LinAlgError:
        c = 7
    return {shown}
"""

SHOWN = {
    "a": "sum(a) + 100.0 * len(a)", "n": "n", "m": "m", "w": "w.sum()",
    "d": "sum(d.values()) + 10 * len(d)", "o": "o.n + 3 * o.m + 7 * sum(o.a) + 100 * len(o.a)",
    "q": "sum(q) + 10 * len(q)", "s": "float(len(s))",
    "rows": "sum(map(sum, rows)) + 10 * len(rows)",
    "ps": "ps[0].n + 2 * ps[1].n + 3 * ps[0].m + 5 * ps[1].m",
}
"""What is shown of the variables that a statement names."""


def _body(statement: str) -> str:
    whole = "\n" in statement or statement.startswith(("for ", "while ", "with ", "if "))
    lines = statement if whole else statement.replace("; ", "\n")
    return textwrap.indent(lines, " " * 8)


def functions(statements: list[str], path: Path) -> list[Callable[..., Any]]:
    """Return the functions of these statements, from a file that is written for them."""
    texts = []
    for number, statement in enumerate(statements):
        names = set(re.findall(r"\b[a-z][a-z0-9]*\b", statement))
        names |= {"n"} if names & {"bump", "bump2"} else set()
        shown = "".join(f", {text}" for name, text in SHOWN.items() if name in names)
        body = _body(statement)
        text = FUNCTION.format(number=number, body=body, shown=f"(c{shown},)")
        if "it)" not in statement:
            text = text.replace("    it = iterator(y)\n", "")
        texts.append(text)
    path.write_text(CONTEXT + "".join(texts))
    module = ModuleType(path.stem)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    return [vars(module)[f"statement_{number}"] for number in range(len(statements))]
