"""Take values apart into a kind and atoms, and put them together again.

``flatten`` walks through a value once and gives its kind, its leaves (atoms in the order of
``kinds.leaf_types``) and the memory that it may share; ``rebuild`` is its inverse. A function value
is flattened with everything that it captures, over all scopes that it reaches: this is lambda
lifting. Functions that capture each other or themselves form finite graphs, so the walk ends.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import cast

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Lit, Var
from pullback.core.unhandled import unhandled
from pullback.frontend.functions.scopes import AnyScope, PyScope, Scope, owner_of
from pullback.frontend.kinds.kinds import (
    ArrayK,
    CaughtK,
    ClosureK,
    FunctionK,
    FunctionRefK,
    GeneratorK,
    HashK,
    Kind,
    LambdaSetK,
    ListK,
    MaybeK,
    OperatorK,
    OptionalK,
    RangeK,
    RecordK,
    RefK,
    ScalarK,
    ScopeK,
    SmallK,
    StaleK,
    StaticK,
    SymbolK,
    ThreadK,
    TupleK,
    UnionK,
    WrappedK,
    leaf_types,
    quantised,
    static_kind,
    static_scalar,
)
from pullback.frontend.kinds.plain_kinds import Compound
from pullback.frontend.kinds.values import (
    UNSET,
    ArrayV,
    CaughtV,
    CellV,
    ClosureV,
    Driven,
    FunctionV,
    GeneratorV,
    HashV,
    LambdaSetV,
    ListV,
    MaybeV,
    OperatorV,
    OptionalV,
    Owner,
    PlaceV,
    RangeV,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    SmallV,
    Stale,
    Static,
    SymbolV,
    ThreadV,
    TupleV,
    UnionV,
    Value,
    WrappedV,
)
from pullback.frontend.python.object_classes import changes
from pullback.frontend.python.syntax import free_names

Ownership = tuple[frozenset[Owner], bool]
"""The arrays whose memory a value may share, and whether it is all of an array that was made here;
of the content of a list, whether each array and list in it was made here and stands here only."""

NO_OWNER: Ownership = (frozenset(), False)
_NO_NODE = ast.Pass()


class NoKindError(Exception):
    """A value that exists only while an expression is evaluated (an iterator, a slice) would have
    to be kept."""

    def __init__(self, value: Value) -> None:
        self.value = value
        super().__init__(type(value).__name__)


@dataclass(slots=True)
class Flat:
    """A flattened value. ``owned`` has the ownerships of its arrays, lists (of the list, then of
    its content), nodes, closures and captured variables, ``among`` the classes of references."""

    kind: Kind
    atoms: list[Atom] = field(default_factory=list)
    owned: list[Ownership] = field(default_factory=list)
    among: list[tuple[type, ...]] = field(default_factory=list)
    wholes: list[Atom | bool] = field(default_factory=list)
    """For each of these, what tells that it is the object itself that has these owners, and no view
    of it: an atom; True (there are no views of such objects); False (nothing tells)."""

    def own(self, owners: frozenset[Owner], fresh: bool, whole: Atom | bool = False) -> None:
        self.owned.append((owners, fresh))
        self.wholes.append(whole)


def flatten(value: Value) -> Flat:
    """Return the kind, leaves and ownership of a value."""
    out = Flat(StaticK((), None))
    out.kind = _flatten(value, None, out)
    return out


def kind_of(value: Value) -> Kind:
    return flatten(value).kind


def _flatten(value: Value, graph: _Graph | None, out: Flat) -> Kind:
    def each(values: tuple[Value, ...]) -> tuple[Kind, ...]:
        return tuple(_flatten(v, graph, out) for v in values)

    match value:
        case Static(v):
            return static_kind(v)
        case Scalar(atom, py, bits, is_int):
            out.atoms += (atom,) if is_int is None else (atom, is_int)
            if value.rank0:
                out.own(value.owners, value.fresh)
            bits = quantised(value.type, bits)
            return ScalarK(value.type, py, bits, is_int is not None, value.rank0)
        case ArrayV(atom, owners, fresh):
            out.atoms.append(atom)
            out.own(owners, fresh, atom)
            return ArrayK(value.elem, value.rank)
        case ListV(length, elem, atoms, owners, fresh, inner, spare, sole):
            out.atoms.extend((length, *atoms))
            out.own(owners, fresh, atoms[0] if atoms else False)
            out.own(inner, sole)
            return ListK(elem, spare, value.cls)
        case HashV(cls, length, index, counts, elem, atoms):
            out.atoms.extend((length, index, *counts, *atoms))
            out.own(value.owners, value.fresh, length)
            out.own(value.inner, value.sole)
            return HashK(cls, elem, value.spare, _flatten(value.factory, graph, out))
        case WrappedV(items, cls=cls, extra=extra):
            return WrappedK(each(items), cls=cls, extra=static_kind(extra))
        case TupleV(items, is_list, owners, fresh):
            if is_list:
                out.own(owners, fresh, True)
            return TupleK(each(items), is_list)
        case RecordV(cls, fields, _, owners, fresh):
            if changes(cls):
                out.own(owners, fresh, True)
            kinds = each(tuple(fields.values()))
            return RecordK(cls, tuple(zip(fields, kinds, strict=True)), value.outside)
        case UnionV(atom, union, owners):
            out.atoms.append(atom)
            out.own(owners, False)
            return UnionK(union, value.absent)
        case OptionalV(there, inner, other):
            out.atoms.append(there)
            return OptionalK(_flatten(inner, graph, out), _flatten(other, graph, out))
        case MaybeV(bound, inner):
            out.atoms.append(bound)
            return MaybeK(_flatten(inner, graph, out))
        case SmallV(held, dtype):
            inside = _flatten(held, graph, out)
            assert isinstance(inside, (ScalarK, ArrayK))
            return SmallK(inside, dtype)
        case SymbolV(atom, cls):
            out.atoms.append(atom)
            return SymbolK(cls)
        case CaughtV(atom, steps):
            out.atoms.append(atom)
            return CaughtK(steps)
        case RefV(atom, cls, among):
            out.atoms.append(atom)
            out.among.append(among)
            return RefK(cls)
        case ClosureV(atom, kinds, owners):
            out.atoms.append(atom)
            out.own(owners, False)
            return ClosureK(kinds)
        case LambdaSetV(atom, lambdas, owners):
            out.atoms.append(atom)
            out.own(owners, False)
            return LambdaSetK(lambdas)
        case RangeV(start, stop, step) | SliceV(start, stop, step):
            cls = slice if isinstance(value, SliceV) else range
            return RangeK(each((start, stop, step)), cls)
        case OperatorV(name, function, options, args):
            return OperatorK(name, each((function,))[0], options, each(args))
        case FunctionV():
            return _function(value, out) if graph is None else graph.reference(value, out)
        case Stale(reason, node):
            return StaleK(reason, node, value.unset)
        case ThreadV(atoms, owners):
            out.atoms.extend(atoms)
            out.own(owners, False)
            return ThreadK(tuple(a.type for a in atoms))
        case GeneratorV(body=Driven(function, args, named), handed=True):
            known = _flatten(function, graph, out)
            assert isinstance(known, FunctionK)
            kinds = each(tuple(map(_handed, args.values())))
            return GeneratorK(known, tuple(zip(args, kinds, strict=True)), named)
        case _:
            raise NoKindError(value)


def _handed(value: Value) -> Value:
    """Return the value; of a generator that is passed on, with the values over which it runs."""
    return replace(value, handed=True) if isinstance(value, GeneratorV) else value


def _function(value: FunctionV, out: Flat) -> FunctionK:
    graph = _Graph()
    graph.visit(value)
    scopes = []
    for scope in graph.scopes:
        if isinstance(scope, PyScope):
            scopes.append(ScopeK(-1, (), scope))
            continue
        names = sorted(graph.needed[scope])
        kinds = tuple((n, _captured(scope, n, graph, out)) for n in names)
        parent = -1 if scope.parent is None else graph.number(scope.parent)
        always = frozenset[str]() if scope.live else scope.always
        scopes.append(ScopeK(parent, kinds, None, scope.rebound, always))
    return FunctionK(tuple(scopes), graph.reference(value, out))


def _captured(scope: Scope, name: str, graph: _Graph, out: Flat) -> Kind:
    value = captured_value(scope, name)
    out.own(_cell(scope, name), False)
    if isinstance(value, Static) and name in scope.rebound:  # a number that will be another one
        kind = static_scalar(value.value)
        if kind is not None and not isinstance(value.value, bool):
            out.atoms.append(Lit(cast("int | float", value.value), kind.type))
            return kind
    start = len(out.atoms), len(out.owned)
    try:
        return _flatten(value, graph, out)
    except NoKindError:
        del out.atoms[start[0] :], out.owned[start[1] :], out.wholes[start[1] :]
        return StaleK(f"{name!r} is an iterator: it cannot be captured by a function", _NO_NODE)


def _cell(scope: Scope, name: str) -> frozenset[Owner]:
    """Return the variable itself, as an owner; of a snapshot, the variable that was copied."""
    if scope.live and name not in scope.cells:
        scope.cells[name] = frozenset({Owner("" if scope.locals else name, cell=True)})
    return scope.cells.get(name, frozenset())


def captured_value(scope: Scope, name: str) -> Value:
    found = scope.names.get(name)
    if isinstance(found, CellV):
        found = found.value
    if isinstance(found, PlaceV):
        if found.scope.names.get(found.root) is not found.of:
            reason = f"{name!r} is a name for a part of what has been updated before it is captured"
            return Stale(reason, _NO_NODE)
        found = found.value
    if found is None:
        reason = f"{name!r} has no value yet when it is captured"
        return Stale(reason, _NO_NODE, unset=True)
    return found


class _Graph:
    """The scopes that a function value reaches, and the names that are needed of each."""

    def __init__(self) -> None:
        self.scopes: list[Scope | PyScope] = []
        self.numbers: dict[Scope | PyScope, int] = {}
        self.needed: dict[Scope, set[str]] = {}

    def number(self, scope: Scope | PyScope) -> int:
        if scope not in self.numbers:
            self.numbers[scope] = len(self.scopes)
            self.scopes.append(scope)
            if isinstance(scope, Scope):
                self.needed.setdefault(scope, set())
                if scope.parent is not None:
                    self.number(scope.parent)
        return self.numbers[scope]

    def visit(self, root: FunctionV) -> None:
        todo = [root]
        seen: set[tuple[int, int]] = set()
        while todo:
            f = todo.pop()
            key = (id(f.definition), id(f.scope))
            if f.scope is not None:
                self.number(f.scope)
            todo += [g for v in parts_of(f) for g in functions_in(v)]
            if key in seen or not isinstance(f.scope, Scope):
                continue
            seen.add(key)
            for name in (*free_names(f.definition.node), *_always(f.scope)):
                owner = owner_of(f.scope, name)
                if owner is not None and name not in self.needed.setdefault(owner, set()):
                    self.needed[owner].add(name)
                    todo += functions_in(captured_value(owner, name))

    def reference(self, f: FunctionV, out: Flat) -> FunctionRefK:
        scope = -1 if f.scope is None else self.numbers[f.scope]
        defaults = tuple(_flatten(v, self, out) for v in f.defaults)
        keywords = tuple((n, _flatten(v, self, out)) for n, v in f.kw_defaults)
        bound = [_flatten(v, self, out) for v in f.bound]
        if bound and isinstance(own := f.bound[0], RefV):
            bound[0] = RefK(own.cls, own.among)
        return FunctionRefK(f.definition, scope, defaults, keywords, tuple(bound))


def _always(scope: AnyScope) -> Sequence[str]:
    """What a function captures since it is called (``store``): a function that is kept does not."""
    return sorted(scope.always) if isinstance(scope, Scope) and not scope.live else ()


def parts_of(f: FunctionV) -> tuple[Value, ...]:
    return (*f.defaults, *(v for _, v in f.kw_defaults), *f.bound)


def functions_in(value: Value) -> Iterator[FunctionV]:
    """Iterate over the known functions inside a value (without those that they capture)."""
    match value:
        case FunctionV():
            yield value
        case TupleV(items):
            for v in items:
                yield from functions_in(v)
        case HashV(factory=factory):
            yield from functions_in(factory)
        case RecordV(_, fields):
            yield from functions_in(TupleV(tuple(fields.values())))
        case OperatorV(_, function, _, args):
            yield from functions_in(TupleV((function, *args)))
        case OptionalV(_, inner, other):
            yield from functions_in(TupleV((inner, other)))
        case MaybeV(_, inner):
            yield from functions_in(inner)
        case _:
            return


# --- and back -------------------------------------------------------------------------------------


def example(kind: Kind) -> Value:
    """Return a value of this kind of which nothing else is known, to be looked at only."""
    known = getattr(kind, "example", None)
    if known is not None:
        return cast("Value", known)
    made = rebuild(kind, (Var("_", t) for t in leaf_types(kind)))
    if isinstance(kind, Compound):
        object.__setattr__(kind, "example", made)
    return made


def rebuild(
    kind: Kind, atoms: Iterator[Atom], own: Callable[[], Ownership] = lambda: NO_OWNER
) -> Value:
    """Return the value of this kind whose leaves are these atoms; ``own`` gives the ownerships in
    order."""
    return _rebuild(kind, atoms, own, [])


def _rebuild(
    kind: Kind,
    atoms: Iterator[Atom],
    own: Callable[[], Ownership],
    scopes: list[AnyScope],
) -> Value:
    def each(kinds: tuple[Kind, ...]) -> tuple[Value, ...]:
        return tuple(_rebuild(k, atoms, own, scopes) for k in kinds)

    match kind:
        case StaticK(_, value):
            return Static(value)
        case ScalarK(_, py, bits, may_be_int, rank0):
            atom = next(atoms)
            is_int = next(atoms) if may_be_int else None
            return Scalar(atom, py, bits, is_int, rank0, *(own() if rank0 else NO_OWNER))
        case ArrayK():
            atom = next(atoms)
            return ArrayV(atom, *own())
        case ListK(elem, spare):
            length = next(atoms)
            parts = tuple(next(atoms) for _ in leaf_types(elem))
            (owners, fresh), (inner, sole) = own(), own()
            return ListV(length, elem, parts, owners, fresh, inner, spare, sole, kind.cls)
        case HashK(cls, elem, spare, factory):
            length, index = next(atoms), next(atoms)
            counts = tuple(next(atoms) for _ in range(kind.counts))
            parts = tuple(next(atoms) for _ in leaf_types(elem))
            (owners, fresh), (inner, sole) = own(), own()
            made = _rebuild(factory, atoms, own, scopes)
            return HashV(
                cls, length, index, counts, elem, parts, owners, fresh, inner, spare, sole, made
            )
        case TupleK(items, True):
            owners, fresh = own()
            return TupleV(each(items), True, owners, fresh)
        case TupleK(items):
            return TupleV(each(items))
        case RecordK(cls, fields):
            owners, fresh = own() if changes(cls) else NO_OWNER
            inside = {n: _rebuild(k, atoms, own, scopes) for n, k in fields}
            return RecordV(cls, inside, None, owners, fresh, kind.outside)
        case UnionK(union, absent):
            return UnionV(next(atoms), union, own()[0], absent)
        case OptionalK(inner, other):
            there, value = next(atoms), _rebuild(inner, atoms, own, scopes)
            return OptionalV(there, value, _rebuild(other, atoms, own, scopes))
        case MaybeK(inner):
            bound = next(atoms)
            return MaybeV(bound, _rebuild(inner, atoms, own, scopes))
        case SmallK(inside, dtype):
            held = _rebuild(inside, atoms, own, scopes)
            assert isinstance(held, (Scalar, ArrayV))
            return SmallV(held, dtype)
        case SymbolK(cls):
            return SymbolV(next(atoms), cls)
        case CaughtK(steps):
            return CaughtV(next(atoms), steps)
        case RefK(cls, among):
            return RefV(next(atoms), cls, among)
        case ClosureK(alternatives):
            return ClosureV(next(atoms), alternatives, own()[0])
        case LambdaSetK(lambdas):
            return LambdaSetV(next(atoms), lambdas, own()[0])
        case RangeK(items):
            start, stop, step = each(items)
            return (SliceV if kind.cls is slice else RangeV)(start, stop, step)
        case OperatorK(name, function, options, args):
            return OperatorV(name, each((function,))[0], options, each(args))
        case FunctionK():
            return _rebuild_function(kind, atoms, own)
        case FunctionRefK(definition, scope, defaults, kw_defaults, bound):
            values = each(defaults)
            keywords = tuple((n, _rebuild(k, atoms, own, scopes)) for n, k in kw_defaults)
            where = scopes[scope] if scope >= 0 else None
            return FunctionV(definition, where, values, keywords, each(bound))
        case StaleK(reason, node):
            return UNSET if node is UNSET.node else Stale(reason, node, unset=kind.unset)
        case ThreadK(types):
            return ThreadV(tuple(next(atoms) for _ in types), own()[0])
        case GeneratorK(function, args, named):
            known = _rebuild(function, atoms, own, scopes)
            assert isinstance(known, FunctionV)
            driven = Driven(known, {n: _rebuild(k, atoms, own, scopes) for n, k in args}, named)
            return GeneratorV(known.definition.node, driven, driven)
        case _:
            unhandled(kind)


def _rebuild_function(
    kind: FunctionK, atoms: Iterator[Atom], own: Callable[[], Ownership]
) -> Value:
    made: list[AnyScope] = [
        s.external if s.external is not None
        else Scope({}, live=False, rebound=s.rebound, always=s.always)
        for s in kind.scopes
    ]
    for described, scope in zip(kind.scopes, made, strict=True):
        if isinstance(scope, Scope):
            scope.parent = made[described.parent] if described.parent >= 0 else None
            for name, k in described.names:
                scope.cells[name] = own()[0]
                scope.names[name] = _rebuild(k, atoms, own, made)
    return _rebuild(kind.root, atoms, own, made)


def captures_of(f: FunctionV) -> Set[tuple[Scope, str]]:
    """Return the variables that a function and those in them capture, in order of their leaves."""
    graph = _Graph()
    graph.visit(f)
    scopes = (s for s in graph.scopes if isinstance(s, Scope))
    return dict.fromkeys((s, n) for s in scopes for n in sorted(graph.needed[s])).keys()


def live_captures(f: FunctionV) -> set[tuple[Scope, str]]:
    """Return the variables of functions that are still running which a call reads."""
    return {(s, n) for s, n in captures_of(f) if s.live}
