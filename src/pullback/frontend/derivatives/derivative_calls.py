"""Derivative operators inside compiled code: ``pb.grad(g)(x)`` becomes a Vjp of Core, and so on.

An operator object of the interface has ``__pullback_operator__ = (name, function, *options)`` with
options ``(argnums, has_aux)``; ``registered.py`` has the callables that make such objects. What
the function captured is part of its input (its first parameters), so derivatives outside flow into
it as they should.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pullback.core.build import lit
from pullback.core.terms import Atom
from pullback.core.types import Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.derivatives.cotangents import (
    adjoint,
    aligned,
    check_shapes,
    cotangent,
    extents,
    matching,
    of_result,
    require_still,
    with_zeros,
)
from pullback.frontend.derivatives.registered import OPERATORS
from pullback.frontend.derivatives.targets import (
    Target,
    drop_aux,
    known,
    refuse_no_aux,
    require_gradients,
    take_aux,
)
from pullback.frontend.interpret.spreading import spread
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.kinds import ScalarK, StaticK, leaf_types
from pullback.frontend.kinds.snapshots import frozen
from pullback.frontend.kinds.values import (
    CALLS,
    REGISTRY,
    FunctionV,
    OperatorV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    index_scalar,
)
from pullback.frontend.run import Run

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def _refused(name: str) -> Callable[..., Value]:
    def refuse(
        sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value:
        made = "make it outside, and give it what it needs as arguments"
        sp.refuse(
            node,
            f"pb.{name} inside compiled code is not supported yet",
            made if name == "pure_callback" else "call it outside",
        )

    return refuse


def _run_of(sp: Specialiser) -> Run:
    assert isinstance(sp, Run)
    return sp


_FAMILIES = ("chad", "dual", "delta", "curry", "forward")
"""With what the names of methods begin. All compute the same, so inside compiled code there is
one."""


def _make(
    sp: Specialiser, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile ``pb.grad(f, argnums=0, has_aux=False)``."""
    given = dict(zip(("f", "argnums", "has_aux"), args, strict=False)) | kwargs
    unknown = set(given) - {"f", "argnums", "has_aux", "method"}
    if unknown or "f" not in given:
        wrong = ", ".join(sorted(unknown)) or "no function"
        sp.refuse(
            node, f"pb.{name} with {wrong} in compiled code", f"pb.{name}(f, argnums, has_aux)(x)"
        )
    _require_method(sp, given, node)
    argnums = sp.static(given.get("argnums", Static(0)), node, "argnums")
    has_aux = bool(sp.static(given.get("has_aux", Static(False)), node, "has_aux"))
    return OperatorV(name, given["f"], (argnums, has_aux))


def _require_method(sp: Specialiser, given: dict[str, Value], node: ast.AST) -> None:
    """Refuse a method that does not exist."""
    method = sp.static(given.get("method", Static("chad")), node, "method")
    if not isinstance(method, str) or method.partition(".")[0] not in _FAMILIES:
        sp.refuse(
            node, f"there is no method {method!r}", "leave it away: all methods give the same",
            error=ArgumentValueError,
        )  # fmt: skip


# --- gradients ------------------------------------------------------------------------------------


