"""Find the texts of files, and prove that a running function was compiled from one of them.

A file can be edited while its functions run, a module can be reloaded, and two modules can have
the same file name. So a text is the source of a function only if compiling the whole text, with
the function's ``__future__`` features, gives the code that the function has:

    text --parse--> tree --compile--> code of the file ... code of the function == f.__code__

pytest rewrites ``assert`` in the tree of a test module; then the rewritten tree is compiled.
Line tables and file names are not compared, but the first line is.
"""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import operator
import struct
import sys
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from types import CodeType, FunctionType

from pullback.core.frozen import dataclass
from pullback.frontend.python.private_names import is_written, mangle
from pullback.frontend.python.typed import STDIN, typed

FunctionNode = ast.FunctionDef | ast.Lambda
AnyFunction = FunctionNode | ast.AsyncFunctionDef

_FEATURES = functools.reduce(
    operator.or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names)
)

COPIED = "<dynamic-code>"
"""The name that cloudpickle gives to the file of a function that it copies."""

MOST_TEXTS = 32
"""The number of texts whose trees are kept; a definition keeps the tree of its own function."""


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A compiled text: the functions in its tree and the codes in its code, by first line."""

    file: str
    lines: tuple[str, ...]
    nodes: dict[int, list[AnyFunction]]
    codes: dict[int, list[CodeType]]

    def find(self, code: CodeType) -> list[AnyFunction]:
        """Return the function of this code: none if the text is not its source, several if nothing
        distinguishes them."""
        equal = [c for c in self.codes.get(code.co_firstlineno, ()) if same_code(c, code)]
        if not equal:
            return []
        where = list(code.co_positions())
        mine = next((c for c in equal if list(c.co_positions()) == where), equal[0])
        return _nodes_of(mine, self.nodes.get(code.co_firstlineno, ()))


@dataclass(frozen=True, slots=True)
class _Way:
    """The way in which a text is compiled: with which features and optimisation level (-1: that of
    this process), whether pytest rewrites its tree first, and whether functions are compiled apart
    from the imports of their file. (Sphinx-Gallery runs a file block by block; the code of a call
    ``np.mean(a)`` is another one where ``np`` is imported in the same block.)"""

    features: int
    level: int = -1
    rewritten: bool = False
    apart: bool = False


_Key = tuple[str, str, _Way]
_TEXTS: OrderedDict[_Key, Text | None] = OrderedDict()


def texts_of(function: FunctionType) -> Iterator[Text]:
    """Iterate over compiled texts that may be the source of a function, the likeliest first."""
    code = function.__code__
    file, features = code.co_filename, code.co_flags & _FEATURES
    if file == COPIED and sys.argv:
        file = sys.argv[0]  # a worker of joblib's has the arguments of the program
    texts = dict.fromkeys(t for t in _texts(file, function.__globals__) if t)
    if file == "<string>":  # perhaps what stands behind ``python -c``
        texts |= dict.fromkeys(t.removeprefix("-c") for t in sys.orig_argv[1:])
    ways = [_Way(features), _Way(features, rewritten=True), _Way(features, apart=True)]
    ways += [_Way(features, level) for level in range(3) if level != sys.flags.optimize]
    loader = function.__globals__.get("__loader__")
    for way in ways:
        for text in texts:
            made = _compiled(file, text, way, loader)
            if made is not None:
                yield made


def has_text(function: FunctionType) -> bool:
    """Whether there is any text under the name of a function's file."""
    return any(_texts(function.__code__.co_filename, function.__globals__))


def _texts(file: str, names: dict[str, object]) -> Iterator[str]:
    """Iterate over the text that the file has now, the one that was read before, and those in which
    other functions were found."""
    before = linecache.getlines(file, names)
    linecache.checkcache(file)
    yield "".join(linecache.getlines(file, names))
    yield "".join(before)
    if file == STDIN:
        yield from typed()
    for known_file, text, _ in reversed(tuple(_TEXTS)):
        if known_file == file:
            yield text


def _compiled(file: str, text: str, way: _Way, loader: object) -> Text | None:
    key = file, text, way
    if key in _TEXTS:
        _TEXTS.move_to_end(key)
        return _TEXTS[key]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python has shown them
        try:
            made = _compile(file, text, way, loader)
        except (SyntaxError, ValueError):
            made = None
    _TEXTS[key] = made
    while len(_TEXTS) > MOST_TEXTS:
        _TEXTS.popitem(last=False)
    return made


