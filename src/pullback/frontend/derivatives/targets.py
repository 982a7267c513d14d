"""The function under a derivative operator: known, specialised, its parameters as atoms."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, NoReturn

from pullback import structures
from pullback.core.terms import (
    Atom,
    Block,
    Call,
    Case,
    CaseArm,
    Function,
    Inject,
    Jvp,
    Let,
    Var,
    Vjp,
)
from pullback.core.types import Array, Named, Sum, Type, Variant, has_reals
from pullback.errors import ArgumentTypeError, EndlessError, PullbackError
from pullback.frontend.derivatives.cotangents import adjoint, cotangent
from pullback.frontend.derivatives.declared_nodes import with_nodes, with_numbers
from pullback.frontend.derivatives.homes import split_classes
from pullback.frontend.functions import eta
from pullback.frontend.functions.handing import prepared
from pullback.frontend.functions.self_capture import functions, places
from pullback.frontend.interpret.given_parameters import bind
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.function_kinds import is_function
from pullback.frontend.kinds.kinds import Kind, TupleK, leaf_types
from pullback.frontend.kinds.snapshots import snapshot
from pullback.frontend.kinds.values import (
    ClosureV,
    FunctionV,
    LambdaSetV,
    OperatorV,
    RecordV,
    Specialiser,
    Static,
    TupleV,
    UnionV,
    Value,
)
from pullback.frontend.python.objects_outside import with_attributes
from pullback.frontend.python.syntax import gathering
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import ByNodes, Spec
from pullback.frontend.store.shared_memory import refuse_second_names

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MOST_CHOICES = 16


class Target:
    """A specialised function to differentiate: its arguments as atoms, and where each parameter's
    leaves stand among them. ``wanted``: which arguments it is differentiated by (``argnums``).
    ``ran``: what the function gave when it was run, once, since it updates what others see (unless
    it ``has_run``); the derivative is by the values before."""

    def __init__(
        self, run: Run, f: FunctionV, args: Sequence[Value], kwargs: dict[str, Value],
        node: ast.AST, wanted: object, has_run: bool = False,
    ) -> None:  # fmt: skip
        bound = bind(run, f, args, kwargs, node)
        names = list(bound)
        skip = len(f.bound)  # the object of a method
        self.wanted = numbers_of(run, wanted, names[skip:], node)
        numbers = positions_of(run, self.wanted, len(names) - skip, node)
        self.positions = tuple(k + skip for k in numbers)
        for k in self.positions:
            argument = with_attributes(run, bound[names[k]], node)
            bound[names[k]] = with_nodes(run, with_numbers(run, argument, node), node)
        self.spec, self.atoms, updates = prepared(run, f, bound, node)
        if updates:
            refuse_second_names(run, f, (*args, *kwargs.values()), node)
        if self.spec in run.calls.active:
            run.refuse(
                node,
                "recursion through a derivative operator: the order of derivatives would depend "
                "on data",
                "differentiate outside of the recursion",
                error=EndlessError,
            )
        self.ran = run.call(f, args, node, kwargs) if updates and not has_run else None
        if self.spec.never_returns:
            run.b.let(Call(self.spec.name, tuple(self.atoms)), (), run.site(node))
            raise Unreachable
        self.names = names
        self.run = run
        self.node = node
        self.site = run.site(node)
        assert self.spec.result is not None
        self.result: Kind = self.spec.result
        self.offsets: list[int] = []
        offset = len(list(leaf_types(self.spec.function)))
        for kind in self.spec.args:
            self.offsets.append(offset)
            offset += len(list(leaf_types(kind)))

    def wrt(self, argnum: int) -> list[int]:
        """Return the positions of the leaves of one argument that have reals."""
        kind = self.spec.args[argnum]
        self.run.declare_kind(kind)
        offset = self.offsets[argnum]
        types = leaf_types(kind)
        return [offset + k for k, t in enumerate(types) if has_reals(t, self.run.decls)]

    def _kinds(self, numbers: Sequence[int]) -> list[Kind]:
        return [self.spec.args[n] for n in numbers]

    def vjp(self, numbers: Sequence[int], seeds: Sequence[Atom]) -> tuple[list[Var], list[Value]]:
        """Return the results, and the gradients by the arguments of these numbers."""
        types = list(leaf_types(self.result))
        name, args, places = joined(self, [self.wrt(n) for n in numbers], self._kinds(numbers))
        wrt = [k for own in places for k in own.positions]
        op = Vjp(name, tuple(args), tuple(wrt), tuple(seeds))
        made = self.run.b.let(op, (*types, *(args[k].type for k in wrt)), self.site)
        rest = iter(made[len(types) :])
        gradients = []
        for n, own in zip(numbers, places, strict=False):
            cts = iter(own.opened(self.run, [next(rest) for _ in own.positions]))
            made_of = cotangent(self.run, self.spec.args[n], leaves_of(self, n), cts)
            gradients.append(adjoint(self.run, made_of, self.node))
        return list(made[: len(types)]), gradients

    def jvp(
        self, numbers: Sequence[int], *tangents: Sequence[dict[int, Atom]]
    ) -> tuple[list[Var], list[Var]]:
        """Return the results, and the tangents of those that have reals. ``tangents`` are those of
        the leaves of each argument that has one, by their positions; if there are several, they are
        the first derivatives of a path, the second ones of the same leaves, and so on."""
        types = list(leaf_types(self.result))
        self.run.declare_kind(self.result)
        name, args, places = joined(self, [list(own) for own in tangents[0]], self._kinds(numbers))
        wrt = [k for own in places for k in own.positions]
        given = [
            a
            for order in tangents
            for own, ts in zip(places, order, strict=False)
            for a in own.closed(self.run, list(ts.values()))
        ]
        out = [t for t in types if has_reals(t, self.run.decls)] * len(tangents)
        op = Jvp(name, tuple(args), tuple(wrt), tuple(given))
        made = list(self.run.b.let(op, (*types, *out), self.site))
        return made[: len(types)], made[len(types) :]


class Places:
    """Where the leaves of one argument stand among the atoms of a derivative term. Several leaves
    that have nodes stand there as one sum: nodes that they share are shared in one argument."""

    def __init__(self, leaves: Sequence[int], together: Sequence[int], joint: Sum | None) -> None:
        self.together = [leaves.index(k) for k in together]
        self.joint = joint
        self.count = len(leaves)
        self.positions: list[int] = []

    def closed(self, run: Run, atoms: Sequence[Atom]) -> list[Atom]:
        """Return one (co)tangent per position, from one per leaf."""
        rest = [a for k, a in enumerate(atoms) if k not in self.together]
        if self.joint is None:
            return rest
        op = Inject(self.joint, 0, tuple(atoms[k] for k in self.together))
        return [*rest, *run.b.let(op, (self.joint,))]

    def opened(self, run: Run, atoms: Sequence[Atom]) -> list[Atom]:
        """Return one (co)tangent per leaf, from one per position."""
        if self.joint is None:
            return list(atoms)
        fields = _fields(self.joint)
        arm = CaseArm(fields, Block((), fields))
        inside = iter(run.b.let(Case(atoms[-1], (arm,)), tuple(v.type for v in fields)))
        rest = iter(atoms)
        return [next(inside if k in self.together else rest) for k in range(self.count)]


def _fields(joint: Sum) -> tuple[Var, ...]:
    return tuple(Var("leaf", t) for t in joint.variants[0].fields)


def joined(
    target: Target, leaves: Sequence[Sequence[int]], kinds: Sequence[Kind]
) -> tuple[str, list[Atom], list[Places]]:
    """Return the function, its arguments, and the places of some of them, given by their leaves and
    kinds."""
    run, f = target.run, target.run.functions[target.spec.name]
    params = [Var(p.name, p.type) for p in f.params]
    groups = [[k for k in own if _has_nodes(params[k].type)] for own in leaves]
    groups = [own if len(own) > 1 else [] for own in groups]
    inside = {k for own in groups for k in own}
    kept = [k for k in range(len(params)) if k not in inside]
    args: list[Atom] = [target.atoms[k] for k in kept]
    places = []
    outer = [params[k] for k in kept]
    lets: list[Let] = []
    for own, together in zip(leaves, groups, strict=False):
        joint = None
        if together:
            types = tuple(params[k].type for k in together)
            joint = Sum((Variant("argument", types),))
        place = Places(own, together, joint)
        place.positions = [kept.index(k) for k in own if k not in inside]
        if joint is not None:
            place.positions.append(len(args))
            op = Inject(joint, 0, tuple(target.atoms[k] for k in together))
            args += run.b.let(op, (joint,))
            outer.append(Var("argument", joint))
            fields = _fields(joint)
            case = Case(outer[-1], (CaseArm(fields, Block((), fields)),))
            lets.append(Let(tuple(params[k] for k in together), case))
        places.append(place)
    name = f"{f.name}.joined.{len(run.functions)}" if inside else f.name
    if any(_has_nodes(params[k].type) for own in leaves for k in own):
        gives_nodes = any(map(_has_nodes, f.results))
        mixed = any(own and split_classes(k) for own, k in zip(leaves, kinds, strict=False))
        run.by_nodes.append(ByNodes(name, gives_nodes, mixed, target.site))
    if not inside:
        return name, args, places
    results = tuple(Var("t", t) for t in f.results)
    lets.append(Let(results, Call(f.name, tuple(params))))
    run.functions[name] = Function(name, tuple(outer), Block(tuple(lets), results), f.results)
    return name, args, places


def _has_nodes(t: Type) -> bool:
    match t:
        case Array(elem, _):
            return _has_nodes(elem)
        case Sum(variants):
            return any(_has_nodes(f) for v in variants for f in v.fields)
        case _:
            return isinstance(t, Named)


def known(
    run: Run,
    f: Value,
    given: tuple[int, Sequence[str]],
    then: Callable[[FunctionV], Value],
    node: ast.AST,
) -> Value:
    """Return ``then`` of the function that ``f`` is, with one parameter per argument: ``given``
    says how many there are, and their keywords."""
    match f:
        case FunctionV(definition) if not gathering(definition.node):
            return _each_choice(run, f, then, node)
        case ClosureV():
            return run.case_closure(f, lambda g: known(run, g, given, then, node), node)
        case OperatorV() if (chosen := _chosen(f)) is not None:
            return run.case_closure(
                chosen, lambda g: known(run, _with_chosen(f, g), given, then, node), node
            )
        case FunctionV() | LambdaSetV() | OperatorV() | RecordV() | UnionV():
            pass
        case Static() if is_function(kind_of(f)):
            pass
        case _:
            run.refuse(
                node,
                f"{run.describe(f)} cannot be differentiated",
                "pass a function",
                error=ArgumentTypeError,
            )
    count, keywords = given
    outer = run.frame.definition
    assert outer is not None
    return then(eta.of_arity(f, _names(f, count, keywords), keywords, outer, node))


def _chosen(operator: OperatorV) -> ClosureV | None:
    """Return the function under operators, if it was chosen at run time."""
    inner: Value = operator
    while isinstance(inner, OperatorV):
        inner = inner.function
    return inner if isinstance(inner, ClosureV) else None


def _with_chosen(operator: OperatorV, f: FunctionV) -> OperatorV:
    inner = operator.function
    within = _with_chosen(inner, f) if isinstance(inner, OperatorV) else f
    return OperatorV(operator.name, within, operator.options, operator.args)


def _each_choice(
    run: Run, f: FunctionV, then: Callable[[FunctionV], Value], node: ast.AST
) -> Value:
    """Return ``then`` of ``f`` with the functions known that it captured and that were chosen at
    run time: derivatives cannot take a choice as an argument."""
    frozen_f = snapshot(f)
    choices = [
        (scope, name)
        for scope, name in dict.fromkeys(p for g in functions(frozen_f) for p in places(g))
        if isinstance(scope.names[name], ClosureV)
    ]
    known_values = [scope.names[name] for scope, name in choices]
    if not choices or prod(len(v.kinds) for v in _closures(known_values)) > _MOST_CHOICES:
        return then(f)

    def choose(k: int) -> Value:
        if k == len(choices):
            return then(snapshot(frozen_f))
        scope, name = choices[k]
        (chosen,) = _closures(known_values[k : k + 1])

        def one(g: FunctionV) -> Value:
            scope.names[name] = g
            return choose(k + 1)

        return run.case_closure(chosen, one, node)

    return choose(0)


def _closures(values: Sequence[Value]) -> list[ClosureV]:
    return [v for v in values if isinstance(v, ClosureV)]


def _names(f: Value, count: int, keywords: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the arguments for messages: those of the user's function under
    operators."""
    while isinstance(f, OperatorV):
        f = f.function
    if isinstance(f, FunctionV) and not f.bound:
        spec = f.definition.node.args
        names = [p.arg for p in (*spec.posonlyargs, *spec.args)][:count]
        if len(names) == count and not set(names) & set(keywords):
            return tuple(names)
    return tuple(f"a{k}" for k in range(count))


