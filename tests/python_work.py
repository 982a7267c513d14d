"""Count the work that CPython does for a call: the bytecodes that it executes, and the elements
that functions written in C go through.

``np.exp(a)``, ``sum(xs)`` or ``xs[1:]`` are one bytecode each, whatever their length. So the
programs of the corpus are loaded a second time, with every expression of that kind inside a call
that adds the number of its elements (``instrumented``). Derivative operators run compiled code in
Python too, so the work of a program that calls one is not known.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from pullback.core.recursion import recursion_limit
from tests import programs

# --- counting -------------------------------------------------------------------------------------


@dataclass
class Work:
    """The work of a call. An element counts as ``ELEMENT`` bytecodes: C goes through it in one
    step, but the evaluator counts every step of the loop."""

    bytecodes: int = 0
    elements: int = 0

    @property
    def total(self) -> int:
        """The sum of bytecodes and elements."""
        return self.bytecodes + ELEMENT * self.elements


ELEMENT = 6

_now = Work()


def work(f: Callable[..., Any], args: Sequence[Any], most: int = 10**9) -> Work | None:
    """Return the work of ``f(*args)`` in plain Python; None if it is more than ``most`` bytecodes,
    or if the function asks for a derivative."""
    global _now
    found = _now = Work()

    def inside(frame: FrameType, event: str, _: object) -> Any:
        found.bytecodes += event == "opcode"
        if found.bytecodes > most:
            raise StoppedError
        return inside

    def entered(frame: FrameType, event: str, _: object) -> Any:
        file = frame.f_code.co_filename.replace("\\", "/")
        if "/pullback/" in file and not file.endswith("/combinators.py"):
            raise StoppedError
        if "/numpy/" in file or "/scipy/" in file or file == __file__:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return inside

    before = sys.gettrace()
    with recursion_limit(20_000):
        sys.settrace(entered)
        try:
            f(*args)
        except StoppedError:
            return None
        finally:
            sys.settrace(before)
    return found


def forget_results(f: Callable[..., Any]) -> None:
    """Empty the caches of the functions beside f: compiled code starts each call with empty ones,
    where Python finds the results of the call before."""
    for value in getattr(f, "__globals__", {}).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


class StoppedError(BaseException):
    """The work cannot be used, so the run stops."""


# --- elements -------------------------------------------------------------------------------------

_CONSTANT = frozenset({
    "append", "pop", "get", "keys", "values", "items", "setdefault", "add", "appendleft", "popleft",
    "item", "len", "isinstance", "range", "zip", "enumerate", "reversed", "iter", "next", "id",
    "type", "hasattr", "getattr", "reshape", "transpose", "swapaxes", "ravel", "shape", "ndim",
    "partial", "map", "filter", "heappush", "heappop", "callable", "repr", "islice", "chain",
})  # fmt: skip
"""Methods that take the same time however many elements there are."""


def _size(x: object) -> int:
    if isinstance(x, np.ndarray):
        return int(x.size)
    return len(x) if isinstance(x, list | tuple | dict | set | frozenset | str) else 0


def counted_value(x: Any) -> Any:
    """Return the value, after its elements were counted, unless it is a view."""
    if not (isinstance(x, np.ndarray) and x.base is not None):
        _now.elements += _size(x)
    return x


def counted_array(x: Any) -> Any:
    """Return the value, after its elements were counted if it is an array and no view."""
    return counted_value(x) if isinstance(x, np.ndarray) else x


def counted_all(x: Any) -> None:
    """Count the elements of a target that has just been assigned."""
    _now.elements += _size(x)


def counted_in(x: Any, among: Any) -> bool:
    """Return ``x in among``, and count."""
    _now.elements += 0 if isinstance(among, dict | set | frozenset) else _size(among)
    return x in among


def counted_product(a: Any, b: Any) -> Any:
    """Return ``a @ b``, and count."""
    found = a @ b
    _now.elements += int(np.size(found)) * int(np.shape(a)[-1])
    return found


def counted_call(f: Any, *args: Any, **named: Any) -> Any:
    """Return ``f(*args, **named)``; if f is written in C, the elements of arguments and result
    count."""
    module = getattr(f, "__module__", None) or ""
    if isinstance(f, FunctionType | MethodType) and not module.startswith("numpy"):
        return f(*args, **named)
    found = f(*args, **named)
    if getattr(f, "__name__", "") in _CONSTANT or (isinstance(f, type) and f not in _MAKERS):
        return found
    given = [*args, *named.values(), getattr(f, "__self__", None), found]
    sizes = [_size(x) for x in given]
    name, most = getattr(f, "__name__", ""), max(sizes)
    _now.elements += sum(sizes)
    if module.startswith("numpy.linalg") or name in _OF_MATRICES:
        _now.elements += int(most**1.5)
    elif name in _OF_PAIRS:
        _now.elements += most * most
    elif "sort" in name or name in _BY_ORDER:
        _now.elements += most * most.bit_length()
    return found


_MAKERS = (list, tuple, dict, set, frozenset, str)
_OF_MATRICES = frozenset({"dot", "matmul", "einsum", "outer", "tensordot"})
_OF_PAIRS = frozenset({"convolve", "correlate", "poly", "polyfit", "polymul", "polyval"})
_BY_ORDER = frozenset({"unique", "median", "quantile", "percentile", "partition", "searchsorted"})

_NAMES = {
    f.__name__: f
    for f in (
        counted_value, counted_array, counted_all, counted_in, counted_product, counted_call
    )
}  # fmt: skip


# --- the second copy of the corpus ----------------------------------------------------------------


def _call(f: Callable[..., Any], *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(f.__name__, ast.Load()), list(args), [])


class _Counted(ast.NodeTransformer):
    """Puts expressions that go through elements in C inside calls that count them."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [x for s in node.body for x in _as_list(self.visit(s))]
        return node  # decorators, defaults and annotations stay

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = self.visit(node.value) if node.value is not None else None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [
            x for s in node.body
            for x in (_as_list(self.visit(s)) if isinstance(s, ast.FunctionDef) else [s])
        ]  # fmt: skip
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return node
        name = ast.Name(counted_call.__name__, ast.Load())
        return ast.Call(name, [node.func, *node.args], node.keywords)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return _call(counted_product, node.left, node.right)
        return _call(counted_value, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call(counted_value, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            found = _call(counted_in, node.left, node.comparators[0])
            is_in = isinstance(node.ops[0], ast.In)
            return found if is_in else ast.UnaryOp(ast.Not(), found)
        return _call(counted_array, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        sliced = any(isinstance(x, ast.Slice) for x in ast.walk(node.slice))
        return _call(counted_value if sliced else counted_array, node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = _call(counted_value, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        node.value = _call(counted_value, self.visit(node.value))
        target = _loaded(node.target)
        return [node, *([ast.Expr(_call(counted_array, target))] if target else [])]

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        self.generic_visit(node)
        rests = [x.name for x in ast.walk(node.pattern) if isinstance(x, ast.MatchStar) and x.name]
        node.body = [*map(_all_of, rests), *node.body]
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        assigned: list[ast.stmt] = [
            _all_of(x.value.id) for t in node.targets for x in ast.walk(t)
            if isinstance(x, ast.Starred) and isinstance(x.value, ast.Name)
        ]  # fmt: skip
        assigned += [
            ast.Expr(_call(counted_all, target))
            for t in node.targets
            if isinstance(t, ast.Subscript)
            and any(isinstance(x, ast.Slice) for x in ast.walk(t.slice))
            and (target := _loaded(t)) is not None
        ]
        return [node, *assigned]


def _all_of(name: str) -> ast.stmt:
    return ast.Expr(_call(counted_all, ast.Name(name, ast.Load())))


def _as_list(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


def _loaded(target: ast.expr) -> ast.expr | None:
    text = ast.unparse(target)
    return ast.parse(text, mode="eval").body if not isinstance(target, ast.Tuple) else None


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = ast.fix_missing_locations(_Counted().visit(ast.parse(self.get_data(path), path)))
        return compile(tree, path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(_NAMES)
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(_INSIDE):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


_INSIDE = ("tests.programs.", "examples.")


@contextmanager
def _second_copy() -> Iterator[None]:
    """Instrument the modules of the corpus that are imported meanwhile, and forget them
    afterwards."""
    before = _taken_away()
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _taken_away()
        for name, module in before.items():
            sys.modules[name] = module
            package, _, last = name.rpartition(".")
            setattr(sys.modules[package], last, module)


def _taken_away() -> dict[str, ModuleType]:
    """Remove the modules of the corpus from those that are imported. Return them."""
    found = {name: m for name, m in sys.modules.items() if name.startswith(_INSIDE)}
    for name in found:
        del sys.modules[name]
        package, _, last = name.rpartition(".")
        vars(sys.modules[package]).pop(last, None)
    return found


def instrumented() -> dict[str, programs.Program]:
    """Return the programs of the corpus by name, with functions that count the elements that they
    use."""
    with _second_copy():
        return {program.name: program for program in programs.corpus()}