def _compile(file: str, text: str, way: _Way, loader: object) -> Text | None:
    tree = _parse(file, text, way.features)
    source: ast.Module | str = text
    if way.rewritten:
        rewritten = _rewritten(_parse(file, text, way.features), file, text, loader)
        if rewritten is None:
            return None
        source = rewritten
    if way.apart:
        rest = _parse(file, text, way.features)
        rest.body = [s for s in rest.body if not isinstance(s, (ast.Import, ast.ImportFrom))]
        source = rest
    try:
        code = compile(source, file, "exec", way.features, True, way.level)
    except SyntaxError:  # a cell of a notebook may await
        flags = way.features | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(source, file, "exec", flags, True, way.level)
    if not way.rewritten and (way.level if way.level >= 0 else sys.flags.optimize) > 0:
        tree = _Optimised().visit(tree)
    mangle(tree)
    nodes: dict[int, list[AnyFunction]] = {}
    for n in ast.walk(tree):
        if isinstance(n, AnyFunction):
            nodes.setdefault(_first_line(n), []).append(n)
    codes: dict[int, list[CodeType]] = {}
    for c in _codes(code):
        codes.setdefault(c.co_firstlineno, []).append(c)
    return Text(file, tuple(text.split("\n")), nodes, codes)


def _parse(file: str, text: str, flags: int) -> ast.Module:
    tree = compile(text, file, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree


def _rewritten(tree: ast.Module, file: str, text: str, loader: object) -> ast.Module | None:
    """Return the tree as pytest rewrites it; None if pytest does not."""
    rewrite = sys.modules.get("_pytest.assertion.rewrite")
    if rewrite is None or not isinstance(loader, rewrite.AssertionRewritingHook):
        return None
    rewrite.rewrite_asserts(tree, text.encode(), file, loader.config)
    return tree


class _Optimised(ast.NodeTransformer):
    """Rewrites a tree to what ``python -O`` runs: no ``assert``, and ``__debug__`` is false."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(False), node) if node.id == "__debug__" else node


# --- codes ----------------------------------------------------------------------------------------


def _codes(code: CodeType) -> Iterator[CodeType]:
    waiting = [code]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += [c for c in found.co_consts if isinstance(c, CodeType)]


_PARTS = (
    "co_name", "co_qualname", "co_flags", "co_argcount", "co_posonlyargcount",
    "co_kwonlyargcount", "co_varnames", "co_cellvars", "co_freevars", "co_names", "co_stacksize",
    "co_exceptiontable", "co_code",
)  # fmt: skip


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two codes do the same, apart from file names and line tables."""
    return (
        all(getattr(a, part) == getattr(b, part) for part in _PARTS)
        and len(a.co_consts) == len(b.co_consts)
        and all(map(_same_constant, a.co_consts, b.co_consts))
    )


def _same_constant(a: object, b: object) -> bool:
    if type(a) is not type(b):
        return False
    match a, b:
        case CodeType(), CodeType():
            return same_code(a, b)
        case (float() | complex() as x), (float() | complex() as y):
            return _bits(x) == _bits(y)
        case tuple(), tuple():
            return len(a) == len(b) and all(map(_same_constant, a, b))
        case frozenset(), frozenset():
            return {(type(x), x) for x in a} == {(type(x), x) for x in b}
        case _:
            return a == b


def _bits(number: complex) -> bytes:
    return struct.pack("<dd", number.real, number.imag)


# --- nodes ----------------------------------------------------------------------------------------


def _first_line(node: AnyFunction) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(d.lineno for d in decorators)])


def _name(node: AnyFunction) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _parameter_names(node: AnyFunction) -> tuple[str, ...]:
    a = node.args
    return tuple(p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs))


def _nodes_of(code: CodeType, nodes: list[AnyFunction] | tuple[()]) -> list[AnyFunction]:
    """Return the nodes whose code this can be, of those that begin on its line."""
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    named = [n for n in nodes if is_written(code.co_name, _name(n))]
    found = [n for n in named if _parameter_names(n) == names]
    lambdas = [n for n in found if isinstance(n, ast.Lambda)]
    if len(lambdas) < 2:
        return found
    where = _some_place(code)
    around = [n for n in lambdas if where is not None and _holds(n.body, *where)]
    # Of nested lambdas it is the innermost one: no other code has the instructions of its body.
    return [max(around, key=lambda n: _start(n.body))] if around else found


_Point = tuple[int, int]


def _some_place(code: CodeType) -> tuple[_Point, _Point] | None:
    """Return the beginning and the end, in the text, of one instruction of a lambda: a place inside
    its body."""
    for line, end_line, col, end_col in code.co_positions():
        if line is None or end_line is None or col is None or end_col is None:
            continue
        if (line, col) != (end_line, end_col):
            return (line, col), (end_line, end_col)
    return None


def _start(node: ast.expr) -> _Point:
    return node.lineno, node.col_offset


def _holds(node: ast.expr, start: _Point, end: _Point) -> bool:
    return _start(node) <= start and end <= (node.end_lineno or 0, node.end_col_offset or 0)


__all__ = ["COPIED", "AnyFunction", "FunctionNode", "Text", "has_text", "same_code", "texts_of"]