def _grad(
    sp: Specialiser,
    operator: OperatorV,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Compile the call of ``pb.grad(f)`` or ``pb.value_and_grad(f)``."""
    run = _run_of(sp)
    argnums, has_aux = operator.options if len(operator.options) == 2 else (0, False)

    def differentiate(f: FunctionV) -> Value:
        target = Target(run, f, args, kwargs, node, argnums)
        aux: Value | None = None
        if has_aux:
            aux = take_aux(run, target, node)
        value, gradient = _scalar_vjp(run, target, node)
        if operator.name == "grad":
            return TupleV((gradient, aux)) if aux is not None else gradient
        return TupleV((TupleV((value, aux)) if aux is not None else value, gradient))

    return known(run, operator.function, (len(args), tuple(kwargs)), differentiate, node)


def _scalar_vjp(
    run: Run, target: Target, node: ast.AST
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
    require_gradients(target, node)
    seeds = [lit(1.0, t) for t in leaf_types(kind) if isinstance(t, Real)]
    made, gradients = target.vjp(target.positions, seeds)
    value: Value
    if isinstance(kind, ScalarK):
        value = Scalar(made[0], kind.py, is_int=made[1] if kind.may_be_int else None)
    else:
        assert isinstance(kind, StaticK)
        value = Static(kind.value)
    return value, gradients[0] if target.wanted.alone else TupleV(tuple(gradients))


# --- vjp and jvp ----------------------------------------------------------------------------------


def _vjp(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile ``pb.vjp(f, *primals)``: the value, and the pullback as a function value; with
    ``has_aux`` what the function returned beside the value, too."""
    run = _run_of(sp)
    if not args or set(kwargs) - {"has_aux", "method"}:
        run.refuse(
            node, "pb.vjp in compiled code takes a function, its arguments, and has_aux",
            error=ArgumentTypeError,
        )  # fmt: skip
    has_aux = bool(sp.static(kwargs.get("has_aux", Static(False)), node, "has_aux"))
    _require_method(sp, kwargs, node)
    f, primals = args[0], tuple(args[1:])
    entry = TupleV(tuple(map(frozen, primals))), frozen(f)
    value = run.call(f, primals, node)
    aux: tuple[Value, ...] = ()
    if has_aux:
        if not isinstance(value, TupleV) or value.is_list or len(value.items) != 2:
            refuse_no_aux(run, node)
        value, *rest = value.items
        aux = tuple(rest)
    shape = TupleV(tuple(map(index_scalar, extents(run, flatten(value).atoms))))
    here = OperatorV("pullback", entry[1], (has_aux,), (entry[0], shape))
    return TupleV((value, here, *aux))


def _pullback(
    sp: Specialiser,
    operator: OperatorV,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Compile a call of a pullback: a tuple of cotangents, one per primal."""
    run = _run_of(sp)
    if len(args) != 1 or kwargs:
        run.refuse(node, "a pullback takes one cotangent", error=ArgumentTypeError)

    primals, shape = operator.args
    assert isinstance(primals, TupleV) and isinstance(shape, TupleV)

    numbers = tuple(range(len(primals.items)))

    def pull(f: FunctionV) -> Value:
        target = Target(run, f, primals.items, {}, node, numbers, has_run=True)
        if operator.options == (True,):
            drop_aux(run, target, node)
        ct = adjoint(run, args[0], node)
        given = list(matching(run, target.result, ct, node))
        wanted = flatten(shape).atoms
        seeds = with_zeros(run, target.result, given, wanted, node)
        check_shapes(run, seeds, wanted, node)
        _, gradients = target.vjp(target.positions, seeds)
        return TupleV(tuple(gradients))

    function, count = operator.function, len(primals.items)
    return run.quietly(lambda: known(run, function, (count, ()), pull, node))


def derivative_along(
    run: Run, f: Value, primals: TupleV, tangents: TupleV, node: ast.AST
) -> Value:
    """Return the tangent of the result of a function."""
    both = _jvp(run, (f, primals, tangents), {}, node)
    assert isinstance(both, TupleV)
    return both.items[1]


def _jvp(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile ``pb.jvp(f, primals, tangents)``: the value and its tangent."""
    run = _run_of(sp)
    given = dict(zip(("f", "primals", "tangents"), args, strict=False)) | kwargs
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
        given_items = TupleV(spread(run, primals, node))
        tables: list[Value] = []
        both = aligned(run, given_items, tangents, node, tables)
        items, along = (v.items for v in both if isinstance(v, TupleV))
        target = Target(run, f, items, {}, node, tuple(range(len(items))))
        given: list[dict[int, Atom]] = []  # by the position of the leaf
        for n, tangent in zip(target.positions, along, strict=True):
            require_still(run, target.spec.args[n], tangent, node)
            atoms = matching(run, target.spec.args[n], tangent, node, tables)
            leaves = zip(target.wrt(n), atoms, strict=True)
            given.append({k: atom for k, atom in leaves if atom is not None})
        moving = [(target.atoms[k], atom) for own in given for k, atom in own.items()]
        check_shapes(run, [a for _, a in moving], extents(run, [x for x, _ in moving]), node)
        made, moved = target.jvp(target.positions, given)
        value = run.calls.result(target.spec, made, [])
        own = iter(flatten(value).atoms)
        moved_value = cotangent(run, target.result, own, iter(moved))
        return TupleV((value, of_result(value, moved_value)))

    return known(run, given["f"], (len(primals.items), ()), push, node)


def _series(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """``series(f, primals, derivatives)``: the value and its derivatives along a path."""
    run = _run_of(sp)
    f, primals, along = args
    assert isinstance(primals, TupleV) and isinstance(along, TupleV)
    orders = next(len(s.items) for s in along.items if isinstance(s, TupleV))

    def push(f: FunctionV) -> Value:
        tables: list[Value] = []
        pairs = zip(spread(run, primals, node), along.items, strict=True)
        both = [_aligned_path(run, x, terms, node, tables) for x, terms in pairs]
        items = [x for x, _ in both]
        target = Target(run, f, items, {}, node, tuple(range(len(items))))
        paths = zip(target.positions, (terms for _, terms in both), strict=True)
        given = [_path(run, target, n, terms, orders, node, tables) for n, terms in paths]
        tangents = [[own[k] for own in given] for k in range(orders)]
        made, moved = target.jvp(target.positions, *tangents)
        value = run.calls.result(target.spec, made, [])
        leaves, rest = flatten(value).atoms, iter(moved)
        found = [cotangent(run, target.result, iter(leaves), rest) for _ in range(orders)]
        return TupleV((value, TupleV(tuple(of_result(value, t) for t in found))))

    return known(run, f, (len(primals.items), ()), push, node)


def _aligned_path(
    run: Run, primal: Value, terms: Value, node: ast.AST, tables: list[Value]
) -> tuple[Value, Value]:
    """Return an argument and the derivatives of its path, with their dicts aligned."""
    if not isinstance(terms, TupleV):
        return primal, terms
    pairs = [aligned(run, primal, term, node, tables) for term in terms.items]
    whole = next((x for x, _ in pairs if x is not primal), primal)
    return whole, TupleV(tuple(term for _, term in pairs))


def _path(
    run: Run, target: Target, n: int, terms: Value, orders: int, node: ast.AST,
    tables: Sequence[Value],
) -> list[dict[int, Atom]]:
    """The derivatives of a path, of each order those of the leaves of an argument that move."""
    if not isinstance(terms, TupleV):
        return [{} for _ in range(orders)]
    for term in terms.items:
        require_still(run, target.spec.args[n], term, node)
    kind, places = target.spec.args[n], target.wrt(n)
    shape = extents(run, [target.atoms[k] for k in places])
    found: list[dict[int, Atom]] = []
    for term in terms.items:
        given = with_zeros(run, kind, list(matching(run, kind, term, node, tables)), shape, node)
        check_shapes(run, given, shape, node)
        found.append(dict(zip(places, given, strict=True)))
    return found


def _jit(
    run: Run, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile a call of compiled code inside compiled code: the function itself."""
    return run.call(operator.function, args, node, kwargs)


REGISTRY.operators["jit"] = _jit
REGISTRY.operators["grad"] = _grad
REGISTRY.operators["value_and_grad"] = _grad
REGISTRY.operators["pullback"] = _pullback


def _ruled(
    sp: Specialiser, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile ``pb.custom_vjp(f, nondiff_argnums=())``: a function that waits for its rule."""
    given = dict(zip(("f", "nondiff_argnums"), args, strict=False)) | kwargs
    if len(args) > 2 or set(given) - {"f", "nondiff_argnums"} or "f" not in given:
        sp.refuse(node, f"pb.{name} takes a function and nondiff_argnums", error=ArgumentTypeError)
    fixed = sp.static(given.get("nondiff_argnums", Static(())), node, "nondiff_argnums")
    alone = (fixed,) if isinstance(fixed, int) else fixed
    if not isinstance(alone, tuple) or not all(type(n) is int and n >= 0 for n in alone):
        sp.refuse(
            node, f"nondiff_argnums of pb.{name} are positions from 0 on, not {fixed!r}",
            error=ArgumentTypeError,
        )  # fmt: skip
    return OperatorV(name, TupleV((given["f"],)), (alone,))


def _with_parts(
    sp: Specialiser, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Compile ``pb.primitive(f, *partials)``, ``pb.implicit_root(f, solve)`` and the like."""
    known = {"primitive": ("f",), "implicit_fixed_point": ("g", "solve")}.get(name, ("f", "solve"))
    values = [*args, *(kwargs[n] for n in known[len(args) :] if n in kwargs)]
    if len(values) != len(args) + len(kwargs) or len(values) < 2:
        sp.refuse(node, f"pb.{name} without its functions", error=ArgumentTypeError)
    if name != "primitive":
        values = values[1::-1]  # the solver is the function, the equation its rule
    return OperatorV(name, TupleV(tuple(values)), ((),))


_MAKERS: dict[str, Callable[..., Value]] = {
    "grad": lambda sp, *call: _make(sp, "grad", *call),
    "value_and_grad": lambda sp, *call: _make(sp, "value_and_grad", *call),
    "vjp": _vjp,
    "jvp": _jvp,
    "series": _series,
    "jit": lambda sp, args, *call: OperatorV("jit", args[0]),
}
for _name in ("custom_vjp", "custom_jvp"):
    _MAKERS[_name] = lambda sp, *call, _name=_name: _ruled(sp, _name, *call)
for _name in ("primitive", "implicit_root", "implicit_fixed_point", "implicit_minimum"):
    _MAKERS[_name] = lambda sp, *call, _name=_name: _with_parts(sp, _name, *call)
for _maker, _name in OPERATORS.items():
    CALLS[_maker] = _MAKERS.get(_name) or _refused(_name)

__all__ = ["derivative_along"]
