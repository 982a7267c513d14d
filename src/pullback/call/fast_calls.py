"""Fast calls: how values of simple kinds go straight into an entry point and out of it.

The *form* of a kind is the tree that an entry point reads or makes (``native.signature``), with
what Python has to do besides: a record is taken apart and built again.
Kinds with nodes, and lists of anything but numbers, have none: they go in as blocks
(``convention``).

``fast_form`` writes the Python function of one compiled entry: look at the guards, read the hidden
arguments, take records apart, call. It gives ``NotImplemented`` when the compiled code is not for
these arguments, as the entry point itself does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import partial
from typing import TYPE_CHECKING

from pullback.call.machine_words import TY_OF_DTYPE
from pullback.core.types import Bool, Int, Real, Type
from pullback.core.values import dtype_of
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
)
from pullback.frontend.python.instances import bare
from pullback.frontend.python.paths import MISSING, Namespace, read
from pullback.frontend.python.python_values import ABSENT, Guard, holds
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.python.records import annotations_of, field_names, is_tuple_of_any_length
from pullback.native import (
    ArrayOf,
    Leaf,
    ListOf,
    Nothing,
    NpScalar,
    PyBool,
    PyFloat,
    PyInt,
    Tree,
    bound,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

Decode = Callable[[object], object]
Fast = Callable[..., object]
Hidden = Sequence[tuple[Path, Kind]]
Guards = Sequence[Guard]


# --- results -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """A tree, and what makes the value of it (None: the tree's value is the value)."""

    tree: Tree
    decode: Decode | None = None


def scalar_leaf(t: Type, py: bool) -> Leaf:
    """What stands for a number in a tree."""
    match t, py:
        case Real(), True:
            return PyFloat()
        case Int(), True:
            return PyInt()
        case Bool(), True:
            return PyBool()
        case _:
            return NpScalar(TY_OF_DTYPE[dtype_of(t).name])


def array_leaf(elem: Type, rank: int) -> Leaf:
    """What stands for an array of numbers in a tree."""
    return ArrayOf(TY_OF_DTYPE[dtype_of(elem).name], rank)


def result_form(kind: Kind) -> Form | None:
    """The form of a result; None: it takes the general way."""
    match kind:
        case ScalarK(t, py):
            return Form(scalar_leaf(t, py))
        case ArrayK(elem, rank):
            return Form(array_leaf(elem, rank))
        case TupleK(items, is_list):
            return tuple_form([result_form(k) for k in items], list if is_list else None)
        case RecordK(cls, fields):
            if cls is dict:
                return tuple_form([result_form(k) for _, k in fields], builder(cls, fields))
            hints = annotations_of(cls)
            if any(isinstance(k, ListK) and is_tuple_of_any_length(hints[n]) for n, k in fields):
                return None
            return tuple_form([result_form(k) for _, k in fields], builder(cls, fields))
        case StaticK(_, value):
            return Form(Nothing(), None if value is None else lambda _: value)
        case ListK(ScalarK(t, True)):
            return Form(ListOf(TY_OF_DTYPE[dtype_of(t).name]))
        case _:
            return None


def gradient_form(kind: Kind) -> Form | None:
    """The form of the gradient of an argument; None: it takes the general way."""
    match kind:
        case ScalarK(t, py):
            return Form(scalar_leaf(t, py) if isinstance(t, Real) else Nothing())
        case ArrayK(elem, rank):
            return Form(array_leaf(elem, rank) if isinstance(elem, Real) else Nothing())
        case TupleK(items, is_list):
            return tuple_form([gradient_form(k) for k in items], list if is_list else None)
        case RecordK(cls, fields):
            return tuple_form([gradient_form(k) for _, k in fields], builder(cls, fields))
        case StaticK():
            return Form(Nothing())
        case ListK(ScalarK(Real() as t, True)):
            return Form(ListOf(TY_OF_DTYPE[dtype_of(t).name], counted=False))
        case _:
            return None


def tuple_form(
    forms: Sequence[Form | None], finish: Callable[[Iterable[object]], object] | None = None
) -> Form | None:
    """The form of several values; ``finish`` makes their container (None: a tuple)."""
    decodes: list[Decode | None] = []
    trees: list[Tree] = []
    for f in forms:
        if f is None:
            return None
        trees.append(f.tree)
        decodes.append(f.decode)
    if not any(decodes):
        return Form(tuple(trees), finish)  # type: ignore[arg-type]

    def decode(values: object) -> object:
        assert isinstance(values, tuple)
        parts = tuple(v if d is None else d(v) for d, v in zip(decodes, values))
        return parts if finish is None else finish(parts)

    return Form(tuple(trees), decode)


def builder(
    cls: type, fields: Sequence[tuple[str, Kind]]
) -> Callable[[Iterable[object]], object]:
    """What makes an instance of its fields' values, without running ``__init__``."""
    if cls is dict:
        keys = tuple(n for n, _ in fields)
        return lambda values: dict(zip(keys, values))
    if not is_dataclass(cls):
        return lambda values: tuple.__new__(cls, values)
    names = field_names(cls)  # without class variables
    return lambda values: bare(cls, dict(zip(names, values)))


# --- arguments -----------------------------------------------------------------------------------


class NoForm(Exception):
    """An argument of this kind takes the general way."""


@dataclass(slots=True)
class Writer:
    """The Python text of a fast call, and the objects that it mentions. ``NotImplemented`` is what
    a call gives that the text is not for."""

    objects: dict[str, object] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    dynamic: bool = False  # whether anything is left to do in Python

    def name(self, prefix: str, value: object) -> str:
        out = f"{prefix}{len(self.objects)}"
        self.objects[out] = value
        return out

    def check(self, cond: str) -> None:
        self.dynamic = True
        self.lines.append(f"if not ({cond}): return NotImplemented")

    def argument(self, kind: Kind, at: str) -> tuple[Tree, str] | None:
        """The tree of an argument and the expression that gives its value; None: no value goes
        in (it is static)."""
        match kind:
            case ScalarK(t, py):
                return scalar_leaf(t, py), at
            case ArrayK(elem, rank):
                return array_leaf(elem, rank), at
            case TupleK(items, False) if all(map(_direct, items)):
                trees = tuple(t for t, _ in filter(None, (self.argument(k, at) for k in items)))
                return trees, at
            case TupleK(items, is_list):
                word = "list" if is_list else "tuple"
                self.check(f"type({at}) is {word} and len({at}) == {len(items)}")
                return self._parts([(k, f"{at}[{j}]") for j, k in enumerate(items)])
            case RecordK(cls, fields) if cls is dict:
                keys = tuple(n for n, _ in fields)
                known = self.name("keys", keys)
                self.check(f"type({at}) is dict and tuple({at}) == {known}")
                return self._parts([(k, f"{at}[{known}[{j}]]") for j, (_, k) in enumerate(fields)])
            case RecordK(cls, fields):
                self.check(f"type({at}) is {self.name('class', cls)}")
                return self._parts([(k, f"{at}.{n}") for n, k in fields])
            case StaticK(_, value):
                if value is None:
                    return Nothing(), at
                known, same = self.name("static", value), self.name("same", _same_kind(kind))
                self.check(f"{at} is {known} or {same}({at})")
                return None
            case ListK(ScalarK(t, True)):
                return ListOf(TY_OF_DTYPE[dtype_of(t).name]), at
            case _:
                raise NoForm

    def _parts(self, parts: list[tuple[Kind, str]]) -> tuple[Tree, str]:
        found = [x for x in (self.argument(k, at) for k, at in parts) if x is not None]
        text = "".join(f"{expression}, " for _, expression in found)
        return tuple(tree for tree, _ in found), f"({text})"

    # --- the function ---

    def text(self, count: int, body: Sequence[str], more: str = "") -> str:
        """The text of what makes the fast call of a function, of so many arguments: after the
        checks the body. ``more``: what it is given besides the function."""
        # An argument that is missing is NotImplemented: it fits nothing, and no count is needed.
        names = "".join(f"a{k}=NotImplemented, " for k in range(count))
        return "\n".join(
            [f"def make(f{more}):", *(f"    {x}" for x in self.setup),
             f"    def fast({names}*rest):",
             *(f"        {x}" for x in (*self._prepare(count, self.lines), *body)),
             "    return fast"]
        )  # fmt: skip

    def text_for_any(
        self, params: Sequence[str], count: int, body: Sequence[str], before: Sequence[str] = ()
    ) -> str:
        """The text of what makes a fast call that is given the function itself first, then
        parameters of these names, ``count`` of which are its arguments."""
        names = "".join(f"{name}=NotImplemented, " for name in params)
        lines = self._prepare(count, [*self.setup, *self.lines])
        return "\n".join(
            ["def make():", *(f"    {x}" for x in before), f"    def fast(f, {names}*rest):",
             *(f"        {x}" for x in (*lines, *body)), "    return fast"]
        )  # fmt: skip

    def _prepare(self, count: int, lines: Sequence[str]) -> list[str]:
        prepare = ["if rest: return NotImplemented"]
        if "args" in self.needs:
            prepare.append(f"args = ({''.join(f'a{k}, ' for k in range(count))})")
        return [*prepare, *self.tried(lines)]

    def tried(self, lines: Sequence[str]) -> list[str]:
        """Lines that may find that something is not there."""
        self.objects["LOOKUP"] = (AttributeError, LookupError, ValueError, TypeError)
        if not lines:
            return []
        return ["try:", *(f"    {x}" for x in lines), "except LOOKUP: return NotImplemented"]

    # --- paths -------------------------------------------------------------------------------

    def path(self, path: Path) -> str:
        """The expression that reads the value at a path; it may raise where there is none."""
        out = ""
        for step in path:
            match step:
                case ("function",):
                    out = "f"
                case ("arg", int(k)):
                    out = f"a{k}"
                case ("global", Namespace() as space, str(name)):
                    out = f"{self.name('names', space.names)}[{name!r}]"
                case ("class", cls):
                    out = self.name("class", cls)
                case ("cell", int(k)):
                    out = self.cell(out, k)
                case ("default", int(k)):
                    out += f".__defaults__[{k}]"
                case ("kwdefault", str(name)):
                    out += f".__kwdefaults__[{name!r}]"
                case ("attr", str(name)):
                    out += f".{name}"
                case ("item", int(k)):
                    out += f"[{k}]"
                case ("key", key):
                    out += f"[{self.name('key', key)}]"
                case ("operator", int(k)):
                    out += f".__pullback_operator__[{k}]"
                case _:
                    return self.slow_path(path)
        return out

    def cell(self, function: str, k: int) -> str:
        if function != "f":
            return f"{function}.__closure__[{k}].cell_contents"
        line = f"cell{k} = f.__closure__[{k}]"
        if line not in self.setup:
            self.setup.append(line)
        return f"cell{k}.cell_contents"

    def slow_path(self, path: Path) -> str:
        reader = self.name("read", read)
        self.needs.add("args")
        return f"{reader}({self.name('path', path)}, f, args)"

    def guard(self, guard: Guard) -> None:
        """The check that a guard holds."""
        if guard.kind.key == ABSENT:
            return  # the entry point looks itself
        at = self.path(guard.path)
        known = self.name("known", guard.kind.value)
        match guard.kind.key:
            case ("code", code, _):
                same = f"(g := {at}).__code__ is {self.name('code', code)}"
                names = self.name("globals", getattr(guard.kind.value, "__globals__", None))
                self.check(f"{same} and (g is {known} or g.__globals__ is {names})")
            case ("class of", cls):
                self.check(f"type({at}) is {self.name('class', cls)}")
            case _:
                test = f"{self.name('holds', _holder(guard))}({at})"
                changes = isinstance(guard.kind.value, list | dict | partial)  # and stays the same
                self.check(test if changes else f"{at} is {known} or {test}")


def absent_names(guards: Guards) -> list[tuple[dict[str, object], str]]:
    """The globals that must not be there."""
    found = []
    for guard in guards:
        match guard.path:
            case (("global", Namespace() as space, str(name)),) if guard.kind.key == ABSENT:
                found.append((space.names, name))
            case _:
                pass
    return found


def _direct(kind: Kind) -> bool:
    """Whether an entry point reads a value of this kind all by itself."""
    match kind:
        case ScalarK() | ArrayK() | ListK(ScalarK(_, True)):
            return True
        case StaticK(_, value):
            return value is None
        case TupleK(items, False):
            return all(map(_direct, items))
        case _:
            return False


def _same_kind(kind: Kind) -> Callable[[object], bool]:
    return lambda value: type_of(value) == kind


def _holder(guard: Guard) -> Callable[[object], bool]:
    return lambda value: value is not MISSING and holds(guard, value)


def defined(text: str, names: dict[str, object]) -> Callable[..., Fast]:
    """The function ``make`` that a text defines, which mentions these objects."""
    exec(compile(text, "<pullback fast call>", "exec"), names)
    make = names["make"]
    assert callable(make)
    return make


# --- the fast call -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FastForm:
    """The trees of the arguments of an entry point, and the text of the call.

    ``bind(builtin, decode)(f)`` is the fast call for the function f."""

    params: tuple[Tree, ...]
    text: str
    objects: dict[str, object]
    direct: bool

    def bind(self, builtin: Fast, decode: Decode | None) -> Callable[[object], Fast]:
        """What makes the fast call of a function, given its compiled entry point."""
        if self.direct and decode is None:
            return lambda f: bound(builtin, f)
        names: dict[str, object] = {**self.objects, "builtin": builtin, "bound": bound,
                                    "decode": decode}  # fmt: skip
        result = "r if r is NotImplemented else decode(r)" if decode else "r"
        return defined(self.text.replace("RESULT", result), names)


def fast_form(kinds: Sequence[Kind], hidden: Hidden, guards: Guards) -> FastForm | None:
    """The form of all arguments and hidden arguments; None: they take the general way."""
    w = Writer()
    trees: list[Tree] = []
    values: list[str] = []
    try:
        for g in guards:
            w.guard(g)
        for k, (path, _) in enumerate(hidden):
            w.dynamic = True
            w.lines.append(f"h{k} = {w.path(path)}")
        places = [(kind, f"a{k}") for k, kind in enumerate(kinds)]
        places += [(kind, f"h{k}") for k, (_, kind) in enumerate(hidden)]
        for kind, at in places:
            found = w.argument(kind, at)
            if found is not None:
                trees.append(found[0])
                values.append(found[1])
            w.dynamic |= found is None
    except NoForm:
        return None
    w.setup.append("entry = bound(builtin, f)")
    body = [
        f"r = entry({', '.join(values)})",
        "return RESULT",
    ]
    text = w.text(len(kinds), body)
    return FastForm(tuple(trees), text, w.objects, not w.dynamic)
