"""Find the syntax tree of a Python function, with the places of its nodes in the file."""

from __future__ import annotations

import ast
from collections import deque
from functools import partial
from hashlib import sha256
from types import CodeType, FunctionType
from weakref import WeakValueDictionary

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Site
from pullback.errors import SourceError
from pullback.frontend.python.contexts import Names, Origin
from pullback.frontend.python.exit_stacks import without_stacks
from pullback.frontend.python.function_attributes import with_variables
from pullback.frontend.python.global_names import without_global
from pullback.frontend.python.handled import NOTED
from pullback.frontend.python.kept_variables import KEPT, with_kept_variables
from pullback.frontend.python.managed_bodies import with_managers
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.memoised import expanded
from pullback.frontend.python.returned_names import returned_behind
from pullback.frontend.python.texts import FunctionNode, Text, has_text, texts_of
from pullback.frontend.python.trying import without_try
from pullback.frontend.python.typed import STDIN
from pullback.frontend.python.yield_values import without_yield_values


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Definition:
    """A function in the source: one object per syntax node, compared by identity.

    ``globals`` is the namespace of its module; ``name`` and ``qualname`` are for messages."""

    node: FunctionNode
    file: str
    name: str
    qualname: str
    globals: dict[str, object] = field(repr=False)
    lines: tuple[str, ...] = field(repr=False, default=())
    code: CodeType | None = field(repr=False, default=None)  # of the outermost function
    names: Names | None = field(repr=False, default=None)  # what is written into its text

    @property
    def body(self) -> list[ast.stmt]:
        if isinstance(self.node, ast.Lambda):
            done = ast.Return(self.node.body)
            return [ast.copy_location(done, self.node.body)]
        return self.node.body


_Key = tuple[CodeType, int, str, bool, bool]
_DEFINITIONS: WeakValueDictionary[_Key, Definition] = WeakValueDictionary()
_RECENT: deque[Definition] = deque(maxlen=32)
"""Definitions that nothing refers to any more, and that may be asked for again."""


Used = tuple[CodeType, str, str]
"""A code, the name of its module, and the digest of the text in which its source was found."""
_used: list[dict[CodeType, tuple[str, Definition]]] = []


class Using:
    """Notes the functions whose definitions are asked for inside of a ``with`` statement."""

    def __enter__(self) -> Using:
        self.found: dict[CodeType, tuple[str, Definition]] = {}
        _used.append(self.found)
        return self

    def __exit__(self, *_: object) -> None:
        _used.remove(self.found)

    def codes(self) -> tuple[Used, ...]:
        """The codes of these functions."""
        texts = {id(d.lines): d.lines for _, d in self.found.values()}
        digests = {k: sha256("\n".join(x).encode("utf-8", "surrogatepass")).hexdigest()
                   for k, x in texts.items()}  # fmt: skip
        return tuple((c, m, digests[id(d.lines)]) for c, (m, d) in self.found.items())


def definition_of(function: FunctionType) -> Definition:
    """Return the definition of a Python function: the same object for all functions of one code, as
    long as it is in use. Raise SourceError if no text is proven to be its source (``texts``)."""
    form = NOTED.get(), KEPT.get()
    key = function.__code__, id(function.__globals__), returned(function), *form
    found = _DEFINITIONS.get(key)
    if found is None or not (found.names is None or found.names.is_current(function)):
        found = _DEFINITIONS[key] = _definition(function)
        _RECENT.append(found)
    for used in _used:
        used[function.__code__] = str(function.__globals__.get("__name__")), found
    return found


def returned(function: FunctionType) -> str:
    """Return the annotation of a function's result, which has a meaning (``unmatched``) and is not
    in its code."""
    return str(function.__annotations__.get("return", ""))


