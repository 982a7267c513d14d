"""Calls of functions with a rule of the user's own: ``Ruled`` of Core, and the functions that it
names.

These are made once for each kind of the function, its rule and the arguments: the function itself,
and what its rule does, with the kinds of its results checked. They have the leaves of all captured
values and arguments as parameters, and read hidden arguments of the whole program where they are;
``functions.closing`` makes parameters of these. A rule may call the function that it is the rule
of: what is known of that by then, its name and the kind of its result, is all that a call needs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pullback.core.build import Builder, lit
from pullback.core.frozen import dataclass, field
from pullback.core.quiet import quiet_name
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Function,
    Let,
    Pulls,
    Pushes,
    Ruled,
    Var,
    Vjp,
)
from pullback.core.types import I64, Array, Real, Type, has_reals
from pullback.errors import ArgumentTypeError, PullbackError
from pullback.frontend.derivatives.cotangents import (
    adjoint,
    check_shapes,
    cotangent,
    extents,
    matching,
    with_zeros,
)
from pullback.frontend.derivatives.implicit import IMPLICIT, implicit_tangent
from pullback.frontend.functions.scopes import Scope
from pullback.frontend.interpret.given_parameters import bind
from pullback.frontend.kinds.coerce import coerce, tightened
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import flatten, kind_of, rebuild
from pullback.frontend.kinds.join import generalise
from pullback.frontend.kinds.kinds import FunctionK, Kind, StaticK, TupleK, leaf_types
from pullback.frontend.kinds.values import (
    REGISTRY,
    FunctionV,
    OperatorV,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.python.syntax import gathering
from pullback.frontend.run import Run
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Frame


@dataclass
class Entry:
    """A function with a rule, for kinds of its captures and arguments: the names of the functions
    of Core, the kind of the result, the positions that have a derivative."""

    name: str
    function: str
    rule: Pushes | Pulls
    wrt: tuple[int, ...]
    names: tuple[str, ...]
    result: Kind
    notes: list[str] = field(default_factory=list)


@dataclass
class Parts:
    """What a wrapper is made from: its parameters, and what they are: the functions, the arguments
    that have no derivative, and the others with their positions."""

    params: list[Var]
    functions: tuple[Value, ...]
    args: tuple[Value, ...]
    fixed: tuple[int, ...]

    @property
    def nondiff(self) -> tuple[Value, ...]:
        return tuple(self.args[i] for i in self.fixed)

    @property
    def diff(self) -> tuple[Value, ...]:
        return tuple(v for i, v in enumerate(self.args) if i not in self.fixed)


class _Maker:
    """The functions of one entry, being made."""

    def __init__(
        self, run: Run, operator: OperatorV, kind: Kind, names: Sequence[str], node: ast.AST
    ) -> None:
        self.run, self.operator, self.kind, self.node = run, operator, kind, node
        self.names = tuple(names)
        (fixed,) = operator.options
        assert isinstance(fixed, tuple)
        self.fixed = fixed
        functions = operator.function
        assert isinstance(functions, TupleV)
        self.f = functions.items[0]
        name = self.f.definition.name if isinstance(self.f, FunctionV) else "function"
        self.name = "lambda" if name == "<lambda>" else name

    def parts(self) -> Parts:
        """Return fresh parameters, and what they carry."""
        params = [Var("x", t) for t in leaf_types(self.kind)]
        whole = rebuild(self.kind, iter(params))
        assert isinstance(whole, TupleV)
        functions, args = whole.items
        assert isinstance(functions, TupleV) and isinstance(args, TupleV)
        return Parts(params, functions.items, args.items, self.fixed)

    def refuse(self, reason: str, rewrite: str = "") -> None:
        self.run.refuse(
            self.node, f"the rule of {self.name!r} {reason}", rewrite, error=ArgumentTypeError
        )

    @contextmanager
    def apart(self) -> Iterator[Builder]:
        """Make a function of its own, which reads the hidden arguments of the whole program."""
        run = self.run
        frame = Frame(run.frame.definition, Scope({}), hidden=run.frames[0].hidden)
        run.frames.append(frame)
        try:
            with run.building(Builder()) as b:
                frame.depth = len(run.builders)
                yield b
        finally:
            run.frames.pop()

    def enter(self, name: str, params: Sequence[Var], b: Builder, atoms: Sequence[Atom]) -> None:
        types = tuple(a.type for a in atoms)
        self.run.functions[name] = Function(name, tuple(params), b.block(tuple(atoms)), types)

    # -- the function itself ------------------------------------------------------------------

    def primal(self, name: str) -> Kind | None:
        """Make the function; return the kind of its result, None if it never returns."""
        parts = self.parts()
        with self.apart() as b:
            try:
                value = self.run.call(parts.functions[0], parts.args, self.node)
                value = tightened(self.run, self.run.handed(value, self.node), self.node)
            except Unreachable:
                return None
            value = coerce(self.run, value, generalise(kind_of(value)), self.node)
            flat = flatten(value)
            self.run.declare_kind(flat.kind)
            self.enter(name, parts.params, b, flat.atoms)
        return flat.kind

    # -- rules for tangents -------------------------------------------------------------------

    def pushed(self, name: str, result: Kind, wrt: Sequence[int]) -> None:
        """Make the function (arguments, tangents) -> (results, tangents) of a rule for tangents."""
        run, node, parts = self.run, self.node, self.parts()
        tangents = [Var("t", parts.params[k].type) for k in wrt]
        with self.apart() as b:
            given = iter(tangents)
            moved = TupleV(tuple(
                cotangent(run, kind_of(v), iter(flatten(v).atoms), given) for v in parts.diff
            ))  # fmt: skip
            value, tangent = self.tangent_of(parts, moved)
            value = coerce(run, value, result, node)
            atoms = flatten(value).atoms
            real = [a for a in atoms if has_reals(a.type, run.decls)]
            along = self.leaves(result, tangent, extents(run, real), "tangent")
            self.enter(name, (*parts.params, *tangents), b, (*atoms, *along))

    def tangent_of(self, parts: Parts, tangents: TupleV) -> tuple[Value, Value]:
        """Call the rule."""
        run, node = self.run, self.node
        if self.operator.name == "custom_jvp":
            both = TupleV(parts.diff), tangents
            made = run.call(parts.functions[1], (*parts.nondiff, *both), node)
            if not isinstance(made, TupleV) or len(made.items) != 2:
                self.refuse(f"gives {run.describe(made)}", "return (out, tangent_out)")
            assert isinstance(made, TupleV)
            return made.items[0], made.items[1]
        whole = OperatorV(self.operator.name, TupleV(parts.functions), self.operator.options)
        if self.operator.name in IMPLICIT:
            if self.fixed:
                self.refuse("is implicit, and has arguments without a derivative")
            value = run.call(whole, parts.args, node)
            return value, implicit_tangent(
                run, self.operator.name, parts.functions[1], value, parts.args, tangents.items, node
            )
        rules = parts.functions[1:]
        if len(rules) != len(parts.args):
            self.refuse(
                f"has {len(rules)} parts for {len(parts.args)} arguments", "None stands for zero"
            )
        value = run.call(whole, parts.args, node)
        total: Value = Static(None)
        moved = iter(tangents.items)
        for i, rule in enumerate(rules):
            t = next(moved) if i not in self.fixed else Static(None)
            if isinstance(rule, Static) and rule.value is None:
                continue
            if isinstance(t, Static) and t.value is None:
                continue
            if self.operator.name == "primitive":
                term = run.binop("*", run.call(rule, parts.args, node), t, node)
            else:
                term = run.call(rule, (t, value, *parts.args), node)
            none = isinstance(total, Static)
            total = term if none else run.binop("+", total, term, node)
        return value, total

    # -- rules for cotangents -----------------------------------------------------------------

    def pulled(self, forward: str, backward: str, result: Kind, wrt: Sequence[int]) -> None:
        """Make the two functions of a rule for cotangents."""
        run, node, parts = self.run, self.node, self.parts()
        with self.apart() as b:
            made = run.call(parts.functions[1], parts.args, node)
            if not isinstance(made, TupleV) or len(made.items) != 2:
                self.refuse(
                    f"gives {run.describe(made)} in its first half", "return (out, residuals)"
                )
            assert isinstance(made, TupleV)
            atoms = flatten(coerce(run, made.items[0], result, node)).atoms
            discrete = [a for a in atoms if not has_reals(a.type, run.decls)]
            residuals = tightened(run, run.handed(made.items[1], node), node)
            kept = flatten(TupleV((parts.functions[2], TupleV(parts.nondiff), residuals)))
            shapes = extents(run, [parts.params[k] for k in wrt])
            self.enter(forward, parts.params, b, (*atoms, *discrete, *kept.atoms, *shapes))
        types = [a.type for a in (*discrete, *kept.atoms, *shapes)]
        params = [Var("r", t) for t in types]
        n, m = len(discrete), len(discrete) + len(kept.atoms)
        real = [t for t in leaf_types(result) if has_reals(t, run.decls)]
        seeds = [Var("ct", t) for t in real]
        kinds = [kind_of(v) for v in parts.diff]
        with self.apart() as b:
            whole = rebuild(kept.kind, iter(params[n:m]))
            assert isinstance(whole, TupleV)
            bwd, nondiff, again = whole.items
            assert isinstance(nondiff, TupleV)
            ct = adjoint(run, self.seed(result, iter(params[:n]), iter(seeds)), node)
            made = run.call(bwd, (*nondiff.items, again, ct), node)
            if not isinstance(made, TupleV) or made.is_list or len(made.items) != len(kinds):
                self.refuse(
                    f"gives {run.describe(made)} as the cotangents of {len(kinds)} "
                    f"argument{'s' if len(kinds) > 1 else ''}",
                    "return a tuple with one cotangent for each argument: (ct,)",
                )
            assert isinstance(made, TupleV)
            out: list[Atom] = []
            shapes = list(params[m:])
            for kind, item in zip(kinds, made.items, strict=False):
                count = sum(_rank(t) for t in leaf_types(kind) if has_reals(t, run.decls))
                item = adjoint(run, item, node)
                out += self.leaves(kind, item, shapes[:count], "cotangent")
                shapes = shapes[count:]
            self.enter(backward, (*params, *seeds), b, out)

    def again(self, function: str, forward: str, backward: str, wrt: Sequence[int]) -> None:
        """Make the rule of a function that is run again: its arguments are the residuals."""
        known = self.run.functions[function]
        params = tuple(Var(p.name, p.type) for p in known.params)
        outs = tuple(Var("t", t) for t in known.results)
        body = Block((Let(outs, Call(function, params)),), (*outs, *params))
        types = (*known.results, *(p.type for p in params))
        self.run.functions[forward] = Function(forward, params, body, types)
        params = tuple(Var(p.name, p.type) for p in known.params)
        seeds = tuple(Var("ct", t) for t in known.results if has_reals(t, self.run.decls))
        made = tuple(Var("t", t) for t in (*known.results, *(params[k].type for k in wrt)))
        again = Vjp(quiet_name(function), params, tuple(wrt), seeds)
        let = Let(made, again, self.run.site(self.node))
        cts = made[len(known.results) :]
        types = tuple(v.type for v in cts)
        back = Function(backward, (*params, *seeds), Block((let,), cts), types)
        self.run.functions[backward] = back

    def seed(self, kind: Kind, discrete: Iterator[Atom], seeds: Iterator[Atom]) -> Value:
        """Return the cotangent of a result of this kind."""
        reals = [has_reals(t, self.run.decls) for t in leaf_types(kind)]
        leaves = [lit(0.0, t) if on and isinstance(t, Real) else None if on else next(discrete)
                  for t, on in zip(leaf_types(kind), reals, strict=True)]  # fmt: skip
        return cotangent(self.run, kind, iter(leaves), seeds)  # type: ignore[arg-type]  # has None

    def leaves(
        self, kind: Kind, value: Value, shape: Sequence[Atom], what: str
    ) -> list[Atom]:
        """Return the leaves of a tangent or cotangent for a value of a kind; None is zero."""
        run, node = self.run, self.node
        real = [t for t in leaf_types(kind) if has_reals(t, run.decls)]
        if isinstance(value, Static) and value.value is None:
            at = iter(shape)
            return [self.zero(t, [next(at) for _ in range(_rank(t))]) for t in real]
        if not real:
            return []
        try:
            given = list(matching(run, kind, value, node))
        except PullbackError:
            self.refuse(
                f"gives {run.describe(value)} as the {what} of {describe(kind)}",
                "give it the same structure",
            )
        found = with_zeros(run, kind, given, shape, node)
        other = f"the rule of {self.name!r} gives a {what} of another shape than its array"
        check_shapes(run, found, shape, node, other)
        return found

    def zero(self, t: Type, shape: Sequence[Atom]) -> Atom:
        """Return the zero of a type."""
        if isinstance(t, Real):
            return lit(0.0, t)
        if not (isinstance(t, Array) and isinstance(t.elem, Real)):
            self.refuse("gives None for data that is neither a number nor an array")
        assert isinstance(t, Array)
        indices = tuple(Var("i", I64) for _ in range(t.rank))
        body = Block((), (lit(0.0, t.elem),))
        return self.run.b.let(Build(tuple(shape), indices, body), (t,))[0]


def _rank(t: Type) -> int:
    return t.rank if isinstance(t, Array) and isinstance(t.elem, Real) else 0


def _names(kind: Kind, name: str) -> Iterator[str]:
    """Return the names of the leaves of a value; those of a function are named by its captures."""
    match kind:
        case TupleK(items):
            for k in items:
                yield from _names(k, name)
        case FunctionK(scopes):
            count = 0
            for scope in scopes:
                for n, k in scope.names:
                    for leaf in _names(k, repr(n)):
                        count += 1
                        yield leaf
            for _ in range(len(list(leaf_types(kind))) - count):
                yield name
        case _:
            yield from (name for _ in leaf_types(kind))


def _entry(run: Run, operator: OperatorV, values: Sequence[Value], names: Sequence[str],
           node: ast.AST) -> Entry | None:  # fmt: skip
    """Return the entry for these kinds, made at the first request; None: the function raises."""
    whole = kind_of(TupleV((operator.function, TupleV(tuple(values)))))
    key = (operator.name, operator.options, whole)
    if key in run.rules:
        found = run.rules[key]
        assert found is None or isinstance(found, Entry)
        return found
    maker = _Maker(run, operator, whole, names, node)
    number = len(run.rules) + 1
    function = f"{maker.name}.function.{number}"
    result = maker.primal(function)
    if result is None:
        run.rules[key] = None
        return None
    assert isinstance(whole, TupleK)
    functions, args = whole.items
    assert isinstance(args, TupleK)
    leaf_names = list(_names(functions, "a captured value"))
    wrt: list[int] = []
    if operator.name == "checkpoint":  # what it does is known by everything
        run.declare_kind(functions)
        types = enumerate(leaf_types(functions))
        wrt += [k for k, t in types if has_reals(t, run.decls)]
    for i, (kind, name) in enumerate(zip(args.items, names, strict=True)):
        run.declare_kind(kind)
        for t, leaf in zip(leaf_types(kind), _names(kind, repr(name)), strict=True):
            if i not in maker.fixed and has_reals(t, run.decls):
                wrt.append(len(leaf_names))
            leaf_names.append(leaf)
    rule: Pushes | Pulls
    if operator.name in ("custom_vjp", "checkpoint"):
        rule = Pulls(maker.name, f"{maker.name}.forward.{number}", f"{maker.name}.back.{number}")
    else:
        rule = Pushes(maker.name, f"{maker.name}.tangent.{number}")
    made = Entry(maker.name, function, rule, tuple(wrt), tuple(leaf_names), result)
    run.rules[key] = made
    try:
        if isinstance(rule, Pulls) and operator.name == "checkpoint":
            maker.again(function, rule.forward, rule.backward, wrt)
        elif isinstance(rule, Pulls):
            maker.pulled(rule.forward, rule.backward, result, wrt)
        else:
            maker.pushed(rule.tangent, result, wrt)
    except Unreachable:
        del run.rules[key]
        run.refuse(node, f"the rule of {maker.name!r} always raises an error")
    except PullbackError as e:
        del run.rules[key]
        e.add_note(f"in the rule of {maker.name!r}")
        raise
    except BaseException:
        del run.rules[key]
        raise
    return made


def _call(
    sp: Specialiser, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Compile a call of a function with a rule."""
    assert isinstance(sp, Run) and isinstance(operator.function, TupleV)
    run, f = sp, operator.function.items[0]
    if len(operator.function.items) == 1 and operator.name != "checkpoint":
        define = "defvjp(fwd, bwd)" if operator.name == "custom_vjp" else "defjvp(rule)"
        run.refuse(
            node, f"a function of pb.{operator.name} without a rule", f"say it before: f.{define}"
        )
    values: list[Value]
    if isinstance(f, FunctionV):
        bound = bind(run, f, args, kwargs, node)
        if f.bound or gathering(f.definition.node):
            run.refuse(node, f"pb.{operator.name} of a method, or of a function with *args",
                       "give a rule to a function with a fixed number of arguments")  # fmt: skip
        names, values = list(bound), list(bound.values())
        f = FunctionV(f.definition, f.scope)
        operator = OperatorV(
            operator.name, TupleV((f, *operator.function.items[1:])), operator.options
        )
    elif kwargs:
        run.refuse(node, f"keyword arguments of a function with pb.{operator.name}")
    else:
        names, values = [f"argument {i}" for i in range(len(args))], list(args)
    (fixed,) = operator.options
    assert isinstance(fixed, tuple)
    if any(i >= len(values) for i in fixed):
        run.refuse(node, f"nondiff_argnums={fixed} of a function of {len(values)} arguments",
                   error=ArgumentTypeError)  # fmt: skip
    for i, v in enumerate(values):
        v = tightened(run, run.handed(v, node), node)
        kind = kind_of(v)
        if i not in fixed and not _is_flag(kind):
            v = coerce(run, v, generalise(kind), node)
        values[i] = v
    entry = _entry(run, operator, values, names, node)
    if entry is None:
        return run.call(f, values, node)
    atoms = tuple(flatten(TupleV((operator.function, TupleV(tuple(values))))).atoms)
    op = Ruled(entry.function, atoms, entry.wrt, entry.rule, entry.names)
    made = run.b.let(op, tuple(leaf_types(entry.result)), run.site(node))
    return rebuild(entry.result, iter(made))


def _is_flag(kind: Kind) -> bool:
    return isinstance(kind, StaticK) and not isinstance(kind.value, (int, float))


_RULED = ("custom_vjp", "custom_jvp", "custom_jvps", "primitive", "checkpoint")
for _name in (*_RULED, *sorted(IMPLICIT)):
    REGISTRY.operators[_name] = _call

__all__ = ["Entry"]
