"""Recursive lambda sets: functions that capture functions of the same place, to any depth.

``h = compose(f, h)`` in a loop, or ``go(n - 1, lambda r: k(r * x))``: a lambda captures itself, so
its kind would grow for ever. Such a value becomes a node of a declaration (``LambdaSetK``), with
one variant per lambda that it can be; the fields are what that lambda captures, and a captured
function that leads back to such a lambda is of the set again. This is defunctionalisation
(Reynolds); the cotangent is that of the environment, like that of any node. A call goes through one
Core function, ``apply``, which branches on the variant.

A set is found by the place where it was first needed, and grows while the program is specialised.
A round of specialisation in which a set grew is repeated with what is then known; so the sets are
the least that hold everything that flows into them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import NoReturn

from pullback.core.frozen import dataclass, field
from pullback.core.types import Decl, Variant
from pullback.errors import ArgumentTypeError, EndlessError
from pullback.frontend.functions import eta
from pullback.frontend.functions.self_capture import (
    Nesting,
    Node,
    captured,
    functions,
    places,
    sets_in,
)
from pullback.frontend.kinds.flatten import example, kind_of, parts_of
from pullback.frontend.kinds.join import same_function
from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    Kind,
    LambdaSetK,
    ListK,
    StaticK,
    UnionK,
    leaf_types,
    parts,
    with_parts,
)
from pullback.frontend.kinds.values import (
    ClosureV,
    FunctionV,
    LambdaSetV,
    ListV,
    MaybeV,
    OperatorV,
    OptionalV,
    RecordV,
    TupleV,
    Value,
)
from pullback.frontend.python.source import Definition, site_of
from pullback.frontend.python.unions import Union, Unions

STRAIGHT = 8
"""Without a loop or recursion, lambdas of one place are told apart to this depth of nesting."""

_WIDE = 6
"""A member that captures one of more functions than this has it in the set: a sum has room for all
its alternatives side by side, a node for one."""

_MAX_ROUNDS = 24
_MAX_VERSIONS = 6  # of one lambda in one set, with captures of types that do not meet


@dataclass(eq=False, slots=True)
class LambdaSet:
    """``outer`` and ``node`` say where it was first needed. ``knots``: the lambdas that capture
    themselves."""

    name: str
    store: LambdaSets
    outer: Definition
    node: ast.AST
    members: list[FunctionK] = field(default_factory=list)
    knots: set[Definition] = field(default_factory=set)
    merged: LambdaSet | None = None
    blank: bool = False  # there is a variant for no function at all
    appliers: dict[Hashable, Definition] = field(default_factory=dict)
    tags: dict[FunctionK, int] = field(default_factory=dict)

    def decl(self) -> Decl:
        lambdas = [Variant(m.root.definition.name, tuple(leaf_types(m))) for m in self.members]
        return Decl(self.name, (*lambdas, *([Variant("none", ())] if self.blank else [])))

    def variant_kinds(self) -> tuple[Kind, ...]:
        return tuple(self.members)

    def applier(self, count: int, keywords: tuple[str, ...]) -> Definition:
        """Return ``apply($f, a0, ...)``: in it, and only there, a call of ``$f`` branches."""
        key = count, keywords
        if key not in self.appliers:
            self.appliers[key] = eta.applier(count, keywords, self.outer, self.node)
        return self.appliers[key]

    def tag(self, kind: FunctionK) -> int:
        """Return the variant for a function of this kind, which becomes a member if need be."""
        if kind not in self.tags:
            self.tags[kind] = self._enter(self._as_member(kind))
        return self.tags[kind]

    def add(self, kind: FunctionK | ClosureK | LambdaSetK) -> None:
        match kind:
            case FunctionK():
                self.tag(kind)
            case ClosureK(alternatives):
                for k in alternatives:
                    self.tag(k)
            case LambdaSetK(other):
                self.store.merge(self, other)

    def _enter(self, new: FunctionK) -> int:
        definition = new.root.definition
        versions = 0
        for tag, old in enumerate(self.members):
            if old.root.definition is not definition:
                continue
            versions += 1
            both = same_function(old, new)
            if both is None:
                continue
            both = self._as_member(both)
            if both != old:
                self.members[tag] = both
                self._grown()
            return tag
        if versions >= _MAX_VERSIONS:
            self.refuse()
        self.members.append(new)
        self._grown()
        return len(self.members) - 1

    def _grown(self) -> None:
        self.tags.clear()
        self.store.grown = self

    def refuse(self) -> NoReturn:
        raise EndlessError(
            "a function that is built up step by step here captures values of ever new types",
            "let it capture values of the same types in every step",
            site_of(self.outer, self.node),
        )

    # --- what a member captures -------------------------------------------------------------------

    def _as_member(self, kind: FunctionK) -> FunctionK:
        """Return the kind of a function with the captures that lead back to the set in the set."""
        f = example(kind)
        assert isinstance(f, FunctionV)
        root = f.definition, f.scope
        group = {  # f and those that share its scopes and refer to it: no data could be so
            (g.definition, g.scope): g
            for g in functions(f)
            if root == (g.definition, g.scope)
            or any(root == (h.definition, h.scope) for c in captured(g) for h in functions(c))
        }
        nesting, done = Nesting(within=self), set[tuple[object, str]]()

        def absorb(v: Value) -> Value:
            return self._absorb(v, group, nesting)

        changes = []
        for g in group.values():
            for scope, name in places(g):
                if (scope, name) not in done:
                    done.add((scope, name))
                    changes.append((scope, name, absorb(scope.names[name])))
        own = [absorb(v) for v in parts_of(f)]
        for scope, name, value in changes:
            scope.names[name] = value
        n, m = len(f.defaults), len(f.kw_defaults)
        keywords = tuple(
            (name, v) for (name, _), v in zip(f.kw_defaults, own[n : n + m], strict=True)
        )
        made = kind_of(
            FunctionV(f.definition, f.scope, tuple(own[:n]), keywords, tuple(own[n + m :]))
        )
        assert isinstance(made, FunctionK)
        return made

    def _absorb(
        self, value: Value, group: dict[Node, FunctionV], nesting: Nesting
    ) -> Value:
        def each(values: tuple[Value, ...]) -> tuple[Value, ...]:
            return tuple(self._absorb(v, group, nesting) for v in values)

        match value:
            case FunctionV(definition, scope) if (definition, scope) in group:
                return value
            case FunctionV() | ClosureV() | LambdaSetV():
                wide = isinstance(value, ClosureV) and len(value.kinds) > _WIDE
                if not wide and self.knots.isdisjoint(nesting.depths(value)):
                    return value
                kind = kind_of(value)
                assert isinstance(kind, (FunctionK, ClosureK, LambdaSetK))
                self.add(kind)
                return example(LambdaSetK(self))
            case TupleV(items):
                return replace(value, items=each(items))
            case RecordV(_, fields):
                return replace(
                    value, fields=dict(zip(fields, each(tuple(fields.values())), strict=False))
                )
            case OptionalV(_, present, other):
                return OptionalV(value.there, *each((present, other)))
            case MaybeV(bound, inner):
                return MaybeV(bound, *each((inner,)))
            case OperatorV(name, function, options, args):
                return OperatorV(name, each((function,))[0], options, each(args))
            case ListV(_, elem):
                (item,) = each((example(elem),))
                return example(ListK(kind_of(item), value.spare, value.cls))
            case _:
                return value


class LambdaSets:
    """The lambda sets of a program, over all rounds of its specialisation."""

    def __init__(self) -> None:
        self.sets: dict[Hashable, LambdaSet] = {}
        self.unions = Unions()  # those that hold functions
        self.declared: dict[str, Union] = {}  # all that this round has used so far
        self.symbols: dict[object, None] = {}  # constants that the run tells apart, in order
        self.here: tuple[Definition, ast.AST] | None = None  # what is being compiled
        self.grown: LambdaSet | None = None  # the last set that grew in this round
        self.rounds = 0

    def begin(self) -> None:
        """Begin a round: sets that were merged are one from now on."""
        self.grown = None
        self.declared = {}
        self.symbols = {}
        self.rounds += 1
        self._renew_unions()
        for s in self.sets.values():
            if s.merged is None:
                s.members = [k for k in map(self.current, s.members) if isinstance(k, FunctionK)]
                s.tags.clear()

    def _renew_unions(self) -> None:
        """Give the unions that hold functions merged sets as one set. Unions of the same classes
        and arguments are one then."""
        made, again = self.unions.made, True
        while again:
            kept: dict[Hashable, Union] = {}
            for u in made.values():
                u.arguments = {c: tuple(map(self.current, ks)) for c, ks in u.arguments.items()}
                key = self.unions.key(u.classes, u.arrays, u.arguments)
                u.merged = kept.setdefault(key, u)
            made, again = kept, len(kept) < len(made)
        self.unions.made = made
        for u in made.values():
            u.merged = None
            u.arguments = {c: tuple(map(self.current, ks)) for c, ks in u.arguments.items()}
            u.fields = {
                c: tuple((n, self.current(k)) for n, k in fields) for c, fields in u.fields.items()
            }

    def make_blank(self, name: str) -> LambdaSet | None:
        """Let the set of this name have a variant that captures nothing: from the next round on all
        calls know of it."""
        for s in self.sets.values():
            if s.name == name and not s.blank:
                s.blank, self.grown = True, s
                return s
        return None

    def unsettled(self) -> bool:
        """Whether a set grew in this round: there must be another one."""
        if self.grown is not None and self.rounds >= _MAX_ROUNDS:
            self.grown.refuse()
        return self.grown is not None

    def at(self, key: Hashable, outer: Definition, node: ast.AST) -> LambdaSet:
        """Return the set first needed at this place."""
        if key not in self.sets:
            self.sets[key] = LambdaSet(f"lambdas.{len(self.sets)}", self, outer, node)
        return self.find(self.sets[key])

    def use(self, union: Union) -> None:
        """Note that the program uses a union, whose name is that of no other."""
        own = union.primal or union
        if self.declared.setdefault(own.name, own) is not own:
            names = " and ".join(n for n in own.class_names() if n != "None")
            raise ArgumentTypeError(
                f"two classes with the name {names} and the same fields in one program: one of "
                "them was defined anew",
                "make all data with the classes as they are now",
                None if self.here is None else site_of(*self.here),
            )

    def field(self, place: Hashable) -> Kind:
        """Return the functions in a field of nodes."""
        assert self.here is not None
        return LambdaSetK(self.at(("field", place), *self.here))

    def find(self, s: LambdaSet) -> LambdaSet:
        while s.merged is not None:
            s = s.merged
        return s

    def merge(self, a: LambdaSet, b: LambdaSet) -> LambdaSet:
        """Make one set of both, from the next round on."""
        a, b = self.find(a), self.find(b)
        if a is not b:
            b.merged, self.grown = a, a
            a.knots |= b.knots
            for k in b.members:
                now = self.current(k)
                assert isinstance(now, FunctionK)
                a.tag(now)
        return a

    def current(self, kind: Kind) -> Kind:
        """Return the kind with merged sets as one."""
        match kind:
            case LambdaSetK(s):
                return LambdaSetK(self.find(s))
            case UnionK(u, absent):
                while u.merged is not None and u.merged is not u:
                    u = u.merged
                return UnionK(u, absent)
            case _:
                return with_parts(kind, tuple(map(self.current, parts(kind))))


def tie(kind: Kind, at: Callable[[], LambdaSet], limit: int = 1) -> Kind:
    """Return the kind with functions that capture themselves, more than ``limit`` deep, in lambda
    sets: in the set that they capture already, else in ``at()``."""
    match kind:
        case FunctionK():
            return _tie_functions(kind, (kind,), at, limit)
        case ClosureK(alternatives):
            return _tie_functions(kind, alternatives, at, limit)
        case _:
            return with_parts(kind, tuple(tie(k, at, limit) for k in parts(kind)))


def _tie_functions(
    kind: FunctionK | ClosureK,
    alternatives: tuple[FunctionK, ...],
    at: Callable[[], LambdaSet],
    limit: int,
) -> Kind:
    nesting, knots, within = Nesting(), set[Definition](), False
    target: LambdaSet | None = None
    for k in alternatives:
        f = example(k)
        assert isinstance(f, FunctionV)
        if nesting.is_knot(f, limit):
            knots.add(f.definition)
            for found in sets_in(f):
                if any(m.root.definition is f.definition for m in found.set.members):
                    target = target or found.set
        within = within or nesting.has_knot(f, limit)
    if knots:
        target = target or at()
        target.knots |= knots
        target.add(kind)
        return LambdaSetK(target)
    if not within:
        return kind
    tied = [_tie_captures(k, at, limit) for k in alternatives]
    return tied[0] if isinstance(kind, FunctionK) else ClosureK(tuple(tied))


def _tie_captures(kind: FunctionK, at: Callable[[], LambdaSet], limit: int) -> FunctionK:
    f = example(kind)
    assert isinstance(f, FunctionV)
    for scope, name in places(f):
        value = scope.names[name]
        if (
            not isinstance(value, FunctionV)
            or (value.definition, value.scope) != (f.definition, f.scope)
        ) and Nesting().has_knot(value, limit):
            scope.names[name] = example(tie(kind_of(value), at, limit))
    made = kind_of(f)
    assert isinstance(made, FunctionK)
    return made


def tie_known(kind: FunctionK, at: Callable[[], LambdaSet]) -> FunctionK:
    """Apply ``tie`` to the captures of a function; itself it remains a known function."""
    tied = tie(kind, at)
    if isinstance(tied, LambdaSetK):
        return tied.set.members[tied.set.tag(kind)]
    assert isinstance(tied, FunctionK)
    return tied


def skeleton(kind: Kind) -> Hashable:
    """Return a kind without the captures of functions: it does not change while sets grow."""
    match kind:
        case FunctionK(_, root):
            return root.definition
        case ClosureK(alternatives):
            return frozenset(k.root.definition for k in alternatives)
        case LambdaSetK():
            return "lambda set"
        case UnionK(union):
            return union.name
        case StaticK(key):
            return key
        case _ if parts(kind):
            return (type(kind), *map(skeleton, parts(kind)))
        case _:
            return kind