def _definition(function: FunctionType) -> Definition:
    node, text = _written(function)
    names = Names.of(function, _generator)
    node = with_kept_variables(without_global(expanded(node, function.__globals__)))
    node = with_managers(node, names)
    node = without_stacks(with_variables(node), names.inside(node))
    node = returned_behind(without_yield_values(node))
    node = without_try(node, names)
    code = function.__code__
    return Definition(
        node, text.file, code.co_name, code.co_qualname, function.__globals__, text.lines, code,
        names if names.asked else None,
    )  # fmt: skip


def _generator(function: FunctionType) -> tuple[ast.FunctionDef, Origin]:
    """Return a generator as it is written, and where that is."""
    (node, text), code = _written(function), function.__code__
    assert isinstance(node, ast.FunctionDef)
    return node, Origin(text.file, code.co_name, function.__globals__, text.lines)


def _written(function: FunctionType) -> tuple[FunctionNode, Text]:
    """Return the text of a function as it is written."""
    code = function.__code__
    for text in texts_of(function):
        nodes = text.find(code)
        if not nodes:
            continue
        if len(nodes) > 1:
            raise SourceError(
                f"{len(nodes)} functions like {function.__qualname__!r} are on line "
                f"{code.co_firstlineno} of {text.file!r}, and Python runs without columns",
                "put each on a line of its own",
            )
        (node,) = nodes
        if isinstance(node, ast.AsyncFunctionDef):
            raise SourceError(f"{function.__qualname__!r} is an async function")
        return node, text
    raise _no_source(function)


def _no_source(function: FunctionType) -> SourceError:
    code = function.__code__
    if code.co_filename == STDIN:
        return SourceError(
            f"Python keeps no text of {function.__qualname__!r}, which came by a pipe or a prompt",
            "give the program as a file, python -i file.py, or as an argument, "
            'python -c "$(cat)"; IPython and notebooks keep what is typed',
        )
    if code.co_filename == "<string>" or not has_text(function):
        return SourceError(
            f"the source of {function.__qualname__!r} cannot be read (from {code.co_filename!r})",
            "define the function in a file or a notebook cell",
        )
    return SourceError(
        f"what stands at line {code.co_firstlineno} of {code.co_filename!r} is not the source of "
        f"{function.__qualname__!r}: compiling it gives other code",
        "the file has changed since it was imported: reload the module, or start again",
    )


_INSIDE = Remembered[Definition]()


def definition_inside(node: FunctionNode, outer: Definition) -> Definition:
    """Return the definition of a nested function: one per syntax node and namespace."""
    make = partial(_nested_definition, node, outer)
    return _INSIDE.of(node, id(outer.globals), make)


def _nested_definition(node: FunctionNode, outer: Definition) -> Definition:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    qualname = f"{outer.qualname}.<locals>.{name}"
    if name.startswith("."):  # no function of the user's: a part of the one around
        name, qualname = outer.name, outer.qualname
    return Definition(node, outer.file, name, qualname, outer.globals, outer.lines, outer.code)


def char_col(lines: tuple[str, ...], line: int, byte_col: int) -> int:
    """Return the column in characters, as people count, from one in bytes of UTF-8, as ast
    counts."""
    if not 0 < line <= len(lines):
        return byte_col
    return len(lines[line - 1].encode()[:byte_col].decode(errors="replace"))


def site_of(definition: Definition, node: ast.AST) -> Site:
    """Return the place of a syntax node; a node without a place stands for the whole function."""
    where = node if hasattr(node, "lineno") else definition.node
    origin = vars(where).get("origin")
    written = origin if isinstance(origin, Origin) else definition
    line: int = getattr(where, "lineno", 1)
    end_line: int = getattr(where, "end_lineno", None) or line
    lines = written.lines
    col = char_col(lines, line, getattr(where, "col_offset", 0))
    end_col = char_col(lines, end_line, getattr(where, "end_col_offset", None) or 0)
    if isinstance(where, ast.FunctionDef) and not isinstance(node, ast.expr):
        end_line, end_col = line, len(lines[line - 1]) if lines else col
    return Site(written.file, line, col, end_line, end_col, written.name)
