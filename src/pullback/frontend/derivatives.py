"""Derivative operators inside compiled code: ``pb.grad(g)(x)`` becomes a Vjp of Core, and so on.

An operator object of the interface has ``__pullback_operator__ = (name, function, *options)`` with
options ``(argnums, has_aux)``; ``register_operators`` tells which callables make such objects. What
the function captured is part of its input (its first parameters), so derivatives outside flow into
it as they should.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import lit
from pullback.core.terms import Atom, Block, Call, Function, Jvp, Let, Var, Vjp
from pullback.core.types import Array, Real, Type
from pullback.errors import ArgumentTypeError, EndlessError
from pullback.frontend.calls import bind
from pullback.frontend.flatten import flatten, frozen
from pullback.frontend.functions import Spec
from pullback.frontend.kinds import (
    ArrayK,
    Kind,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    describe,
    leaf_types,
)
from pullback.frontend.signals import Unreachable
from pullback.frontend.values import (
    CALLS,
    REGISTRY,
    ArrayV,
    ClosureV,
    FunctionV,
    ListV,
    OperatorV,
    Owner,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    index_scalar,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.source import Definition


def register_operators(**makers: Hashable) -> None:
    """Tell the front end which callables ``grad``, ``value_and_grad``, ``vjp`` and ``jvp`` are.

    ``register_operators(grad=pb.grad, vjp=pb.vjp, ...)``; other names are refused in compiled code
    with a message of their own."""
    known: dict[str, Callable[..., Value]] = {
        "grad": lambda sp, args, kwargs, node: _make(sp, "grad", args, kwargs, node),
        "value_and_grad": lambda sp, args, kwargs, node: _make(
            sp, "value_and_grad", args, kwargs, node
        ),
        "vjp": _vjp,
        "jvp": _jvp,
        "jit": lambda sp, args, kwargs, node: OperatorV("jit", args[0]),
    }
    for name, maker in makers.items():
        CALLS[maker] = known[name] if name in known else _refused(name)


def _refused(name: str) -> Callable[..., Value]:
    def refuse(
        sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value:
        sp.refuse(
            node,
            f"pb.{name} inside compiled code is not supported yet",
            "use grad, value_and_grad, vjp or jvp",
        )

    return refuse


def _run_of(sp: Specialiser) -> Run:
    from pullback.frontend.run import Run

    assert isinstance(sp, Run)
    return sp


def _make(
    sp: Specialiser, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """``pb.grad(f, argnums=0, has_aux=False)``"""
    given = dict(zip(("f", "argnums", "has_aux"), args)) | kwargs
    unknown = set(given) - {"f", "argnums", "has_aux", "method"}
    if unknown or "f" not in given:
        sp.refuse(node, f"these arguments of pb.{name} are not supported in compiled code")
    argnums = sp.static(given.get("argnums", Static(0)), node, "argnums")
    has_aux = bool(sp.static(given.get("has_aux", Static(False)), node, "has_aux"))
    return OperatorV(name, given["f"], (argnums, has_aux))


# --- the function under the operator --------------------------------------------------------------


class _Target:
    """A specialised function to differentiate: its arguments as atoms, and where each parameter's
    leaves stand among them."""

    def __init__(
        self, run: Run, f: FunctionV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> None:
        bound = bind(run, f, args, kwargs, node)
        self.spec, self.atoms, _ = run.calls.prepare(f, bound, node)
        if self.spec in run.calls.active:
            run.refuse(
                node,
                "recursion through a derivative operator: the order of derivatives would depend "
                "on data",
                "differentiate outside of the recursion",
                error=EndlessError,
            )
        if self.spec.never_returns:
            raise Unreachable
        self.names = list(bound)
        assert self.spec.result is not None
        self.result: Kind = self.spec.result
        self.offsets: list[int] = []
        offset = len(list(leaf_types(self.spec.function)))
        for kind in self.spec.args:
            self.offsets.append(offset)
            offset += len(list(leaf_types(kind)))

    def wrt(self, argnum: int) -> list[int]:
        """The positions of the real leaves of one argument."""
        offset = self.offsets[argnum]
        types = leaf_types(self.spec.args[argnum])
        return [offset + k for k, t in enumerate(types) if is_real(t)]


def is_real(t: Type) -> bool:
    """A real number or an array of them: what has a cotangent of its own."""
    return isinstance(t, Real) or (isinstance(t, Array) and isinstance(t.elem, Real))


def _known(
    run: Run, f: Value, then: Callable[[FunctionV], Value], node: ast.AST
) -> Value:
    match f:
        case FunctionV():
            return then(f)
        case ClosureV():
            return run.case_closure(f, then, node)
        case OperatorV():
            return then(_as_function(run, f, node))
        case _:
            run.refuse(
                node,
                f"{run.describe(f)} cannot be differentiated",
                "pass a function",
                error=ArgumentTypeError,
            )


def _as_function(run: Run, operator: OperatorV, node: ast.AST) -> FunctionV:
    """``grad(g)`` as a function of one's own, so that it can be differentiated again."""
    from pullback.frontend.scopes import Scope
    from pullback.frontend.source import Definition

    inner = operator.function
    while isinstance(inner, OperatorV):
        inner = inner.function
    if not isinstance(inner, FunctionV) or operator.args:
        run.refuse(node, "only functions and grad of functions can be differentiated again")
    like = inner.definition.node
    names = [p.arg for p in (*like.args.posonlyargs, *like.args.args)]
    names = names[len(inner.bound) :]
    call = ast.Call(
        ast.Name("$operator", ast.Load()), [ast.Name(n, ast.Load()) for n in names], []
    )
    parameters = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    body = ast.fix_missing_locations(ast.copy_location(ast.Lambda(parameters, call), like))
    key = (like, operator.name, operator.options)
    definition = _WRAPPERS.get(key)
    if definition is None:
        old = inner.definition
        definition = _WRAPPERS[key] = Definition(
            body, old.file, f"{operator.name}_{old.name}", old.qualname, old.globals, old.lines
        )
    defaults = inner.defaults
    return FunctionV(
        definition, Scope({"$operator": operator}, None, live=False), defaults, inner.kw_defaults
    )


