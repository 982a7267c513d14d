"""The request to an entry, and the places of its parts among the parameters and results of main.

A ``Request`` is an operator applied to a function; a ``Plan`` says, for one specialisation, which
leaves are differentiated and in which order the results come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from pullback.ad.spaces import Spaces
from pullback.call.shapes import Shape, shape_of
from pullback.call.space import Space, of_reals
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Block, Function, Let, Lit, Prim, Program
from pullback.core.types import Array, Bool, Int, Real, Sum, Type
from pullback.errors import ArgumentTypeError, UnsupportedError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.join import as_list
from pullback.frontend.kinds.kinds import (
    Kind,
    OptionalK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    WrappedK,
    leaf_types,
    parts,
    static_scalar,
    with_parts,
)
from pullback.frontend.kinds.sum_kinds import mixes
from pullback.frontend.kinds.widening import small_in
from pullback.frontend.python.container_bases import VALUE
from pullback.frontend.seen_outside import Outside

if TYPE_CHECKING:
    from pullback.frontend.specialisation import Specialised


class What(Enum):
    """What the entry computes."""

    VALUE = "value"
    GRADIENT = "gradient"
    VALUE_AND_GRADIENT = "value_and_grad"
    TANGENT = "tangent"
    PULLBACK = "pullback"
    LINEAR_MAP = "linear map"

    @property
    def forward(self) -> bool:
        """Whether it is computed without a reverse sweep of its own."""
        return self in (What.VALUE, What.TANGENT, What.LINEAR_MAP)


@dataclass(frozen=True, slots=True)
class Request:
    """An operator with its options. ``alone``: one gradient, not a tuple of them; ``method``: by
    which native algorithm; ``plain``: linear algebra as plain programs, for methods that have no
    rules for whole matrices; ``in_order``: errors come in the order of the program; ``words``: the
    tangents are sets of inputs; ``outside``: the arguments that the function updates."""

    what: What
    argnums: tuple[int, ...] = ()
    alone: bool = False
    has_aux: bool = False
    method: str = "chad"
    plain: bool = False
    in_order: bool = False
    words: bool = False
    outside: Outside | None = None

    @property
    def how(self) -> tuple[bool, Outside | None]:
        """How the front end runs the function, in whatever way it is differentiated."""
        return self.in_order, self.outside

    def of_value(self) -> Request:
        """Return the request for the value of the same program."""
        return Request(What.VALUE, in_order=self.in_order, outside=self.outside)

    @property
    def lapack(self) -> bool:
        """Whether the method has rules for whole matrices."""
        return self.method == "chad" and not self.plain

    @property
    def contracts(self) -> bool:
        """Whether products of large matrices are made by BLAS. Of a whole product no pass knows
        which elements depend on which."""
        return self.lapack and not self.words


@dataclass(frozen=True)
class Plan:
    """The positions of leaves. What follows from the fields is computed once, for all calls.

    kinds      of the arguments and then of the hidden arguments
    arguments  how many of them are arguments
    result     the kind of the result of the function
    wrt        the parameters of main that are differentiated
    seeded     the results of main that have a cotangent
    data       the parameters that are data (nodes, arrays of arrays): they come in their space
    one_home   whether an object of an argument must be in one union only, for derivatives inside
    contexts   whether another run is to find out the context of what is raised, or what is
               changed before
    """

    request: Request
    kinds: tuple[Kind, ...]
    arguments: int
    result: Kind
    wrt: tuple[int, ...] = ()
    seeded: tuple[int, ...] = ()
    data: tuple[int, ...] = ()
    one_home: bool = False
    contexts: bool = False

    @cached_property
    def cells(self) -> bool:
        """Whether the arguments have accumulators of their own."""
        return bool(self.data) and not self.request.what.forward

    @property
    def numbers_cells(self) -> bool:
        """Whether the forward half of a pullback, too, is given these accumulators."""
        return self.cells and self.request.method == "dual"

    @cached_property
    def space(self) -> Space:
        """The space that data is in."""
        match self.request.what:
            case What.VALUE:
                return Space.PLAIN
            case What.TANGENT | What.LINEAR_MAP:
                return Space.DUAL
            case _:
                return Space.IDS if self.request.method == "dual" else Space.FORWARD

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of the arguments and the hidden arguments."""
        return tuple(map(shape_of, self.kinds))

    @cached_property
    def result_shape(self) -> Shape:
        """The shape of the result of the function."""
        return shape_of(self.result)

    @cached_property
    def value_shape(self) -> Shape:
        """The shape of the differentiated result."""
        return shape_of(self.value)

    @cached_property
    def aux_shape(self) -> Shape:
        """The shape of what is beside the differentiated result."""
        return shape_of(self.aux)

    @cached_property
    def params(self) -> tuple[Type, ...]:
        """The types of the parameters of main."""
        return tuple(t for k in self.kinds for t in leaf_types(k))

    @cached_property
    def results(self) -> tuple[Type, ...]:
        """The types of the results of main."""
        return tuple(leaf_types(self.result))

    @property
    def value(self) -> Kind:
        """The kind of the differentiated result, without what is beside it."""
        if self.request.has_aux and isinstance(self.result, TupleK):
            return self.result.items[0]
        return self.result

    @property
    def aux(self) -> Kind:
        """The kind of what is beside the differentiated result."""
        assert self.request.has_aux and isinstance(self.result, TupleK)
        return self.result.items[1]

    @cached_property
    def differentiated(self) -> tuple[int, ...]:
        """The arguments whose gradient is asked for."""
        return self.request.argnums

    @cached_property
    def value_leaves(self) -> int:
        """How many leaves the differentiated result has."""
        return len(tuple(leaf_types(self.value)))

    @cached_property
    def leaves(self) -> tuple[range, ...]:
        """The positions of the parameters of main that carry each argument."""
        ends = (0, *accumulate(len(tuple(leaf_types(k))) for k in self.kinds))
        return tuple(map(range, ends, ends[1:]))

    def keep(self) -> list[int]:
        """The order in which the entry gives the results of ``ad.gradient``: value, gradients,
        cells, and last what is beside the value."""
        n, m = len(self.results), len(self.wrt)
        v = self.value_leaves
        value = [] if self.request.what is What.GRADIENT else list(range(v))
        last = [n + m] if self.cells else []
        return [*value, *range(n, n + m), *last, *range(v, n)]


