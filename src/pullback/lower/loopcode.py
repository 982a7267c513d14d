"""Loop code: what Core is lowered to and what LLVM text is printed from.

    module   ::= function*
    function ::= name (r*) code -> value*        the first parameter of every function is CTX (ptr)
    code     ::= instr* ; SSA, structured: a register is assigned once and seen in nested code
    value    ::= register | immediate            registers have a machine type and 1 or 8 lanes
    instr    ::= Arith(r, name, value*)          a primitive, by its row of the table (scalars);
                                                 vector registers: lane by lane; "splat", "lane_sum"
               | Load(r, ptr, index) | Store(ptr, index, value)    element index, not bytes.
                     vector r with scalar index: 8 consecutive elements; with vector index: gather
                     (scatter on Store; lanes write in order 0..7)
               | AtAdd(ptr, index, value)        memory[index] += value; lanes may collide: in order
               | Offset(r, ptr, index, type)     the address of element `index`
               | Alloc(r, count, type, arena)    uninitialised; temp, residual, tape or ids
               | AccAlloc(r, count)              r: i64 offset (in f64 cells) into the store; zeroed
               | AccBase(r)                      address of cell 0 of the current store
               | Mark(r, arena) | Release(r, arena)    AccMark, AccRelease: of the store
               | ArenaBase(r, arena)             the address where the arena begins
               | Copy(dst, src, count, type)
               | IfCode(cond, then, else, r*)    then/else are regions that yield values
               | ForCode(lo, hi, step, i, carried, inits, body, r*)
               | WhileCode(carried, inits, cond, body, r*)
               | CallCode(r*, function, value*)  an error in the callee returns at once
               | Fork(r*, function, long, n, unit, value*, private)    a loop in chunks, on threads
               | Foreign(r, routine, argument*)  a routine of LAPACK (r is its info), BLAS, NumPy
               | RaiseIf(cond, kind, site, v*) record the error in CTX and leave the function
               | Show(message, v*, r)          call Python with the values; what it raises is raised

Everything that makes code fast happens here or before: LLVM repairs little.
"""

from __future__ import annotations

from enum import Enum
from itertools import count

from pullback.core.frozen import dataclass, field
from pullback.core.grammar import term
from pullback.core.messages import Message, Raised
from pullback.core.terms import Site, same_number
from pullback.core.types import Type

LANES = 8

CHUNKS = 16
"""The most chunks of a loop. Results depend on it: it is the same for any number of threads."""

_ids = count(1)


class Ty(Enum):
    """Machine types."""

    F64 = "f64"
    F32 = "f32"
    I64 = "i64"
    I32 = "i32"
    I16 = "i16"
    I8 = "i8"
    I1 = "i1"
    PTR = "ptr"


@term
class Reg:
    """A register; ``lanes`` is 1 (uniform) or LANES (varying)."""

    name: str
    ty: Ty
    lanes: int = 1
    id: int = field(default_factory=lambda: next(_ids))


@dataclass(frozen=True, slots=True)
class Imm:
    """A scalar constant. A null pointer is Imm(0, PTR)."""

    value: float | int | bool
    ty: Ty

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Imm):
            return NotImplemented
        return self.ty == other.ty and same_number(self.value, other.value)


Value = Reg | Imm


@term
class Arith:
    """``dst = name(args)``; scalar args of a vector dst are broadcast.

    Names: those of the scalar rows of core/prims.py (the type of the operands selects the
    instruction), and ``splat`` (scalar to lanes), ``lane_sum`` (lanes to scalar, in the fixed
    order of a binary tree: ((0+4)+(2+6))+((1+5)+(3+7)), that is halves added repeatedly),
    ``lane_or`` (lanes of i1 to i1), ``lane_min`` (the smallest of i64 lanes), ``extract`` (vector,
    scalar i64 lane number: that lane), ``iota`` (scalar base i64 to lanes base+0..base+7),
    ``move``, ``address`` (ptr to i64). Conversions take their target from the type of dst."""

    dst: Reg
    name: str
    args: tuple[Value, ...]


@term
class Load:
    """``dst = ptr[index]``, elements of the type of ``dst`` (i1 is stored as one byte)."""

    dst: Reg
    ptr: Value
    index: Value


@term
class Store:
    """``ptr[index] = value``."""

    ptr: Value
    index: Value
    value: Value


@term
class AtAdd:
    """``ptr[index] += value``; a vector value with a scalar index is 8 consecutive elements,
    with a vector index the lanes are added one after the other."""

    ptr: Value
    index: Value
    value: Value


@term
class Offset:
    """``dst = &ptr[index]`` for elements of type ``ty``."""

    dst: Reg
    ptr: Value
    index: Value
    ty: Ty


@term
class Alloc:
    """``dst`` = address of ``count`` elements (64-byte aligned when large, but for the tape, which
    has no gaps)."""

    dst: Reg
    count: Value
    ty: Ty
    arena: str


@term
class AccAlloc:
    """``dst`` = offset of ``count`` zeroed cells in the accumulator store."""

    dst: Reg
    count: Value


@term
class AccBase:
    """``dst`` = address of cell 0 of the store (it never moves during a call)."""

    dst: Reg


