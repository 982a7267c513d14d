"""Compile the functions of ``pullback.structures``: the form of a structure is known at compile
time."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pullback import structures
from pullback.core.terms import Atom, Build, Call, Lit, Var
from pullback.core.types import Array, Real
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    MutationError,
    PullbackError,
    StructureError,
)
from pullback.frontend.derivatives.cotangents import require_still
from pullback.frontend.derivatives.gradients import bears
from pullback.frontend.derivatives.targets import known, numbers_of, positions_of
from pullback.frontend.functions import eta
from pullback.frontend.functions.handing import owning
from pullback.frontend.interpret.given_parameters import bind as bind_call
from pullback.frontend.interpret.spreading import spread
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.complex_pairs import (
    ComplexArray,
    Pair,
    holds_pairs,
    is_complex,
)
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    leaf_types,
)
from pullback.frontend.kinds.row_shapes import emitted, row_shapes
from pullback.frontend.kinds.snapshots import frozen
from pullback.frontend.kinds.values import (
    REGISTRY,
    ArrayV,
    ClosureV,
    FunctionV,
    LambdaSetV,
    ListV,
    OperatorV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.combinators import count_of
from pullback.frontend.library.numpy.sequences import nested, to_array
from pullback.frontend.python.syntax import gathering
from pullback.frontend.run import Run

_FALSE = Static(False)


def _leaves(sp: Specialiser, tree: Value, real: bool, node: ast.AST) -> Iterator[Value]:
    match tree:
        case TupleV(items):
            for item in items:
                yield from _leaves(sp, item, real, node)
        case RecordV() if is_complex(tree):
            yield tree
        case RecordV(_, fields):
            for item in fields.values():
                yield from _leaves(sp, item, real, node)
        case Scalar() | ArrayV() | Static():
            if _is_leaf(tree, real):
                yield tree
        case _:
            sp.refuse(
                node,
                f"{sp.describe(tree)} as a part of a structure of numbers and arrays",
                "use arrays, and tuples, dicts and records of them",
                error=StructureError,
            )


def _is_leaf(tree: Value, real: bool) -> bool:
    match tree:
        case Scalar():
            return not real or isinstance(tree.type, Real)
        case ArrayV():
            return not real or isinstance(tree.elem, Real)
        case Static(value):
            return structures.is_leaf(value, real)
        case _:
            return is_complex(tree)


def _rebuilt(tree: Value, values: Iterator[Value], real: bool) -> Value:
    match tree:
        case TupleV(items, is_list):
            return TupleV(tuple(_rebuilt(item, values, real) for item in items), is_list)
        case RecordV(cls, fields) if not is_complex(tree):
            return RecordV(cls, {k: _rebuilt(v, values, real) for k, v in fields.items()})
        case _ if _is_leaf(tree, real):
            return next(values)
        case _:
            return NONE if real else tree


def items_of(sp: Specialiser, value: Value, node: ast.AST) -> tuple[Value, ...]:
    if not isinstance(value, TupleV):
        sp.refuse(node, f"a tuple is needed here, not {sp.describe(value)}")
    return value.items


@register(structures.leaves)
def leaves(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    tree, real = bind(sp, "leaves", args, kwargs, node, tree=MISSING, real=_FALSE)
    return TupleV(tuple(_leaves(sp, tree, bool(sp.static(real, node, "real")), node)))


@register(structures.rebuilt)
def rebuilt(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    tree, values, real = bind(
        sp, "rebuilt", args, kwargs, node, tree=MISSING, values=MISSING, real=_FALSE
    )
    new = iter(items_of(sp, values, node))
    return _rebuilt(tree, new, bool(sp.static(real, node, "real")))


@register(structures.chosen)
def chosen(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, argnums = args
    given = sp.static(argnums, node, "argnums")
    return Static(numbers_of(sp, given, _names(f), node))


@register(structures.called_as)
def called_as(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, function = args
    return OperatorV("called_as", function, (), (f,))


def _call_as(
    run: Run, operator: OperatorV, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """The call of a function as another one is called."""
    below = _below(operator)
    if kwargs and isinstance(below, FunctionV):
        args, kwargs = tuple(bind_call(run, below, args, kwargs, node).values()), {}
    return run.call(operator.function, args, node, kwargs)


@register(structures.quiet)
def quiet(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (f,) = args
    return OperatorV("quiet", f)


def _call_quietly(
    run: Run, operator: OperatorV, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """The call of a function that has run before, and has printed what it prints."""
    return run.quietly(lambda: run.call(operator.function, args, node, kwargs))


@register(structures.once)
def once(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, given = args
    assert isinstance(sp, Run)
    updates = isinstance(given, TupleV) and _updates(sp, f, given.items, node)
    if not updates:
        return TupleV((f, given))
    alone, entry = OperatorV("alone", frozen(f)), frozen(given)
    noted = {} if sp.frame.spec is None else sp.frame.spec.updates
    before = {*noted}
    sp.call(f, spread(sp, given, node), node)
    for name in noted.keys() - before:
        if isinstance(updates, MutationError) and noted[name] is not None:
            noted[name] = updates  # which is about the user's variable
    return TupleV((alone, entry))


_AS_BELOW = ("called_as", "quiet", "jit", "grad", "value_and_grad")
"""Operators that update what the function below them does."""


def _updates(run: Run, f: Value, args: Args, node: ast.AST) -> MutationError | bool:
    """Whether a function updates what it is given, or what is around it, as far as that is known
    (if it is chosen at run time, it may); the refusal of such an update, if there is one."""
    if isinstance(f, (ClosureV, LambdaSetV)):
        return True
    if isinstance(f, OperatorV) and f.name in ("alone", *_AS_BELOW):
        below = f.args[0] if f.name == "called_as" else f.function
        return f.name != "alone" and _updates(run, below, args, node)
    outer = run.frame.definition
    assert outer is not None
    known_one = isinstance(f, FunctionV) and not gathering(f.definition.node)
    names = [f"a{k}" for k in range(len(args))]
    g = f if known_one else eta.of_arity(f, names, (), outer, node)
    assert isinstance(g, FunctionV)
    try:
        bound = bind_call(run, g, [run.handed(v, node) for v in args], {}, node)
        g, told = run.called(g, bound)
        found = run.calls.prepare(g, bound | told, node)[0].updates.values()
        return next((r for r in found if r is not None), bool(found))
    except PullbackError as error:
        return isinstance(error, MutationError)  # others are said where it is called


def _call_alone(
    run: Run, operator: OperatorV, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """The call of a function that has run before, and has updated what it updates."""

    def alone(f: FunctionV) -> Value:
        given = bind_call(run, f, args, kwargs, node)
        f, told = run.called(f, given)
        spec, atoms, _ = owning(run, f, given | told, node)
        types = () if spec.result is None else tuple(leaf_types(spec.result))
        made = run.b.let(Call(spec.name, tuple(atoms)), types, run.site(node))
        return run.calls.result(spec, list(made), [])

    return run.quietly(
        lambda: known(run, operator.function, (len(args), tuple(kwargs)), alone, node)
    )


def _below(f: Value) -> Value:
    """Return the user's function below operators."""
    while isinstance(f, OperatorV):
        f = f.args[0] if f.name == "called_as" else f.function
    return f


