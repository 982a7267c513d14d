"""Trees of leaves that an entry point reads and makes itself, and the text of fast calls.

The *form* of a kind is the tree that an entry point reads or makes (``native.signature``), with
what Python has to do besides: a record is taken apart and built again. Kinds with nodes, and lists
of anything but numbers, have none: they are converted (``packed``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pullback.core.frozen import dataclass, field
from pullback.core.types import Array, Bool, Handle, Int, Real, Type
from pullback.core.values import dtype_of
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.kinds.plain_kinds import CHANGEABLE
from pullback.frontend.python.guards import ABSENT, Guard, holds
from pullback.frontend.python.paths import MISSING, Namespace, read
from pullback.lower.loopcode import Ty
from pullback.native import ArrayOf, Leaf, NpScalar, PyBool, PyFloat, PyInt, Tree

TY_OF_DTYPE = {
    "float64": Ty.F64, "float32": Ty.F32, "int64": Ty.I64, "int32": Ty.I32, "bool": Ty.I1,
    "int16": Ty.I16, "int8": Ty.I8,
}  # fmt: skip

Decode = Callable[[object], object]
Fast = Callable[..., object]
Hidden = Sequence[tuple[Path, Kind]]
Guards = Sequence[Guard]
Maker = Callable[[object, Fast], Fast]
"""The fast call of a function, given the general way for what it does not fit."""


# --- forms -----------------------------------------------------------------------------------


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


def tuple_form(
    forms: Sequence[Form | None], finish: Callable[[Any], object] | None = None
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
        return Form(tuple(trees), finish)

    def decode(values: object) -> object:
        assert isinstance(values, tuple)
        parts = tuple(v if d is None else d(v) for d, v in zip(decodes, values, strict=False))
        return parts if finish is None else finish(parts)

    return Form(tuple(trees), decode)


# --- fast calls -----------------------------------------------------------------------------------


class NoForm(Exception):
    """Raised for a kind whose values do not go in registers."""


@dataclass(slots=True)
class Writer:
    """Writes the Python text of a fast call, and keeps the objects that it mentions. The call
    returns ``NotImplemented`` where the text is not for it. ``setup`` runs once for a function,
    ``first`` and then ``lines`` in every call."""

    objects: dict[str, object] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    dynamic: bool = False  # whether a call has anything to do in Python
    adjoint: bool = False  # whether what it takes apart is a cotangent

    def name(self, prefix: str, value: object) -> str:
        out = f"{prefix}{len(self.objects)}"
        self.objects[out] = value
        return out

    @staticmethod
    def around(hidden: Hidden, guards: Guards) -> Writer:
        """A call that looks at the guards and reads the hidden arguments, as ``h0``, ``h1``."""
        w = Writer()
        for guard in guards:
            w.guard(guard)
        for k, (path, _) in enumerate(hidden):
            w.dynamic = True
            w.lines.append(f"h{k} = {w.path(path)}")
        return w

    def check(self, cond: str) -> None:
        self.dynamic = True
        self.lines.append(f"if not ({cond}): return NotImplemented")

    def together(self, parts: Iterable[tuple[Tree, str] | None]) -> tuple[Tree, str]:
        """The tree of several values, those that go in, and the expression of their tuple."""
        found = [x for x in parts if x is not None]
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
        prepare = ["if rest: return NotImplemented", *self.first]
        if "args" in self.needs:
            prepare.append(f"args = ({''.join(f'a{k}, ' for k in range(count))})")
        return [*prepare, *self.tried(lines)]

    def tried(self, lines: Sequence[str]) -> list[str]:
        """Lines that raise where something is not there: the call then returns NotImplemented."""
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
            if len(guard.path) > 1:  # an attribute that its class has
                at, name = self.path(guard.path[:-1]), guard.path[-1][1]
                self.check(f"{name!r} not in getattr({at}, '__dict__', ())")
            return  # the entry point checks globals
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
                changes = isinstance(guard.kind.value, CHANGEABLE)  # and stays the same object
                self.check(test if changes else f"{at} is {known} or {test}")


def boxed(types: Iterable[Type]) -> tuple[Leaf, ...]:
    """What an entry point takes and makes for leaves that are numbers, arrays of them or handles.
    """
    return tuple(leaf for t in types for leaf in _boxed(t))


def _boxed(t: Type) -> tuple[Leaf, ...]:
    match t:
        case Array(elem, rank):
            return (array_leaf(elem, rank),)
        case Handle(rank):
            return (PyInt(),) * (1 + 2 * rank)
        case _:
            return (scalar_leaf(t, not isinstance(t, (Real, Int)) or t.bits == 64),)


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


def _holder(guard: Guard) -> Callable[[object], bool]:
    return lambda value: value is not MISSING and holds(guard, value)


def defined(text: str, names: dict[str, object]) -> Callable[..., Fast]:
    """The function ``make`` that a text defines, which mentions these objects."""
    exec(compile(text, "<pullback fast call>", "exec"), names)
    make = names["make"]
    assert callable(make)
    return make
