"""Compiled entries in the next process: the front end does not run, unless anything has changed
that the program depends on."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import binding, driver, kept_programs, specialised

OTHER = "def far(x):\n    return x * 0.5\n"
TEXT = '''
from dataclasses import dataclass
import numpy as np
import kept_other
from kept_other import far
SCALE = 2.0
A = np.ones(3)
FLAG = True
WAY = "up"
def same(f):
    return f
class Base:
    @property
    def twice(self):
        return 2.0 * self.w
@dataclass(frozen=True)
class P(Base):
    w: float
    v: float = 1.5
@same
def near(x, k=2.0, *, sign="+"):
    return x * k if sign == "+" else x - k
def f(x):
    p = P(np.tanh(x))
    y = near(x) * SCALE + p.twice * p.v + (A * abs(x)).sum()
    if FLAG:
        y = y + far(x) + kept_other.far(x)
    return y * x if WAY == "up" else y - x
'''


class Process:
    """What a new process would find: no compiled function in memory, the modules made anew."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch = folder, monkeypatch
        self.compiled = 0
        self.times = itertools.count(1_000_000_000)
        front = driver._front

        def counted(*args: Any) -> Any:
            self.compiled += 1
            return front(*args)

        monkeypatch.setattr(driver, "_front", counted)

    def forget(self) -> None:
        """Forget what this process has compiled."""
        for module, name in ((driver, "_found"), (kept_programs, "_loaded")):
            self.monkeypatch.setattr(module, name, OrderedDict())

    def module(self, name: str, text: str) -> ModuleType:
        """Return a module of this text, in a file of this name."""
        path = self.folder / f"{name}.py"
        path.write_text(text)
        now = next(self.times)
        os.utime(path, (now, now))
        made = ModuleType(name)
        made.__file__ = str(path)
        self.monkeypatch.setitem(sys.modules, name, made)
        exec(compile(text, str(path), "exec", dont_inherit=True), vars(made))
        return made

    def start(self, text: str = TEXT, other: str = OTHER) -> ModuleType:
        """Begin again with modules of these texts."""
        self.forget()
        self.module("kept_other", other)
        return self.module("kept_user", text)

    def gradient(self, f: Callable[..., Any], *args: Any) -> tuple[Any, bool]:
        """Return the gradient of a function, and whether the front end has run for it."""
        before = self.compiled
        found = pb.grad(f)(*args)
        ran = self.compiled > before
        with self.monkeypatch.context() as patch:
            patch.setenv("PULLBACK_CACHE_PROGRAMS", "0")
            self.forget()
            expected = pb.grad(f)(*args)
        np.testing.assert_equal(found, expected)
        return found, ran


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Process]:
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PULLBACK_CACHE_PROGRAMS", raising=False)
    empty: set[object] = set()
    for module in (specialised, binding, driver):
        monkeypatch.setattr(module, "broadcasting", empty)
    yield Process(tmp_path, monkeypatch)


def _set(name: str, value: object) -> Callable[[ModuleType], None]:
    return lambda m: setattr(m, name, value)


def _defaults(m: ModuleType) -> None:
    m.near.__kwdefaults__ = {"sign": "-"}


def _property(m: ModuleType) -> None:
    m.Base.twice = property(lambda self: 3.0 * self.w)


def _function(m: ModuleType) -> None:
    vars(sys.modules["kept_other"])["far"] = m.near


PATCHES: dict[str, tuple[Callable[[ModuleType], None], bool]] = {
    "a number": (_set("SCALE", 5.0), False),
    "values of an array": (_set("A", np.full(7, 3.0)), False),
    "a default": (lambda m: setattr(m.near, "__defaults__", (4.5,)), False),
    "a number's type": (_set("SCALE", 5), True),
    "an array's dtype": (_set("A", np.ones(3, np.float32)), True),
    "an array's rank": (_set("A", np.ones((2, 2))), True),
    "a flag": (_set("FLAG", False), True),
    "a constant": (_set("WAY", "down"), True),
    "a default that is a constant": (_defaults, True),
    "a property of a class above": (_property, True),
    "an attribute of a module": (_function, True),
    "a name that was built in": (_set("abs", np.sqrt), True),
}

EDITS = {
    "a called function": ("x * k if", "x * k * k if"),
    "a class": ("v: float = 1.5", "v: float = 2.5"),
    "a method": ("2.0 * self.w", "4.0 * self.w"),
    "a decorator": ("    return f\nclass", "    return lambda x: f(x) * 2.0\nclass"),
    "a default": ('sign="+"', 'sign="-"'),
    "the function": ("return y * x if", "return y / x if"),
    "a comment": ("A = np.ones(3)", "A = np.ones(3)  # three"),
}


def test_what_has_not_changed_does_not_compile(process: Process) -> None:
    assert process.gradient(process.start().f, 0.5)[1]
    assert not process.gradient(process.start().f, 0.5)[1]
    assert not process.gradient(process.start().f, 1.5)[1]
    assert process.gradient(process.start().f, np.float64(0.5))[1]
    process.start()
    before = process.compiled
    for call in (pb.value_and_grad, pb.jit):
        assert call(process.start().f)(0.5) is not None
        call(process.start().f)(0.5)
    assert process.compiled == before + 2