def make_plan(
    request: Request,
    kinds: Sequence[Kind],
    hidden: Sequence[Kind],
    result: Kind,
    spaces: Spaces,
    special: Specialised,
) -> Plan:
    """The plan of a request; TypeError if it cannot be asked of this function."""
    everything, n = (*kinds, *hidden), len(kinds)
    one_home, contexts = special.one_home, special.contexts or special.loses
    plain = Plan(request, everything, n, result, one_home=one_home, contexts=contexts)
    small = small_in(result)
    if small is not None:
        raise UnsupportedError(
            f"{describe(small)} in the result", "return a.astype(np.int64), or int(v)"
        )
    if request.what is What.VALUE:
        return plain
    if request.has_aux and not (isinstance(result, TupleK) and len(result.items) == 2):
        raise ArgumentTypeError(
            f"with has_aux=True the function returns a pair (value, auxiliary data), not "
            f"{describe(result)}",
            "return value, aux",
        )
    along = request.what in (What.TANGENT, What.LINEAR_MAP)
    chosen = range(len(kinds)) if along else _argnums(request, kinds)
    wrt: list[int] = []
    for i in chosen:
        found = [k for k in plain.leaves[i] if spaces.bears(plain.params[k])]
        if found and not along and (mixed := _mixed(kinds[i])) is not None:
            what, rewrite = _odd_ones(mixed)
            raise ArgumentTypeError(
                f"argument {i} has {what} ({describe(mixed)}): its items have derivatives of "
                "several types, or none",
                f"{rewrite}; or choose other arguments with argnums=",
            )
        if not along and not found:
            raise ArgumentTypeError(
                f"argument {i} is {describe(kinds[i])}: it has no real number to differentiate by",
                "pass floats, float(x), a.astype(float), or choose other arguments with argnums=",
            )
        wrt += [k for k in found if not spaces.composite(plain.params[k])]
    if request.what in (What.GRADIENT, What.VALUE_AND_GRADIENT):
        _check_loss(plain.value)
    v = plain.value_leaves
    seeded = tuple(k for k, t in enumerate(plain.results[:v]) if of_reals(t))
    for t in plain.results[:v]:
        if holds_functions(t) and spaces.bears(t):
            raise UnsupportedError(
                f"the derivative of a function that returns {describe(plain.value)}",
                "return numbers, arrays, tuples, lists or dataclasses of them",
            )
    data = tuple(k for k, t in enumerate(plain.params) if spaces.composite(t))
    return replace(plain, wrt=tuple(wrt), seeded=seeded, data=data)


def _mixed(kind: Kind) -> TupleK | None:
    """Return the first part that is a list of items of one type whose numbers are of several
    types."""
    if isinstance(kind, TupleK) and kind.is_list:
        joined = as_list(kind)
        if joined is not None and not mixes(joined.elem):
            wanted = leaf_types(joined.elem)
            if any(leaf_types(k) != wanted for k in kind.items):
                return kind
    return next((k for k in map(_mixed, parts(kind)) if k is not None), None)


def _odd_ones(mixed: TupleK) -> tuple[str, str]:
    """Return what is said of such a list, and what to write instead."""
    joined = as_list(mixed)
    assert joined is not None
    wanted = leaf_types(joined.elem)
    both = [p for k in mixed.items for p in zip(leaf_types(k), wanted, strict=False)]
    for other, words in ((Int, ("ints", "write 2.0 for 2: [float(x) for x in xs]")),
                         (Bool, ("bools", "write 1.0 for True: [float(x) for x in xs]"))):
        if any(isinstance(t, other) and isinstance(u, Real) for t, u in both):
            return f"{words[0]} among floats", words[1]
    if any(isinstance(t, Real) and isinstance(u, Real) and t != u for t, u in both):
        return "float32 among floats of 64 bits", "convert them: [float(x) for x in xs]"
    return "items of several types", "make them of one type, or pass a tuple"


