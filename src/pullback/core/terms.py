"""The grammar of Core, on one screen. Production code is flat: blocks of let-bound operations.

    program  ::= function* decl*, one of the functions is main
    function ::= name (x : t)* block                     closed; results are the block's results
    block    ::= (x* = op)* return atom*                 execution order is the order of the lets
    atom     ::= x | literal
    op       ::= Prim(name, atom*, static)               a row of the table in prims.py
               | MakeTuple(t, atom*) | Project(atom, i)
               | Inject(t, tag, atom*) | Case(atom, (x* block)*)       t is a Sum or a Named
               | If(atom, block, block)
               | Call(f, atom*)
               | Build(extents, i*, block)     arrays of the block's results, for all i
               | Sum_(extents, i*, block)      sums of the block's (real) results, over all i
               | Loop(n, i, x*, init*, block)  x* = block(i, x*), n times; further results: emitted
               | While(x*, init*, block, block)
               | Index(a, i*, checked) | Update(a, i*, v, checked)
               | Vjp(f, atom*, wrt, seeds) | Jvp(f, atom*, wrt, tangents)
               | Ruled(f, atom*, wrt, rule)    a call of f, whose derivative is a rule of the user's
    and after ad (the dialect with accumulators):
               | AccNew(extents) | AccAdd(h, i*, v) | AccRead(h, i*) | AccTake(h, i*)
    and after ad/dual (the tape: rows of words, each with some new ids):
               | TapeRoom(n) | TapePush(word*, counts, room) | TapeWrite(at, word) | TapeRead(last)

Every op binds as many variables as it has results (possibly none). ``Build`` and ``Sum_`` are
parallel: their iterations are independent, accumulation commutes. ``Loop`` and ``While`` are
sequential; block results beyond the carried variables are *emitted*: one array per result, with
one element per iteration. ``Update`` consumes its array. A variable is bound once per program
and blocks see the variables of the blocks around them (functions are closed).
"""

from __future__ import annotations

import math
from enum import Enum
from itertools import count
from typing import get_args

from pullback.core.frozen import dataclass, field
from pullback.core.grammar import Grammar, term
from pullback.core.messages import Message
from pullback.core.types import Decl, Type

_ids = count(1)


@term
class Var:
    """A variable: compared and hashed by identity; ``name`` is only a hint for the printer."""

    name: str
    type: Type
    id: int = field(default_factory=lambda: next(_ids))


@dataclass(frozen=True, slots=True)
class Lit:
    """A literal scalar. (0.0 and -0.0 are different literals.)"""

    value: float | int | bool
    type: Type

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lit):
            return NotImplemented
        return self.type == other.type and same_number(self.value, other.value)


Atom = Var | Lit


