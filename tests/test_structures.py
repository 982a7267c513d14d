"""Random data types with random values: identity, gradients, tangents, cotangents and vectors keep
classes, forms and sharing; and what should not be taken is refused with the place."""

import importlib.util
import random
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.waiting import join

HEAD = """
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
"""

LEAVES = ["float", "np.float32", "int", "bool", "np.ndarray", "float", "list[float]",
          "tuple[float, int]", "list[list[float]]", "tuple[float, ...]", "list[Point]", "Point",
          "list[tuple[float, bool]]", "list[np.float32]"]  # fmt: skip


class Types:
    """The text of a module with a random recursive type, and random values of it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.classes: dict[str, dict[str, str]] = {}
        self.text = HEAD + "class Point(NamedTuple):\n    x: float\n    y: np.float32\n\n"
        names = ["End", "Pair", "Rose"][: self.rng.randrange(2, 4)]
        union = " | ".join(names)
        for name in names:
            fields = {f"a{k}": self.rng.choice(LEAVES) for k in range(self.rng.randrange(1, 4))}
            if name == "Pair":
                fields |= {"left": f'"{union}"', "right": f'"{union} | None"'}
            if name == "Rose":
                fields |= {"kids": f'"list[{union}]"'}
            self.classes[name] = fields
            slots = ", slots=True" if self.rng.random() < 0.5 else ""
            base = f"Base{name}" if self.rng.random() < 0.3 and not slots else ""
            if base:
                first = next(iter(fields))
                self.text += f"@dataclass(frozen=True)\nclass {base}:\n"
                self.text += f"    {first}: {fields[first]}\n\n"
            self.text += f"@dataclass(frozen=True{slots})\nclass {name}({base}):\n"
            self.text += "".join(f"    {n}: {t}\n" for n, t in fields.items())
            self.text += "    def __post_init__(self):\n        CALLS.append(self)\n\n"
        self.text += "CALLS = []\n\ndef identity(t):\n    return t\n\n"
        self.text += "def total(t):\n"
        if any("None" in t for fields in self.classes.values() for t in fields.values()):
            self.text += "    if t is None:\n        return 0.0\n"
        for name, fields in self.classes.items():
            self.text += f"    if isinstance(t, {name}):\n        s = 0.0\n"
            for n, t in fields.items():
                self.text += f"        s = s + {_squares(f't.{n}', t.strip(chr(34)))}\n"
            self.text += "        return s\n"
        self.text += "    raise TypeError\n"

    def leaf(self, t: str, module: Any) -> Any:
        rng = self.rng
        some = range(rng.randrange(4))
        match t:
            case "float":
                return rng.uniform(-2, 2)
            case "np.float32":
                return np.float32(rng.uniform(-2, 2))
            case "int":
                return rng.randrange(-3, 4)
            case "bool":
                return rng.random() < 0.5
            case "np.ndarray":
                base = np.arange(12.0).reshape(3, 4) / 7 - rng.random()
                return rng.choice([base, base.T, base[::-1, ::2], np.asfortranarray(base),
                                   base[:0], base[1:2]])  # fmt: skip
            case "Point":
                return module.Point(rng.random(), np.float32(rng.random()))
            case "tuple[float, int]":
                return (rng.random(), rng.randrange(5))
            case "tuple[float, ...]":
                return tuple(rng.random() for _ in some)
            case "list[tuple[float, bool]]":
                return [(rng.random(), True) for _ in some]
            case _:
                return [self.leaf(t[5:-1], module) for _ in some]

    def value(self, module: Any, depth: int, pool: list[Any]) -> Any:
        if pool and self.rng.random() < 0.3:
            return self.rng.choice(pool)
        names = [n for n in self.classes if depth or n == "End"]
        name = self.rng.choice(names)
        fields = {}
        for n, t in self.classes[name].items():
            if n == "kids":
                fields[n] = [self.value(module, depth - 1, pool) for _ in range(3)]
            elif n in ("left", "right"):
                absent = n == "right" and self.rng.random() < 0.3
                fields[n] = None if absent else self.value(module, depth - 1, pool)
            else:
                fields[n] = self.leaf(t, module)
        made = getattr(module, name)(**fields)
        pool.append(made)
        return made


def _squares(x: str, t: str) -> str:
    match t:
        case "float":
            return f"{x} * {x}"
        case "np.float32":
            return f"float({x}) * float({x})"
        case "np.ndarray":
            return f"np.sum({x} * {x})"
        case "Point":
            return f"({x}.x * {x}.x + float({x}.y) * float({x}.y))"
        case "tuple[float, int]":
            return f"{x}[0] * {x}[0]"
        case "list[tuple[float, bool]]":
            return f"sum(p[0] * p[0] for p in {x})"
        case "int" | "bool":
            return f"0.0 * {x}"
        case "tuple[float, ...]":
            return f"sum(v * v for v in {x})"
        case _ if t.startswith("list["):
            inner = t[5:-1]
            if inner in ("float", "np.float32", "Point", "list[float]"):
                body = _squares("v" + x[-1], inner)
                return f"sum({body} for v{x[-1]} in {x})"
            return f"sum(total(v) for v in {x})"
        case _:
            return f"total({x})"


def load(types: Types, folder: Path, name: str) -> Any:
    path = folder / f"{name}.py"
    path.write_text(types.text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def same(a: Any, b: Any, seen: dict[int, int]) -> bool:
    """The same classes, numbers and sharing of nodes; b is a, or twice a with None for discrete."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b) and not np.shares_memory(a, b)
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y, seen) for x, y in zip(a, b))
    if hasattr(a, "__dataclass_fields__"):
        if seen.setdefault(id(a), id(b)) != id(b):
            return False
        names = a.__dataclass_fields__
        return all(same(getattr(a, n), getattr(b, n), seen) for n in names)
    return bool(a == b) or a is b


