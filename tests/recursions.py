"""Recursions whose work doubles with their depth if any work is done twice at a level.

There are written ones, each with one thing that a pass could do twice, and random ones. All are
functions of a number and of the depth.
"""

import importlib.util
import math
import random
from collections.abc import Callable
from pathlib import Path

Recursion = Callable[[float, int], float]


def tree(x, d):
    if d == 0:
        return x
    children = [x * tree(x * 0.9, d - 1) for _ in range(2)]
    return sum(t for t in children)


def read_twice(x, d):
    if d == 0:
        return x
    c = [x * read_twice(x * 0.9, d - 1) for _ in range(2)]
    return sum(c) * 0.25 + max(c) * 0.5


def by_index(x, d):
    if d == 0:
        return x
    c = [by_index(x * 0.9, d - 1) for _ in range(2)]
    return c[0] * c[1] * 0.5 + sum(t * t for t in c)


def by_slices(x, d):
    if d == 0:
        return x
    c = [x * by_slices(x * 0.9 + 0.01 * k, d - 1) for k in range(2)]
    return sum(a * b for a, b in zip(c[1:], c[:-1])) + c[-1]


def by_zip(x, d):
    if d == 0:
        return x
    a = [by_zip(x * 0.9, d - 1) for _ in range(2)]
    b = [math.sin(t) for t in a]
    return sum(u * v for u, v in zip(a, b))


def under_if(x, d):
    if d == 0:
        return x
    c = [under_if(x * 0.9, d - 1) for _ in range(2)]
    if c[0] > 0.1:
        return sum(t * x for t in c)
    return sum(c) * 0.5


def in_both_arms(x, d):
    if d == 0:
        return x
    if x < 0.5:
        c = [in_both_arms(x * 1.1, d - 1) * k for k in range(1, 3)]
        return sum(t for t in c) * 0.3
    c = [in_both_arms(x * 0.9, d - 1) for _ in range(2)]
    return max(t * x for t in c)


def in_an_element(x, d):
    if d == 0:
        return x
    c = [in_an_element(x * 0.9, d - 1) for _ in range(2)]
    return sum(c[i] if c[i] > 0.2 else c[i] * c[i] for i in range(2))


def nested_lists(x, d):
    if d == 0:
        return x
    c = [[nested_lists(x * 0.9, d - 1) * j for j in range(1, 3)] for _ in range(1)]
    return sum(sum(row) for row in c) * 0.5


def softmax(x, d):
    if d == 0:
        return x
    c = [softmax(x * 0.9, d - 1) for _ in range(2)]
    m = max(c)
    return m + math.log(sum(math.exp(t - m) for t in c))


def unpacked(x, d):
    if d == 0:
        return x
    a, b = [unpacked(x * 0.9, d - 1) for _ in range(2)]
    return a / (1.0 + b) + a


def in_a_loop(x, d):
    if d == 0:
        return x
    s = 0.0
    for _ in range(2):
        s += in_a_loop(x * 0.9, d - 1) * (s + x)
    return s


def in_a_while(x, d):
    if d == 0:
        return x
    k, s = 0, 0.0
    while k < 2:
        c = [in_a_while(x * 0.9, d - 1) * j for j in range(1, 2)]
        s, k = s + sum(t for t in c), k + 1
    return s


def chosen(x, d):
    if d == 0:
        return x
    c = [chosen(x * 0.9, d - 1) for _ in range(2)]
    return (sum(c) if x > 0.3 else max(c)) + (min(c) if x > 0.2 else 0.0)


def filtered(x, d):
    if d == 0:
        return x
    c = [filtered(x * 0.9, d - 1) for _ in range(2)]
    return x if any(t > 1e9 for t in c) else sum(t for t in c if t > 0.01)


def closure(x, d):
    if d == 0:
        return x

    def again(y):
        return closure(y, d - 1) * x

    c = [again(x * 0.9), again(x * 0.8)]
    return c[0] if c[0] > c[1] else c[1] + c[0]


def mutual(x, d):
    if d == 0:
        return x
    c = [_other(x * 0.9, d) for _ in range(2)]
    return sum(t for t in c)


def _other(x, d):
    return max(t for t in [mutual(x * k, d - 1) for k in range(1, 2)])


def sorted_children(x, d):
    if d == 0:
        return x
    c = sorted([sorted_children(x * (0.9 - 0.1 * k), d - 1) for k in range(2)])
    return c[1] * 1.5 + c[0]


def appended(x, d):
    if d == 0:
        return x
    c = []
    for k in range(2):
        c.append(appended(x * (0.9 - 0.1 * k), d - 1))
    c[0] += c[1]
    return c[0] * x + c[1]


RECURSIONS: list[Recursion] = [
    tree, read_twice, by_index, by_slices, by_zip, under_if, in_both_arms, in_an_element,
    nested_lists, softmax, unpacked, in_a_loop, in_a_while, chosen, filtered, closure, mutual,
    sorted_children, appended,
]  # fmt: skip


# --- random ones ----------------------------------------------------------------------------------

_CALLS = "f(x * {a} + {b} * k, d - 1)"
_ELEMENTS = ["x * {call}", "{call}", "math.sin({call})", "{call} * {call2}", "({call} if k else x)"]
_LISTS = [
    "[{element} for k in range({n})]",
    "[t for t in [{element} for k in range({n})] if t > {a} - 1.0] + [x]",
    "[u * v for u, v in zip([{element} for k in range({n})], [x, {b}, x])]",
    "[[{element} for k in range({n})], [x, {b}]][0]",
]
_USES = [
    "sum(t for t in c)", "sum(c)", "max(c)", "min(t * x for t in c)", "c[0] * c[-1]",
    "sum(t * t for t in c[1:])", "sum(u * v for u, v in zip(c, c[1:]))", "sum(reversed(c))",
    "(c[0] if c[0] > {a} else sum(c))", "sum(t if t > {b} else x for t in c)",
    "(max(c) - min(c))", "sum(i * t for i, t in enumerate(c))", "sorted(c)[0]",
]  # fmt: skip
_RESULTS = [
    "return {u}",
    "return {u} + {v}",
    "y = {u}\n    return y * {v} if y > {a} else {v}",
    "if x > {a}:\n        return {u}\n    return {v}",
    "s = 0.0\n    for t in c:\n        s = s * {a} + t\n    return s + {u}",
]


def random_text(seed: int) -> str:
    """Return a recursion ``f(x, d)`` as text: a list of its own results, read once or twice."""
    r = random.Random(seed)

    def filled(pattern: str, **given: str) -> str:
        given.setdefault("call2", "x")
        return pattern.format(
            a=round(r.uniform(0.3, 0.95), 2), b=round(r.uniform(0.01, 0.2), 2), n=2, **given
        )

    calls = {name: filled(_CALLS) for name in ("call", "call2")}
    pattern = r.choice(_ELEMENTS)
    if "call2" in pattern:
        pattern = pattern if r.random() < 0.3 else _ELEMENTS[0]
    element = filled(pattern, **calls)
    made = filled(r.choice(_LISTS), element=element)
    u, v = (filled(r.choice(_USES)) for _ in range(2))
    result = filled(r.choice(_RESULTS), u=u, v=v)
    return (
        "import math\n\n\ndef f(x, d):\n    if d == 0:\n        return x\n"
        f"    c = {made}\n    {result}\n"
    )


def random_recursion(seed: int, folder: Path) -> Recursion:
    """Return the recursion of this seed, imported from a file."""
    path = folder / f"recursion_{seed}.py"
    path.write_text(random_text(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Recursion = module.f
    return found