def numbers_of(
    sp: Specialiser, argnums: object, names: Sequence[str], node: ast.AST
) -> structures.Numbers:
    """Return the arguments that ``argnums`` means."""
    try:
        return structures.argument_numbers(argnums, names)
    except PullbackError as e:
        sp.refuse(node, e.reason, e.rewrite, error=type(e))


def positions_of(
    sp: Specialiser, numbers: structures.Numbers, count: int, node: ast.AST
) -> tuple[int, ...]:
    """Return their positions among so many arguments."""
    try:
        return structures.checked(count, numbers)
    except PullbackError as e:
        sp.refuse(node, e.reason, e.rewrite, error=type(e))


def require_gradients(target: Target, node: ast.AST) -> None:
    """Refuse an argument without real numbers among those that are wanted."""
    for n in target.positions:
        if not target.wrt(n):
            target.run.refuse(
                node,
                f"the argument {target.names[n]!r} is {describe(target.spec.args[n])}: it has no "
                "gradient",
                "pass floats, arrays of floats, or data that has some",
                error=ArgumentTypeError,
            )


def take_aux(run: Run, target: Target, node: ast.AST) -> Value:
    """Return the second result, from a call of its own; from then on the target gives the first
    only."""
    spec, whole = target.spec, target.ran
    types = tuple(leaf_types(target.result))
    drop_aux(run, target, node)
    if whole is None:
        made = run.b.let(Call(spec.name, tuple(target.atoms)), types, run.site(node))
        whole = run.calls.result(spec, list(made), [])
    assert isinstance(whole, TupleV)
    return whole.items[1]


def refuse_no_aux(run: Run, node: ast.AST) -> NoReturn:
    """Refuse a function that does not return a tuple of two."""
    run.refuse(node, "with has_aux the function must return (value, aux)", error=ArgumentTypeError)


def drop_aux(run: Run, target: Target, node: ast.AST) -> None:
    """Let the target give the first of two results only."""
    kind, spec = target.result, target.spec
    if not (isinstance(kind, TupleK) and len(kind.items) == 2):
        refuse_no_aux(run, node)
    types = tuple(leaf_types(kind))
    function = run.functions[spec.name]
    first = len(list(leaf_types(kind.items[0])))
    name = f"{spec.name}.value"
    params = tuple(Var(p.name, p.type) for p in function.params)
    results = tuple(Var("t", t) for t in types)
    body = Block((Let(results, Call(spec.name, params)),), results[:first])
    run.functions[name] = Function(name, params, body, types[:first])
    target.spec = Spec(spec.definition, name, spec.function, spec.args, kind.items[0])
    target.result = kind.items[0]


def leaves_of(target: Target, argnum: int) -> Iterator[Atom]:
    offset = target.offsets[argnum]
    n = len(list(leaf_types(target.spec.args[argnum])))
    return iter(target.atoms[offset : offset + n])