def same_number(x: float, y: float) -> bool:
    """Whether two constants of one type are the same number with the same sign: zeros have one."""
    return x is y or (x == y and (x != 0 or math.copysign(1.0, x) == math.copysign(1.0, y)))


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the user's source: what an error raised at run time points at. ``of``: what is
    indexed there, where it is no array (a list, a tuple)."""

    file: str
    line: int
    col: int
    end_line: int
    end_col: int
    function: str
    of: str = ""


def out_of_range(site: Site | None, otherwise: str) -> str:
    """The text of an IndexError, as Python or NumPy gives it."""
    return f"{site.of} index out of range" if site is not None and site.of else otherwise


Static = tuple[int | str | Type | Message | type[Exception], ...]
"""The compile-time parameters of a primitive."""


@term
class Prim:
    """A primitive of the table; ``static`` are its compile-time parameters (axis, dtype, ...)."""

    name: str
    args: tuple[Atom, ...]
    static: Static = ()


@term
class MakeTuple:
    """A tuple or record of type ``type``."""

    type: Type
    items: tuple[Atom, ...]


@term
class Project:
    """Component ``index`` of a tuple or record."""

    tuple: Atom
    index: int


@term
class Inject:
    """A value of the sum ``type`` (Sum or Named) in variant ``tag``."""

    type: Type
    tag: int
    fields: tuple[Atom, ...]


@term
class CaseArm:
    """The variables bound to the fields of one variant, and what happens then."""

    fields: tuple[Var, ...]
    body: Block


@term
class Case:
    """Branch on a sum: one arm per variant, in order. Or on an int, by its value (after ad)."""

    scrutinee: Atom
    arms: tuple[CaseArm, ...]


@term
class If:
    """A lazy conditional."""

    cond: Atom
    then: Block
    orelse: Block


@term
class Call:
    """A call of a known function of the program."""

    function: str
    args: tuple[Atom, ...]


@term
class Build:
    """Arrays of rank ``len(extents)`` (one per block result) over independent iterations."""

    extents: tuple[Atom, ...]
    indices: tuple[Var, ...]
    body: Block


@term
class Sum_:
    """Sums of the (real) block results over independent iterations; possibly none: then the
    loop is run for its accumulations only."""

    extents: tuple[Atom, ...]
    indices: tuple[Var, ...]
    body: Block


@term
class Loop:
    """A counted sequential loop. Body results: the next carried values, then emitted values."""

    count: Atom
    index: Var
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block


@term
class While:
    """A sequential loop while ``cond`` (one Bool result; sees ``carried``) holds."""

    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    cond: Block
    body: Block


@term
class Index:
    """One element. ``checked``: negative indices count from the end and IndexError is raised
    out of range; unchecked: the indices are known to be in range."""

    array: Atom
    indices: tuple[Atom, ...]
    checked: bool


@term
class Update:
    """The array with one element replaced; consumes ``array`` (done in place).

    The indices may go on into elements that are arrays (``levels`` of types.py; only unchecked):
    then it is the array with one of its elements so updated, and what is inside of it is consumed
    too."""

    array: Atom
    indices: tuple[Atom, ...]
    value: Atom
    checked: bool


@term
class Vjp:
    """Results of ``function(args)``, then the cotangents of the arguments ``wrt``, given one
    seed per real scalar or real array result (in order)."""

    function: str
    args: tuple[Atom, ...]
    wrt: tuple[int, ...]
    seeds: tuple[Atom, ...]


@term
class Jvp:
    """Results of ``function(args)``, then the tangents of its real results, given one tangent
    per argument of ``wrt``. Given k for each, the derivatives along a path up to order k: the first
    ones of all arguments (of all results), then the second ones, and so on."""

    function: str
    args: tuple[Atom, ...]
    wrt: tuple[int, ...]
    tangents: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Pushes:
    """A rule for tangents: ``tangent`` is a function (arguments, tangents of ``wrt``) -> (results,
    tangents of the real results), linear in the tangents."""

    name: str
    tangent: str

    @property
    def functions(self) -> tuple[str, ...]:
        return (self.tangent,)


@dataclass(frozen=True, slots=True)
class Pulls:
    """A rule for cotangents: ``forward`` is a function arguments -> (results, residuals),
    ``backward`` a function (residuals, a seed per real result) -> cotangents of ``wrt``."""

    name: str
    forward: str
    backward: str

    @property
    def functions(self) -> tuple[str, ...]:
        return (self.forward, self.backward)


@term
class Ruled:
    """Results of ``function(args)``, differentiated by a rule with respect to the arguments
    ``wrt``. ``names``: what each argument is called; by others it has no derivative."""

    function: str
    args: tuple[Atom, ...]
    wrt: tuple[int, ...]
    rule: Pushes | Pulls
    names: tuple[str, ...]


@term
class AccNew:
    """A handle of a fresh accumulator of that shape. No storage yet: a reverse sweep has it."""

    extents: tuple[Atom, ...]


@term
class AccAdd:
    """Add ``value`` into one cell. Binds nothing."""

    handle: Atom
    indices: tuple[Atom, ...]
    value: Atom


@term
class AccRead:
    """The value of one cell (as a Real(bits))."""

    handle: Atom
    indices: tuple[Atom, ...]
    bits: int = 64


@term
class AccTake:
    """The value of one cell, which becomes zero."""

    handle: Atom
    indices: tuple[Atom, ...]
    bits: int = 64


@term
class TapeRoom:
    """The first of ``count`` new ids that have no row: those of inputs."""

    count: Atom


@term
class TapePush:
    """A row of the tape with as many new ids as is the sum of the products ``count``: room for as
    many words as is the sum of the products ``room``, and then these words (float64 and int64). It
    binds the first of the ids and the number of the first word."""

    words: tuple[Atom, ...]
    count: tuple[tuple[Atom, ...], ...]
    room: tuple[tuple[Atom, ...], ...] = ()


@term
class TapeWrite:
    """A word in the room of a row, by its number."""

    at: Atom
    word: Atom


@term
class TapeRead:
    """The tape so far, which has the id ``last``: its words as int64 and as float64, and how many
    ids there are."""

    last: Atom


Op = (
    Prim | MakeTuple | Project | Inject | Case | If | Call | Build | Sum_ | Loop
    | While | Index | Update | Vjp | Jvp | Ruled | AccNew | AccAdd | AccRead | AccTake
    | TapeRoom | TapePush | TapeWrite | TapeRead
)


@term
class Let:
    """Bind the results of ``op``; ``site`` is where errors point, if the op can raise."""

    vars: tuple[Var, ...]
    op: Op
    site: Site | None = None


@term
class Block:
    """Lets in execution order and the results."""

    lets: tuple[Let, ...]
    results: tuple[Atom, ...]


@term
class Function:
    """A closed function."""

    name: str
    params: tuple[Var, ...]
    body: Block
    results: tuple[Type, ...]


@term
class Program:
    """Functions by name, declarations by name, and the name of the entry."""

    functions: dict[str, Function]
    decls: dict[str, Decl]
    main: str


class Dialect(Enum):
    """What a program may contain; each pass states the one that it produces.

    SOURCE        everything but accumulators
    FLAT          no MakeTuple, Project, Tuple: variables, fields and array elements are
                  Real, Int, Bool, Array, Sum, Named (after convert/flatten)
    ACCUMULATING  FLAT without Vjp, Jvp and Ruled, with handles, accumulators, the tape (after ad)
    """

    SOURCE = "source"
    FLAT = "flat"
    ACCUMULATING = "accumulating"


_GRAMMAR = Grammar(read="Atom", bound="Var", body="Block", records=(CaseArm,))
TRAVERSALS = {op: _GRAMMAR.traversals(op) for op in get_args(Op)}
"""How each class of operations is traversed."""

_BODIES = {op: t.bodies for op, t in TRAVERSALS.items() if t.nested}
_READS = {op: t.reads for op, t in TRAVERSALS.items()}


def sub_blocks(op: Op) -> tuple[tuple[tuple[Var, ...], Block], ...]:
    """Return the blocks inside an op, each with the variables that it binds."""
    bodies = _BODIES.get(type(op))
    return () if bodies is None else bodies(op)


def atoms(op: Op) -> tuple[Atom, ...]:
    """Return the atoms that an op reads itself (not those inside its blocks)."""
    return _READS[type(op)](op)