REGISTRY.operators["called_as"] = _call_as
REGISTRY.operators["quiet"] = _call_quietly
REGISTRY.operators["alone"] = _call_alone


def _names(f: Value) -> list[str]:
    """Return the names of the parameters of a function, also of one below operators."""
    f = _below(f)
    if not isinstance(f, FunctionV):
        return []
    spec = f.definition.node.args
    return [p.arg for p in (*spec.posonlyargs, *spec.args)][len(f.bound) :]


def _numbers(
    sp: Specialiser, values: Sequence[Value], numbers: Value, node: ast.AST
) -> tuple[int, ...]:
    assert isinstance(numbers, Static) and isinstance(numbers.value, structures.Numbers)
    return positions_of(sp, numbers.value, len(values), node)


@register(structures.arguments)
def arguments(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (given,) = args
    if not isinstance(given, TupleV):
        reason = structures.no_tuple(sp.describe(given))
        sp.refuse(node, reason, structures.ONE, error=ArgumentTypeError)
    return TupleV(given.items)


@register(structures.along)
def along(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, primals = args
    vectors = arguments(sp, (given,), {}, node)
    here, there = len(items_of(sp, primals, node)), len(items_of(sp, vectors, node))
    if here != there:
        reason = f"{here} primals and {there} vectors"
        sp.refuse(node, reason, structures.EACH, error=ArgumentTypeError)
    assert isinstance(sp, Run)
    for x, v in zip(items_of(sp, primals, node), items_of(sp, vectors, node), strict=True):
        require_still(sp, kind_of(x), v, node)
    return vectors


@register(structures.terms_of)
def terms_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    series, primals = (items_of(sp, v, node) for v in args[:2])
    there = [s for s in series if not is_none(s)]
    lengths = [None if is_none(s) else len(items_of(sp, s, node)) for s in series]
    wrong = structures.wrong_series(lengths, len(primals))
    if wrong is not None:
        sp.refuse(node, wrong, structures.SERIES, error=ArgumentValueError)
    return there[0]


@register(structures.with_reals)
def with_reals(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (values,) = args
    for value in items_of(sp, values, node):
        if not any(True for _ in _leaves(sp, value, True, node)):
            reason = f"an argument is {sp.describe(value)}: it has no derivative"
            sp.refuse(node, reason, structures.WITH_REALS, error=ArgumentTypeError)
    return values


@register(structures.reals)
def reals(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (values,) = args
    assert isinstance(sp, Run)
    kinds = [kind_of(v) for v in items_of(sp, values, node)]
    found = tuple(k for k, kind in enumerate(kinds) if bears(sp, kind))
    return Static(structures.numbers_of(found, False))


@register(structures.is_larger)
def is_larger(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    some, others = (items_of(sp, v, node) for v in args)
    if not any(isinstance(v, ArrayV) for v in some):
        return Static(False)
    if not any(isinstance(v, ArrayV) for v in others):
        return Static(True)
    more = sp.b.prim("gt", _size(sp, some), _size(sp, others))
    return Scalar(more, py=True)


def _size(sp: Specialiser, values: Sequence[Value]) -> Atom:
    """Return how many items numbers and arrays have together."""
    total: Atom = ext.ZERO
    for value in values:
        size: Atom = ext.ONE
        for extent in ext.extents(sp, value) if isinstance(value, ArrayV) else ():
            size = ext.mul(sp, size, extent)
        total = ext.add(sp, total, size)
    return total


@register(structures.picked)
def picked(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values, numbers = args
    items = items_of(sp, values, node)
    return TupleV(tuple(items[k] for k in _numbers(sp, items, numbers, node)))


@register(structures.replaced)
def replaced(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values, numbers, new = args
    found = list(items_of(sp, values, node))
    for k, value in zip(_numbers(sp, found, numbers, node), items_of(sp, new, node), strict=True):
        found[k] = value
    return TupleV(tuple(found))


@register(structures.as_given)
def as_given(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values, numbers = args
    assert isinstance(numbers, Static) and isinstance(numbers.value, structures.Numbers)
    return items_of(sp, values, node)[0] if numbers.value.alone else values


@register(structures.stacked)
def stacked(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    n, f, shapes = bind(sp, "stacked", args, kwargs, node, n=MISSING, f=MISSING, shapes=TupleV(()))

    def one(i: Atom) -> Value:
        assert isinstance(sp, Run)
        if sp.store is None or not isinstance(f, FunctionV):
            return sp.call(f, (index_scalar(i),), node)
        with sp.store.apart_next():  # its objects are nobody else's: it gives arrays
            return sp.call(f, (index_scalar(i),), node)

    items = sp.sequence(count_of(sp, n, node), one, node)
    told = [
        [ext.int_atom(sp, e, node, "an extent") for e in items_of(sp, shape, node)]
        for shape in items_of(sp, shapes, node)
    ]
    if isinstance(items.elem, TupleK) and told:  # a complex array has two leaves
        pairs = zip(items.elem.items, told, strict=True)
        told = [shape for k, shape in pairs for _ in range(1 + holds_pairs(k))]
    known = told or _known_shapes(sp, items, node)
    return _columns(sp, items, items.elem, items.atoms, node, known)


def _known_shapes(sp: Specialiser, items: ListV, node: ast.AST) -> list[list[Atom]]:
    """Return the shapes of the leaves of an item, as far as they are known in front of the build;
    else emit a ValueError for no items."""
    assert isinstance(sp, Run)
    wanted = [
        a for a in items.atoms if isinstance(a.type, Array) and isinstance(a.type.elem, Array)
    ]
    op = next((let.op for let in reversed(sp.b.lets) if wanted and wanted[0] in let.vars), None)
    if not isinstance(op, Build):
        return [[] for _ in items.atoms]
    found: list[list[Atom]] = []
    missing = False
    for shape, atom in zip(row_shapes(op, sp.functions, sp.decls), items.atoms, strict=True):
        known = [x for x in shape if x is not None]
        there = any(atom is a for a in wanted)
        missing |= there and len(known) < len(shape)
        found.append([emitted(sp.b, x) for x in known] if there and not missing else [])
    if missing and not (isinstance(items.length, Lit) and int(items.length.value) > 0):
        some = sp.b.prim("gt", items.length, ext.ZERO)
        sp.require(some, "ValueError", structures.NO_ROWS, node)
    return found if not missing else [[] for _ in found]


def _columns(
    sp: Specialiser, items: ListV, kind: Kind, atoms: Sequence[Atom], node: ast.AST,
    shapes: Sequence[Sequence[Atom]],
) -> Value:  # fmt: skip
    """Return the part of every item that these leaves carry, as one array or structure of
    arrays."""
    match kind:
        case ScalarK():
            column = ListV(items.length, kind, tuple(atoms), items.owners, True, items.inner)
            return to_array(sp, column, node, temporary=True)
        case ArrayK():
            array = nested(sp, atoms[0], node, True, shapes[0])
            assert isinstance(array.atom, Var)
            if shapes[0] and array.atom not in ext.facts(sp).extents:
                ext.note(sp, array, (items.length, *shapes[0]))
            return array
        case StaticK(_, value):
            return Static(value)
        case TupleK(kinds, is_list):
            return TupleV(tuple(_each(sp, items, kinds, atoms, node, shapes)), is_list)
        case RecordK(cls, fields):
            inside = _each(sp, items, [k for _, k in fields], atoms, node, shapes)
            own = ComplexArray if issubclass(cls, Pair) else cls
            return RecordV(own, dict(zip((name for name, _ in fields), inside, strict=True)))
        case _:
            sp.refuse(
                node,
                f"{describe(kind)} as a part of a structure of numbers and arrays",
                "return arrays, and tuples, dicts and records of them",
                error=StructureError,
            )


def _each(
    sp: Specialiser, items: ListV, kinds: Sequence[Kind], atoms: Sequence[Atom], node: ast.AST,
    shapes: Sequence[Sequence[Atom]],
) -> Iterator[Value]:  # fmt: skip
    start = 0
    for kind in kinds:
        end = start + len(list(leaf_types(kind)))
        yield _columns(sp, items, kind, atoms[start:end], node, shapes[start:end])
        start = end


__all__ = [
    "along", "arguments", "as_given", "called_as", "chosen", "is_larger", "leaves", "once",
    "picked", "quiet", "reals", "rebuilt", "replaced", "stacked", "terms_of", "with_reals",
]  # fmt: skip
