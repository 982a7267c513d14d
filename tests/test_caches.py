"""The caches of compilations are bounded, and keep nothing longer than somebody can use it."""

import ast
import copy
import ctypes
import gc
import linecache
import os
import types
import weakref
from pathlib import Path
from typing import Any

import pytest

import pullback as pb
from pullback.call import driver
from pullback.frontend.python.memo import by_node
from pullback.native.runtime import ModuleOwner
from tests import campaign
from tests.test_rebinding import space

COMPILATIONS = 2000 if campaign.full("interrupts") else 0


def resident() -> int:
    """Resident memory of this process in kB, without free memory that the allocator keeps."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def compile_new(k: int) -> None:
    """The gradient of a new lambda, which nobody has when it is done."""
    f = space(f"f = lambda x: x * {k}.5 + sum(x * i for i in range({k % 50}))\n")
    n = k % 50
    assert pb.grad(f)(1.0) == k + 0.5 + n * (n - 1) / 2
    del linecache.cache[f.__code__.co_filename]


@pytest.fixture
def small_cache(monkeypatch):
    monkeypatch.setattr(pb.config, "cache_size", 8)
    for k in range(10):
        compile_new(k)


needs_statm = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")


@needs_statm
def test_memory_is_flat_once_the_cache_is_full(monkeypatch):
    """The campaign "interrupts": with the cache of every day."""
    if COMPILATIONS < 1000:
        monkeypatch.setattr(pb.config, "cache_size", 8)
    fill = pb.config.cache_size + 72  # what was compiled before goes, too
    for k in range(fill):
        compile_new(k)
    count, growth = max(COMPILATIONS - fill, 40), []
    for _ in range(6):  # a leak shows in each, a page that the allocator takes in one
        before = resident()
        for _ in range(count):
            fill += 1
            compile_new(fill)
        growth.append((resident() - before) / count)
        if growth[-1] < 10.0:
            break
    assert min(growth) < 10.0, growth


@needs_statm
def test_growth_below_the_limit():
    """A compilation leaves its code, its source tree and the program before derivatives."""
    for k in range(1000, 1010):
        compile_new(k)
    before = resident()
    for k in range(1010, 1040):
        compile_new(k)
    assert (resident() - before) / 30 < 110.0


def owners() -> int:
    gc.collect()
    return sum(isinstance(o, ModuleOwner) for o in gc.get_objects())


def test_machine_code_goes_with_its_last_user(small_cache):
    before = owners()
    for k in range(100, 115):
        compile_new(k)
    assert owners() <= before + 4
    f = space("def f(x):\n    return x * 77.0\n")
    held = pb.jit(f)
    assert held(1.0) == 77.0
    for k in range(200, 210):
        compile_new(k)
    assert not any(s.code is f.__code__ for found in driver._found.values() for s in found)
    assert held(2.0) == 154.0


def test_functions_and_their_modules_go(small_cache):

    f = space("def f(x):\n    g = lambda y: y * x * k\n    return g(x)\n", k=2.0)
    assert pb.grad(f)(3.0) == 12.0
    pb.vjp(f, 3.0)
    gone = weakref.ref(f), weakref.ref(f.__code__)
    del linecache.cache[f.__code__.co_filename]
    del f
    for k in range(300, 335):
        compile_new(k)
    for k in range(10):
        pb.vjp(space(f"def f(x):\n    return x * {k}.0\n"), 3.0)
    gc.collect()
    assert [r() for r in gone] == [None, None]


def test_what_is_found_outside_makes_no_more_than_so_many(small_cache):
    f = space("def f(x):\n    return g(x)\n", g=None)
    for _ in range(3 * driver.MOST_LIKE):
        f.__globals__["g"] = types.FunctionType((lambda x: x + 1.0).__code__.replace(), {})
        assert pb.jit(f)(1.0) == 2.0
    assert max(map(len, driver._found.values())) <= driver.MOST_LIKE


def test_notes_stay_with_their_node():
    @by_node
    def depth(node: ast.AST, more: int) -> list[int]:
        return [more]

    node: Any = ast.parse("x").body[0]
    first = depth(node, 1)
    assert depth(node, 1) is first
    assert depth(node, 2) == [2]
    for other in (copy.copy(node), copy.deepcopy(node)):
        assert depth(other, 1) is not first
        assert depth(other, 1) is depth(other, 1)
    assert depth(node, 1) is first
    there = weakref.ref(node)
    del node, other
    gc.collect()
    assert there() is None


def test_nested_functions_read_the_globals_of_theirs():
    """Two functions of one code in two modules share the syntax, not what is found by it."""
    f = space("def f(x):\n    g = lambda y: y * k\n    return g(x)\n", k=2.0)
    h = types.FunctionType(f.__code__, {"k": 3.0})
    assert [pb.jit(f)(1.0), pb.jit(h)(1.0), pb.grad(f)(1.0), pb.grad(h)(1.0)] == [2.0, 3.0] * 2
