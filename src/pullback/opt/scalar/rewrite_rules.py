"""The algebraic identities of ``simplify``: a table of rows (name, left, right, side condition).

Patterns are written as calls of primitives. Variables x, y, z, c stand for anything, k and l for
literals. The kind of x (as in ``Row.llvm``) must be one of ``kinds``; numbers have the type of x. A
name that Python reserves ends in an underscore (``and_``), ``add_ck`` is ``add.ck``.

Identities hold exactly, to the bit, NaN, infinities and signed zeros included, but for the rows
that say so (``exact=False``): powers, which round differently in the last place, and sums of
cotangents that have lost a summand, where a zero may have the other sign.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Lit

LITERALS = frozenset({"k", "l"})
COMMUTATIVE = frozenset({"add", "mul", "eq", "ne", "and", "or", "xor", "add.ck", "mul.ck"})

Binding = dict[str, Atom]
Condition = Callable[[Binding], bool]


@dataclass(frozen=True, slots=True)
class Var_:
    """A pattern variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Const:
    """A literal of the operands' type."""

    value: float | int | bool


@dataclass(frozen=True, slots=True)
class Apply_:
    """A primitive applied to patterns."""

    name: str
    args: tuple[Pattern, ...]


Pattern = Var_ | Const | Apply_


@dataclass(frozen=True, slots=True)
class Rule:
    """``left`` may be replaced by ``right`` when ``when`` holds for what was matched."""

    name: str
    left: str
    right: str
    kinds: tuple[str, ...]
    when: Condition | None = None
    exact: bool = True
    pattern: Apply_ = field(init=False)
    result: Pattern = field(init=False)

    def __post_init__(self) -> None:
        pattern = parse(self.left)
        assert isinstance(pattern, Apply_), self.left
        object.__setattr__(self, "pattern", pattern)
        object.__setattr__(self, "result", parse(self.right))


def parse(text: str) -> Pattern:
    """The pattern that ``text`` writes.

    >>> parse("add(x, -0.0)")
    Apply_(name='add', args=(Var_(name='x'), Const(value=-0.0)))
    """
    return _parse(ast.parse(text, mode="eval").body)


def _parse(node: ast.expr) -> Pattern:
    match node:
        case ast.Name(name):
            return Var_(name)
        case ast.Constant(bool(value) | int(value) | float(value)):
            return Const(value)
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value) | float(value))):
            return Const(-value)
        case ast.Call(ast.Name(name), args):
            prim = name.removesuffix("_ck") + ".ck" if name.endswith("_ck") else name
            return Apply_(prim.removesuffix("_"), tuple(_parse(a) for a in args))
        case _:
            raise ValueError(f"not a pattern: {ast.dump(node)}")


def _positive(name: str) -> Condition:
    def holds(binding: Binding) -> bool:
        k = binding[name]
        return isinstance(k, Lit) and k.value > 0 and math.isfinite(k.value)

    return holds


def _nonzero(name: str) -> Condition:
    def holds(binding: Binding) -> bool:
        k = binding[name]
        return isinstance(k, Lit) and k.value != 0

    return holds


REAL = ("real",)
INT = ("int",)
BOOL = ("bool",)
ANY = ("real", "int", "bool")