@term
class Mark:
    """``dst`` (ptr) = the top of the arena ("temp" or "residual")."""

    dst: Reg
    arena: str = "temp"


@term
class Release:
    """Give back all that was allocated in the arena since the mark."""

    mark: Value
    arena: str = "temp"


@term
class ArenaBase:
    """``dst`` (ptr) = where the arena begins: what lies in [base, top) is in the arena."""

    dst: Reg
    arena: str = "temp"


@term
class AccMark:
    """``dst`` (i64) = the top of the accumulator store."""

    dst: Reg


@term
class AccRelease:
    """Give back the cells allocated since the mark."""

    mark: Value


@term
class Copy:
    """``dst[0:count] = src[0:count]`` (may overlap), elements of type ``ty``."""

    dst: Value
    src: Value
    count: Value
    ty: Ty


@term
class Region:
    """Code that yields values."""

    code: tuple[Instr, ...]
    yields: tuple[Value, ...]


@term
class IfCode:
    """``dsts`` = the yields of one of the regions; ``cond`` is a scalar. ``seldom``: it nearly
    never holds."""

    cond: Value
    then: Region
    orelse: Region
    dsts: tuple[Reg, ...]
    seldom: bool = False


@term
class ForCode:
    """``for index in range(lo, hi, step)`` (step a positive constant), carrying registers."""

    lo: Value
    hi: Value
    step: int
    index: Reg
    carried: tuple[Reg, ...]
    inits: tuple[Value, ...]
    body: Region
    dsts: tuple[Reg, ...]


@term
class WhileCode:
    """While ``cond`` (yields one i1, sees ``carried``) run ``body`` (yields the next values)."""

    carried: tuple[Reg, ...]
    inits: tuple[Value, ...]
    cond: Region
    body: Region
    dsts: tuple[Reg, ...]


@term
class CallCode:
    """Call a function of the module (CTX is passed on by itself)."""

    dsts: tuple[Reg, ...]
    function: str
    args: tuple[Value, ...]


@term
class Fork:
    """A loop of ``n`` rounds in chunks. If it is ``long`` these are runs of ``length`` rounds, at
    most ``CHUNKS``, a multiple of ``unit`` each, in any order, on several threads if there are
    some; otherwise it is one chunk of all rounds.

    A chunk is a call of ``function(k, length, slabs, args)`` with its number. ``dsts`` are the sums
    of the results, in the order of the chunks. For each pair ``(low, size)`` of ``private`` a chunk
    gets a slab of ``size`` reals, which it fills; in order, they are added to the cells of the
    store from ``low`` on. The one chunk gets null, and adds to these cells itself. Of errors that
    of the first chunk is raised."""

    dsts: tuple[Reg, ...]
    function: str
    long: Value
    n: Value
    unit: int
    args: tuple[Value, ...]
    private: tuple[tuple[Value, Value], ...] = ()


@term
class Foreign:
    """Call a routine of LAPACK: all arguments but the last, ``info``, which goes to ``dst`` (i64);
    one of BLAS has none. A text is a character argument, an i64 an integer one, a pointer an array
    (of float64, or room for integers); matrices are in columns.

    A loop of NumPy's Fourier transforms (``core/pocketfft.py``) has these arguments: the addresses
    of the numbers and of the transform, the factor, the numbers of rows and of items in a row
    before and after, and for both arrays the bytes from row to row and from item to item. One of
    its sorts (``core/numpy_sorts.py``) has the addresses of its arrays and their length."""

    dst: Reg | None
    routine: str
    args: tuple[Value | str, ...]


@term
class RaiseIf:
    """If ``cond`` (scalar i1): record (kind, site, values) in CTX and leave all functions. The
    values are numbers of a text, or make up the leaves of a message, of ``types``.
    ``early``: the program itself might have raised another error before."""

    cond: Value
    kind: Raised
    message: str | Message
    site: Site | None
    values: tuple[Value, ...] = ()
    types: tuple[Type, ...] = ()
    early: bool = False


@term
class Show:
    """Let Python do what the message says with the leaves, of ``types``, that the values make up.
    An exception that it raises leaves all functions. ``dst``: the whole number that it gives."""

    message: Message
    values: tuple[Value, ...]
    types: tuple[Type, ...]
    dst: Reg | None = None


Instr = (
    Arith | Load | Store | AtAdd | Offset | Alloc | AccAlloc | AccBase | Mark | Release | ArenaBase
    | AccMark | AccRelease | Copy | IfCode | ForCode | WhileCode | CallCode | Fork | Foreign
    | RaiseIf | Show
)


@term
class LoopFunction:
    """``name(params) -> results``; all params and results are scalar registers' types.
    ``flushes``: while it runs, subnormal results are zero (``flushing``). ``chunk``: only forks
    call it."""

    name: str
    params: tuple[Reg, ...]
    body: Region
    results: tuple[Ty, ...]
    flushes: bool = False
    chunk: bool = False


@term
class Module:
    """Functions by name, and the name of the entry. ``places``: the lines of the user's source from
    which instructions come, if somebody follows them (``core/trails.py``)."""

    functions: dict[str, LoopFunction]
    main: str
    places: dict[Instr, Site] = field(default_factory=dict)