def holds_functions(t: Type) -> bool:
    """Whether a value of this type holds a function that was chosen at run time (a sum)."""
    return isinstance(t, Sum) or (isinstance(t, Array) and holds_functions(t.elem))


def with_literals(special: Specialised) -> Specialised:
    """Make literal numbers in the result results like any others: a constant has a derivative too,
    which is zero."""
    program = special.program
    main = program.functions[program.main]
    given = iter(main.body.results)
    atoms: list[Atom] = []
    kind = _literal(special.result, given, atoms)
    body = Block(main.body.lets, tuple(atoms))
    types = tuple(a.type for a in atoms)
    functions = {**program.functions, main.name: Function(main.name, main.params, body, types)}
    return replace(special, program=replace(program, functions=functions), result=kind)


def _literal(kind: Kind, given: Iterator[Atom], out: list[Atom]) -> Kind:
    """The kind with numbers for literals; ``out`` gets the atoms of its leaves."""
    match kind:
        case StaticK(_, value) if type(value) in (bool, int, float):
            scalar = static_scalar(value)
            if scalar is None:
                return kind
            assert isinstance(value, (int, float))
            out.append(Lit(value, scalar.type))
            return scalar
        case TupleK() | RecordK():
            return with_parts(kind, tuple(_literal(k, given, out) for k in parts(kind)))
        case _:
            out += [next(given) for _ in leaf_types(kind)]
            return kind


def without_none(
    request: Request, special: Specialised, program: Program
) -> tuple[Kind, Program]:
    """The kind of the result and the program for a derivative: a result that may be None is
    checked first, since None has no derivative. (Auxiliary data needs none.)"""
    main = program.functions[program.main]
    given = iter(main.body.results)
    there: list[tuple[Atom, str]] = []
    atoms: list[Atom] = []
    match special.result:
        case TupleK((value, aux), False) if request.has_aux:
            kind: Kind = TupleK((_present(value, given, there, atoms), aux))
            atoms += given
        case _:
            kind = _present(special.result, given, there, atoms)
    number = _number_held(special.result, atoms) if request.what is What.GRADIENT else None
    if number is None and (not there or request.what is What.VALUE):
        return special.result, program
    kind, atoms = number or (kind, atoms)
    checks = tuple(
        Let((), Prim("require", (a,), ("TypeError", message)), special.site) for a, message in there
    )
    body = Block((*main.body.lets, *checks), tuple(atoms))
    made = Function(main.name, main.params, body, tuple(a.type for a in atoms))
    return kind, replace(program, functions={**program.functions, main.name: made})


def _present(
    kind: Kind, given: Iterator[Atom], there: list[tuple[Atom, str]], out: list[Atom]
) -> Kind:
    """The kind without None; ``there`` gets the atoms that tell whether there is a value."""
    match kind:
        case OptionalK(inner, other):
            word = describe(other)
            there.append((next(given), f"the function returned {word}, which has no derivative"))
            found = _present(inner, given, there, out)
            for _ in leaf_types(other):
                next(given)
            return found
        case TupleK(items, is_list):
            return TupleK(tuple(_present(k, given, there, out) for k in items), is_list)
        case _:
            out += [next(given) for _ in leaf_types(kind)]
            return kind


def _number_held(kind: Kind, atoms: Sequence[Atom]) -> tuple[Kind, list[Atom]] | None:
    """The kind and the leaves of the number that an object of ``class Metres(float)`` holds."""
    if not isinstance(kind, WrappedK) or not isinstance(kind.extra, StaticK):
        return None
    names, given = str(kind.extra.value).split("\0"), iter(atoms)
    if VALUE not in names or len(names) != len(parts(kind.held)):
        return None
    held = [(k, [next(given) for _ in leaf_types(k)]) for k in parts(kind.held)]
    return held[names.index(VALUE)]


def _check_loss(kind: Kind) -> None:
    if not (isinstance(kind, ScalarK) and isinstance(kind.type, Real)):
        raise ArgumentTypeError(
            "the gradient is of a function that returns one real number; this one returns "
            + describe(kind),
            "return a float (for example a sum), or use pb.vjp for other results",
        )


def _argnums(request: Request, kinds: Sequence[Kind]) -> tuple[int, ...]:
    if any(i >= len(kinds) for i in request.argnums):
        raise ArgumentTypeError(
            f"argnums={request.argnums} with {len(kinds)} arguments given: a differentiated "
            "argument must be given",
            "count from 0: argnums=0 is the first argument",
        )
    return request.argnums