RULES: tuple[Rule, ...] = (
    # reals
    Rule("times one", "mul(x, 1)", "x", REAL),
    Rule("times minus one", "mul(x, -1)", "neg(x)", REAL),
    Rule("over one", "div(x, 1)", "x", REAL),
    Rule("value of a delta", "delta(x)", "0.0", REAL),
    Rule("value with a delta", "plus_delta(x, y)", "x", REAL),
    Rule("minus zero", "sub(x, 0.0)", "x", REAL),
    Rule("twice negated", "neg(neg(x))", "x", ("real", "int")),
    Rule("flushed twice", "flush(flush(x))", "flush(x)", REAL),
    Rule("plus negated", "add(x, neg(y))", "sub(x, y)", ("real", "int")),
    Rule("product of negated", "mul(neg(x), neg(y))", "mul(x, y)", ("real", "int")),
    Rule("negated times literal", "mul(neg(x), k)", "mul(x, neg(k))", ("real", "int")),
    Rule("sum with one", "fma(1, x, y)", "add(x, y)", REAL),
    Rule("sum with once", "fma(x, 1, y)", "add(x, y)", REAL),
    Rule("sum with minus once", "fma(x, -1, y)", "sub(y, x)", REAL),
    Rule("difference with one", "fnma(1, x, y)", "sub(y, x)", REAL),
    Rule("difference with once", "fnma(x, 1, y)", "sub(y, x)", REAL),
    Rule("difference with minus once", "fnma(x, -1, y)", "add(y, x)", REAL),
    Rule("to the one", "pow(x, 1)", "x", REAL),
    Rule("to the zero", "pow(x, 0)", "1", REAL),
    Rule("square", "pow(x, 2)", "mul(x, x)", REAL, exact=False),
    Rule("inverse", "pow(x, -1)", "div(1, x)", REAL, exact=False),
    Rule("nothing comes back", "mulz(x, 0.0)", "0.0", REAL),
    Rule("all comes back", "mulz(1, x)", "x", REAL),
    Rule("a regular partial", "mulz(k, x)", "mul(k, x)", REAL, when=_positive("k")),
    Rule("a regular cotangent", "mulz(x, k)", "mul(x, k)", REAL, when=_nonzero("k")),
    Rule("nothing is added", "fmaz(x, 0.0, y)", "y", REAL, exact=False),
    Rule("all is added", "fmaz(1, x, y)", "add(y, x)", REAL),
    Rule("a regular partial in a sum", "fmaz(k, x, y)", "fma(k, x, y)", REAL, when=_positive("k")),
    Rule("a regular cotangent in a sum", "fmaz(x, k, y)", "fma(x, k, y)", REAL, when=_nonzero("k")),
    Rule("nothing is taken", "fnmaz(x, 0.0, y)", "y", REAL, exact=False),
    Rule("all is taken", "fnmaz(1, x, y)", "sub(y, x)", REAL),
    Rule("a regular partial in a difference", "fnmaz(k, x, y)", "fnma(k, x, y)", REAL,
         when=_positive("k")),
    Rule("a regular cotangent in a difference", "fnmaz(x, k, y)", "fnma(x, k, y)", REAL,
         when=_nonzero("k")),
    Rule("larger of equals", "max(x, x)", "x", ("real", "int")),
    Rule("smaller of equals", "min(x, x)", "x", ("real", "int")),
    Rule("maximum of equals", "maximum(x, x)", "x", ("real", "int")),
    Rule("minimum of equals", "minimum(x, x)", "x", ("real", "int")),
    # integers (they wrap)
    Rule("plus zero", "add(x, 0)", "x", INT),
    Rule("less zero", "sub(x, 0)", "x", INT),
    Rule("once", "mul(x, 1)", "x", INT),
    Rule("never", "mul(x, 0)", "0", INT),
    Rule("less itself", "sub(x, x)", "0", INT),
    Rule("less literal", "sub(x, k)", "add(x, neg(k))", INT),
    Rule("literals together", "add(add(x, k), l)", "add(x, add(k, l))", INT),
    Rule("factors together", "mul(mul(x, k), l)", "mul(x, mul(k, l))", INT),
    Rule("there and back", "add(sub(x, y), y)", "x", INT),
    Rule("back again", "sub(x, sub(x, y))", "y", INT),
    Rule("checked plus zero", "add_ck(x, 0)", "x", INT),
    Rule("checked once", "mul_ck(x, 1)", "x", INT),
    Rule("int to the zero", "ipow_ck(x, 0)", "1", INT),
    Rule("int to the one", "ipow_ck(x, 1)", "x", INT),
    Rule("int square", "ipow_ck(x, 2)", "mul_ck(x, x)", INT),
    # truth values
    Rule("not not", "not_(not_(x))", "x", BOOL),
    Rule("and true", "and_(x, True)", "x", BOOL),
    Rule("and false", "and_(x, False)", "False", BOOL),
    Rule("or false", "or_(x, False)", "x", BOOL),
    Rule("or true", "or_(x, True)", "True", BOOL),
    Rule("or itself", "or_(x, x)", "x", ("bool", "int")),
    # comparisons of numbers that cannot be NaN
    Rule("equal to itself", "eq(x, x)", "True", ("int", "bool")),
    Rule("at most itself", "le(x, x)", "True", ("int", "bool")),
    Rule("at least itself", "ge(x, x)", "True", ("int", "bool")),
    Rule("unequal to itself", "ne(x, x)", "False", ("int", "bool")),
    Rule("below itself", "lt(x, x)", "False", ANY),
    Rule("above itself", "gt(x, x)", "False", ANY),
    Rule("not below", "not_(lt(x, y))", "ge(x, y)", INT),
    Rule("not above", "not_(gt(x, y))", "le(x, y)", INT),
    Rule("not at most", "not_(le(x, y))", "gt(x, y)", INT),
    Rule("not at least", "not_(ge(x, y))", "lt(x, y)", INT),
    Rule("not equal", "not_(eq(x, y))", "ne(x, y)", ANY),
    Rule("not unequal", "not_(ne(x, y))", "eq(x, y)", ANY),
    # choices
    Rule("chosen", "select(True, x, y)", "x", ANY),
    Rule("not chosen", "select(False, x, y)", "y", ANY),
    Rule("no choice", "select(c, x, x)", "x", ANY),
    Rule("turned choice", "select(not_(c), x, y)", "select(c, y, x)", ANY),
    Rule("the condition", "select(x, True, False)", "x", BOOL),
    Rule("its negation", "select(x, False, True)", "not_(x)", BOOL),
    Rule("both", "select(x, y, False)", "and_(x, y)", BOOL),
    Rule("either", "select(x, True, y)", "or_(x, y)", BOOL),
)


def by_head() -> dict[str, tuple[Rule, ...]]:
    """The rows by the primitive at the top of their left side."""
    found: dict[str, list[Rule]] = {}
    for rule in RULES:
        found.setdefault(rule.pattern.name, []).append(rule)
    return {name: tuple(rows) for name, rows in found.items()}