_WRAPPERS: dict[Hashable, Definition] = {}


def _argnums(run: Run, target: _Target, wanted: object, node: ast.AST) -> list[int]:
    numbers = wanted if isinstance(wanted, tuple) else (wanted,)
    found = []
    for n in numbers:
        if not isinstance(n, int) or not -len(target.names) <= n < len(target.names):
            run.refuse(
                node, f"argnums {wanted!r} does not name an argument", error=ArgumentTypeError
            )
        found.append(n % len(target.names))
    for n in found:
        if not target.wrt(n):
            run.refuse(
                node,
                f"the argument {target.names[n]!r} is {describe(target.spec.args[n])}: it has no "
                "gradient",
                "pass a float or an array of floats",
                error=ArgumentTypeError,
            )
    return found


def _grad(
    sp: Specialiser,
    operator: OperatorV,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """The call of ``pb.grad(f)`` or ``pb.value_and_grad(f)``."""
    run = _run_of(sp)
    argnums, has_aux = operator.options if len(operator.options) == 2 else (0, False)

    def differentiate(f: FunctionV) -> Value:
        target = _Target(run, f, args, kwargs, node)
        aux: Value | None = None
        if has_aux:
            aux = _aux(run, target, node)
        value, gradient = _scalar_vjp(run, target, argnums, node)
        if operator.name == "grad":
            return TupleV((gradient, aux)) if aux is not None else gradient
        return TupleV((TupleV((value, aux)) if aux is not None else value, gradient))

    return _known(run, operator.function, differentiate, node)


def _aux(run: Run, target: _Target, node: ast.AST) -> Value:
    """The second result, from a call of its own; from then on the target gives the first only."""
    kind = target.result
    if not (isinstance(kind, TupleK) and len(kind.items) == 2):
        run.refuse(
            node, "with has_aux the function must return (value, aux)", error=ArgumentTypeError
        )
    spec = target.spec
    types = tuple(leaf_types(kind))
    made = run.b.let(Call(spec.name, tuple(target.atoms)), types, run.site(node))
    whole = run.calls.result(spec, list(made), [])
    assert isinstance(whole, TupleV)
    function = run.functions[spec.name]
    first = len(list(leaf_types(kind.items[0])))
    name = f"{spec.name}.value"
    params = tuple(Var(p.name, p.type) for p in function.params)
    results = tuple(Var("t", t) for t in types)
    body = Block((Let(results, Call(spec.name, params)),), results[:first])
    run.functions[name] = Function(name, params, body, types[:first])
    target.spec = Spec(spec.definition, name, spec.function, spec.args, kind.items[0])
    target.result = kind.items[0]
    return whole.items[1]


def _scalar_vjp(
    run: Run, target: _Target, argnums: object, node: ast.AST
) -> tuple[Value, Value]:
    kind = target.result
    real = isinstance(kind, ScalarK) and isinstance(kind.type, Real)
    constant = isinstance(kind, StaticK) and isinstance(kind.value, float)
    if not real and not constant:
        run.refuse(
            node,
            f"the gradient of a function that returns {describe(kind)}",
            "return one float",
            error=ArgumentTypeError,
        )
    numbers = _argnums(run, target, argnums, node)
    wrt = [k for n in numbers for k in target.wrt(n)]
    types = list(leaf_types(kind))
    seeds = tuple(lit(1.0, t) for t in types)
    cts = [target.atoms[k].type for k in wrt]
    op = Vjp(target.spec.name, tuple(target.atoms), tuple(wrt), seeds)
    made = run.b.let(op, (*types, *cts), run.site(node))
    value: Value
    if isinstance(kind, ScalarK):
        value = Scalar(made[0], kind.py)
    else:
        assert isinstance(kind, StaticK)
        value = Static(kind.value)
    rest = iter(made[len(types) :])
    gradients = tuple(
        cotangent(target.spec.args[n], _leaves_of(target, n), rest) for n in numbers
    )
    return value, TupleV(gradients) if isinstance(argnums, tuple) else gradients[0]


def _leaves_of(target: _Target, argnum: int) -> Iterator[Atom]:
    offset = target.offsets[argnum]
    n = len(list(leaf_types(target.spec.args[argnum])))
    return iter(target.atoms[offset : offset + n])


def cotangent(kind: Kind, primal: Iterator[Atom], cts: Iterator[Atom]) -> Value:
    """A gradient in the shape of its argument: discrete leaves are None."""
    match kind:
        case ScalarK(t, py):
            next(primal)
            return Scalar(next(cts), py) if isinstance(t, Real) else Static(None)
        case ArrayK(elem):
            next(primal)
            return _fresh(next(cts)) if isinstance(elem, Real) else Static(None)
        case TupleK(items, is_list):
            return TupleV(tuple(cotangent(k, primal, cts) for k in items), is_list)
        case RecordK(cls, fields):
            return RecordV(cls, {n: cotangent(k, primal, cts) for n, k in fields})
        case ListK(elem):
            length = next(primal)
            types = list(leaf_types(elem))
            for _ in types:
                next(primal)
            if all(isinstance(u, Real) for u in types):
                return ListV(length, elem, tuple(next(cts) for _ in types))
            return Static(None)
        case _:
            for _ in leaf_types(kind):
                next(primal)
            return Static(None)


def _fresh(atom: Atom) -> ArrayV:
    return ArrayV(atom, frozenset({Owner()}), True)


# --- vjp and jvp ----------------------------------------------------------------------------------


def _vjp(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """``pb.vjp(f, *primals)``: the value, and the pullback as a function value."""
    run = _run_of(sp)
    if not args or set(kwargs) - {"has_aux"} or "has_aux" in kwargs:
        run.refuse(node, "pb.vjp in compiled code takes a function and its arguments only")
    f, primals = args[0], tuple(args[1:])
    value = run.call(f, primals, node)
    shape = TupleV(tuple(map(index_scalar, _extents(run, flatten(value).atoms))))
    here = OperatorV("pullback", frozen(f), (), (TupleV(tuple(map(frozen, primals))), shape))
    return TupleV((value, here))


def _extents(run: Run, leaves: Iterable[Atom]) -> list[Atom]:
    """The extents of all arrays of real numbers among the leaves."""
    return [
        run.b.prim("dim", a, static=(axis,))
        for a in leaves
        if isinstance(a.type, Array) and is_real(a.type)
        for axis in range(a.type.rank)
    ]


def _check_shapes(run: Run, given: Iterable[Atom], extents: Sequence[Atom], node: ast.AST) -> None:
    """(Co)tangents must have the shapes of what they are for: memory is read by these."""
    for a, b in zip(_extents(run, given), extents, strict=True):
        fits = run.b.prim("eq", a, b)
        run.require(fits, "ValueError", "a (co)tangent of another shape than its array", node)


def _pullback(
    sp: Specialiser,
    operator: OperatorV,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A call of a pullback: a tuple of cotangents, one per primal."""
    run = _run_of(sp)
    if len(args) != 1 or kwargs:
        run.refuse(node, "a pullback takes one cotangent", error=ArgumentTypeError)

    primals, shape = operator.args
    assert isinstance(primals, TupleV) and isinstance(shape, TupleV)

    def pull(f: FunctionV) -> Value:
        target = _Target(run, f, primals.items, {}, node)
        seeds = list(_matching(run, target.result, args[0], node))
        _check_shapes(run, seeds, flatten(shape).atoms, node)
        numbers = range(len(primals.items))
        wrt = [k for n in numbers for k in target.wrt(n)]
        types = list(leaf_types(target.result))
        cts = [target.atoms[k].type for k in wrt]
        op = Vjp(target.spec.name, tuple(target.atoms), tuple(wrt), tuple(seeds))
        made = run.b.let(op, (*types, *cts), run.site(node))
        rest = iter(made[len(types) :])
        return TupleV(
            tuple(cotangent(target.spec.args[n], _leaves_of(target, n), rest) for n in numbers)
        )

    return _known(run, operator.function, pull, node)


def _matching(run: Run, kind: Kind, value: Value, node: ast.AST) -> Iterator[Atom]:
    """The atoms of a (co)tangent for the real leaves of a value of ``kind``."""
    match kind, value:
        case ScalarK(t), _:
            if isinstance(t, Real):
                yield run.convert(value, t, node)
        case ArrayK(elem), ArrayV(atom):
            if isinstance(elem, Real):
                if value.elem != elem:
                    run.refuse(
                        node,
                        f"{run.describe(value)} as a (co)tangent of {describe(kind)}",
                        error=ArgumentTypeError,
                    )
                yield atom
        case ArrayK(elem), _ if not isinstance(elem, Real):
            return
        case TupleK(kinds), TupleV(items) if len(kinds) == len(items):
            for k, v in zip(kinds, items):
                yield from _matching(run, k, v, node)
        case RecordK(cls, fields), RecordV(other, values) if cls is other:
            for n, k in fields:
                yield from _matching(run, k, values[n], node)
        case ListK(elem), ListV():
            for u, leaf in zip(leaf_types(elem), value.atoms):
                if isinstance(u, Real):
                    yield leaf
        case StaticK(), _:
            return
        case _:
            run.refuse(
                node,
                f"{run.describe(value)} as a (co)tangent of {describe(kind)}",
                "give it the same structure",
                error=ArgumentTypeError,
            )


def _jvp(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """``pb.jvp(f, primals, tangents)``: the value and its tangent."""
    run = _run_of(sp)
    given = dict(zip(("f", "primals", "tangents"), args)) | kwargs
    primals, tangents = given.get("primals"), given.get("tangents")
    if not isinstance(primals, TupleV) or not isinstance(tangents, TupleV) or len(given) != 3:
        run.refuse(
            node,
            "pb.jvp takes a function, a tuple of primals and a tuple of tangents",
            error=ArgumentTypeError,
        )
    if len(primals.items) != len(tangents.items):
        run.refuse(node, "as many tangents as primals are needed", error=ArgumentTypeError)

    def push(f: FunctionV) -> Value:
        target = _Target(run, f, primals.items, {}, node)
        numbers = range(len(primals.items))
        wrt = [k for n in numbers for k in target.wrt(n)]
        atoms = [
            a
            for n in numbers
            for a in _matching(run, target.spec.args[n], tangents.items[n], node)
        ]
        _check_shapes(run, atoms, _extents(run, [target.atoms[k] for k in wrt]), node)
        types = list(leaf_types(target.result))
        out = [t for t in types if is_real(t)]
        op = Jvp(target.spec.name, tuple(target.atoms), tuple(wrt), tuple(atoms))
        made = run.b.let(op, (*types, *out), run.site(node))
        value = run.calls.result(target.spec, list(made[: len(types)]), [])
        leaves = iter(flatten(value).atoms)
        return TupleV((value, cotangent(target.result, leaves, iter(made[len(types) :]))))

    return _known(run, given["f"], push, node)


def _jit(
    run: Run, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compiled code inside compiled code: the function itself."""
    return run.call(operator.function, args, node, kwargs)


REGISTRY.operators["jit"] = _jit
REGISTRY.operators["grad"] = _grad
REGISTRY.operators["value_and_grad"] = _grad
REGISTRY.operators["pullback"] = _pullback

__all__ = ["cotangent", "is_real", "register_operators"]