def doubled(x: Any, made: dict[int, Any]) -> Any:
    """The gradient of the sum of squares of x, shared as x is."""
    if isinstance(x, bool | int | str) or x is None:
        return None
    if isinstance(x, np.ndarray | np.generic):
        return (2 * x).astype(x.dtype)[()]
    if isinstance(x, float):
        return 2 * x
    if hasattr(x, "_fields"):
        return tuple.__new__(type(x), [doubled(v, made) for v in x])
    if isinstance(x, list | tuple):
        return type(x)(doubled(v, made) for v in x)
    if id(x) not in made:
        made[id(x)] = object.__new__(type(x))
        for n in x.__dataclass_fields__:
            object.__setattr__(made[id(x)], n, doubled(getattr(x, n), made))
    return made[id(x)]


def uses(x: Any, count: dict[int, int]) -> None:
    """Count how often every node is reached: a shared one is a variable that is used so often."""
    if isinstance(x, list | tuple):
        for v in x:
            uses(v, count)
    elif hasattr(x, "__dataclass_fields__"):
        count[id(x)] = count.get(id(x), 0) + 1
        for n in x.__dataclass_fields__:
            uses(getattr(x, n), count)


@pytest.mark.parametrize("seed", range(5))
def test_random_types(seed: int, tmp_path: Path) -> None:
    types = Types(seed)
    module = load(types, tmp_path, f"structures_{seed}")
    identity, gradient = pb.jit(module.identity), pb.grad(module.total)
    for depth in (0, 2, 3):
        tree = types.value(module, depth, [])
        count: dict[int, int] = {}
        uses(tree, count)
        module.CALLS.clear()
        assert same(tree, identity(tree), {})
        out, pullback = pb.vjp(module.identity, tree)
        twice = doubled(tree, {})
        (back,) = pullback(twice)
        assert same(tree, out, {}) and same(twice, back, {})
        assert same(twice, pb.jvp(module.identity, (tree,), (twice,))[1], {})
        found = gradient(tree)
        assert not module.CALLS  # no __post_init__ was run
        if max(count.values()) == 1:
            assert same(twice, found, {})
        vector, unravel = pb.ravel(tree)
        assert same(tree, unravel(vector), {})
        tangent = pb.jvp(module.total, (tree,), (twice,))[1]
        assert tangent == pytest.approx(pb.ravel(found)[0] @ (2 * vector), rel=1e-5)
        packed = pb.pack(tree)
        assert same(tree, pb.unpack(packed), {})
        assert same(found, pb.unpack(gradient(packed)), {})
        assert same(found, pb.unpack(pb.vjp(module.total, packed)[1](1.0)[0]), {})


def test_threads_share_compiled_code(tmp_path: Path) -> None:
    types = Types(1)
    module = load(types, tmp_path, "structures_threads")
    gradient, identity = pb.grad(module.total), pb.jit(module.identity)
    trees = [types.value(module, 3, []) for _ in range(4)]
    expected = [gradient(t) for t in trees]
    packed = pb.pack(trees[0])
    wrong: list[object] = []

    def work(k: int) -> None:
        for _ in range(50):
            if not same(expected[k], gradient(trees[k]), {}):
                wrong.append(k)
            if not same(trees[k], identity(trees[k]), {}):
                wrong.append(k)
            if not same(expected[0], pb.unpack(gradient(packed)), {}):
                wrong.append("packed")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        join(thread)
    assert wrong == []