def test_what_has_changed_compiles_again(process: Process) -> None:
    process.gradient(process.start().f, 0.5)
    for name, (patch, compiles) in PATCHES.items():
        m = process.start()
        patch(m)
        assert process.gradient(m.f, 0.5)[1] == compiles, name
    for name, (old, new) in EDITS.items():
        assert TEXT.count(old) == 1, name
        assert process.gradient(process.start(TEXT.replace(old, new)).f, 0.5)[1], name
    assert process.gradient(process.start(other=OTHER.replace("0.5", "0.7")).f, 0.5)[1]


def test_several_entries_under_one_key(process: Process) -> None:
    for flag in (True, False):
        m = process.start()
        vars(m)["FLAG"] = flag
        process.gradient(m.f, 0.5)
    for flag in (True, False, True):
        m = process.start()
        vars(m)["FLAG"] = flag
        assert not process.gradient(m.f, 0.5)[1]


def test_other_versions_and_files(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    process.gradient(process.start().f, 0.5)
    with monkeypatch.context() as patch:
        patch.setattr(kept_programs, "_own_files", lambda: "of another version")
        assert process.gradient(process.start().f, 0.5)[1]
    with monkeypatch.context() as patch:
        patch.setattr(np, "tanh", np.sin)
        assert process.gradient(process.start().f, 0.5)[1]
    cache = process.folder / "cache"
    for path in cache.iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    assert process.gradient(process.start().f, 0.5)[1]
    assert not process.gradient(process.start().f, 0.5)[1]


TREES = '''
from __future__ import annotations
import enum
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
@dataclass(frozen=True)
class Leaf:
    value: float
@dataclass(frozen=True)
class Node:
    left: Leaf | Node
    right: Leaf | Node
def total(t):
    if isinstance(t, Leaf):
        return t.value * t.value
    return total(t.left) * total(t.right)
def made(w):
    return lambda x: np.sum(np.dot(w, x) ** 2)
def rows(xs):
    return sum(a * b for a in xs[0] for b in xs[1])
def unequal(a, b):
    return np.sum((a + b) ** 2)
class Way(enum.Enum):
    UP = 1.0
    DOWN = 2.0
class Pair(NamedTuple):
    a: float
    b: float = 2.0
def paired(p, way):
    return Pair(p.a * p.b if way is Way.UP else p.b, 1.0).a
def errs(x):
    if x[0] > 1.0:
        raise ValueError(f"too large: {x[0]}")
    return x[0] * 2.0
'''


def test_data_of_all_sorts(process: Process) -> None:
    def calls(m: Any) -> list[tuple[Any, Any]]:
        tree = m.Node(m.Leaf(2.0), m.Node(m.Leaf(3.0), m.Leaf(4.0)))
        return [(m.paired, (m.Pair(3.0), m.Way.UP)), (m.total, (tree,)),
                (m.made(np.eye(2)), (np.ones(2),)),
                (m.rows, ([[1.0, 2.0], [3.0]],)),
                (m.unequal, (np.ones((2, 1)), np.ones((1, 2))))]  # fmt: skip

    for f, args in calls(process.start(TREES)):
        assert process.gradient(f, *args)[1]
    m = process.start(TREES)
    ran = [process.gradient(f, *args)[1] for f, args in calls(m)]
    assert ran == [False] * len(ran)
    for _ in range(2):
        m = process.start(TREES)
        with pytest.raises(ValueError, match=r"too large: 2\.0") as e:
            pb.grad(m.errs)([2.0])
        assert e.traceback[-1].name == "errs"
        before = process.compiled
    assert process.compiled == before


SCRIPT = """
import kept_user, pullback as pb
from pullback.call import driver
front = driver._front
def counted(*args):
    print("compiled")
    return front(*args)
driver._front = counted
print(pb.grad(kept_user.f)(0.5).hex())
"""


def test_in_another_process(process: Process) -> None:
    found, ran = process.gradient(process.start().f, 0.5)
    assert ran
    paths = os.pathsep.join([str(process.folder), *sys.path])
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}, timeout=300,
    ).stdout.split()  # fmt: skip
    assert said == [found.hex()]


def test_a_program_that_prints_is_kept(
    process: Process, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "def g():\n    pass\ndef f(x):\n    print(x[0])\n    return x[0] * x[0]\n"
    for again in (False, True):
        before = process.compiled
        assert pb.grad(process.start(text).f)([3.0]) == [6.0]
        assert (process.compiled == before) is again
    assert capsys.readouterr().out == "3.0\n3.0\n"


def test_a_copy_of_a_function_reads_its_own_globals(process: Process) -> None:
    """As cloudpickle makes them: the module is there, and the copies have other globals."""
    module = process.start("import math\nK = 3.0\ndef g(x):\n    return math.sin(x * K)\n"
                           "def f(x, h=g):\n    return h(x) * K\n")  # fmt: skip
    assert process.gradient(module.f, 2.0)[1]
    names = {**vars(module), "K": 7.0}
    inner = FunctionType(module.g.__code__, names)
    copied = FunctionType(module.f.__code__, names, argdefs=(inner,))
    for f in (copied, FunctionType(module.f.__code__, names, argdefs=(module.g,)), module.f):
        process.forget()
        k, inside = f.__globals__["K"], f.__defaults__[0].__globals__["K"]
        found, _ = process.gradient(f, 2.0)
        assert found == pytest.approx(k * inside * np.cos(2.0 * inside))
