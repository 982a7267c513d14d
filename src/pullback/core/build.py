"""Building blocks of Core, one let after the other."""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.messages import Message, Raised
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, Row, Static
from pullback.core.terms import Atom, Block, Index, Let, Lit, Op, Prim, Site, Var
from pullback.core.types import BOOL, F64, I64, Array, Bool, Int, Real, Type


def f64(x: float) -> Lit:
    """A float64 literal."""
    return Lit(float(x), F64)


def i64(n: int) -> Lit:
    """An int64 literal."""
    return Lit(int(n), I64)


def boolean(b: bool) -> Lit:
    """A Bool literal."""
    return Lit(bool(b), BOOL)


def lit(value: float | int | bool, t: Type) -> Lit:
    """A literal of scalar type ``t``, the value converted to it."""
    if isinstance(t, Real):
        return Lit(float(value), t)
    if t == BOOL:
        return Lit(bool(value), t)
    return Lit(int(value), t)


class Builder:
    """Appends lets; ``block(results)`` closes it. For a sub-block make another Builder.

    >>> from pullback.core.pretty import show_block
    >>> b = Builder()
    >>> x = Var("x", F64)
    >>> print(show_block(b.block((b.prim("mul", x, b.prim("add", x, f64(1))),))))
    let t:f64 = add x 1.0
    let t1:f64 = mul x t
    return t1
    """

    def __init__(self) -> None:
        self.lets: list[Let] = []
        self.noted: Callable[[Let], None] | None = None  # is told of each let that is made

    def let(
        self,
        op: Op,
        types: tuple[Type, ...],
        site: Site | None = None,
        names: tuple[str, ...] = (),
    ) -> tuple[Var, ...]:
        """Bind the results of ``op`` to fresh variables of these types (``names`` are hints)."""
        hints = names or ("t",) * len(types)
        vs = tuple(Var(name, t) for name, t in zip(hints, types, strict=True))
        made = Let(vs, op, site)
        self.lets.append(made)
        if self.noted is not None:
            self.noted(made)
        return vs

    def prim(
        self,
        name: str,
        *args: Atom,
        static: Static = (),
        site: Site | None = None,
        hint: str = "t",
    ) -> Var:
        """The one result of a primitive."""
        types = prim_types(name, args, static)
        (v,) = self.let(Prim(name, args, static), types, site, (hint,) * len(types))
        return v

    def unread(self, t: Type) -> Atom:
        """A value of this type that nobody looks at."""
        scalar = isinstance(t, (Real, Int, Bool))
        return lit(0, t) if scalar else self.prim("undefined", static=(t,), hint="none")

    def require(
        self, cond: Atom, exception: Raised, message: str | Message, site: Site | None = None,
        name: str = "require", leaves: tuple[Atom, ...] = (),
    ) -> None:  # fmt: skip
        """Raise ``exception`` here when ``cond`` is false. ``leaves``: the values that
        the message shows."""
        self.let(Prim(name, (cond, *leaves), (exception, message)), (), site)

    def index(
        self, a: Atom, idx: tuple[Atom, ...], checked: bool, site: Site | None = None
    ) -> Var:
        """One element of an array."""
        if not isinstance(a.type, Array):
            raise TypeError(f"index of {a.type}")
        (v,) = self.let(Index(a, idx, checked), (a.type.elem,), site)
        return v

    def dim(self, a: Atom, axis: int) -> Var:
        """An extent of an array or handle."""
        return self.prim("dim", a, static=(axis,), hint="n")

    def extend(self, block: Block) -> tuple[Atom, ...]:
        """Append the lets of a block (not renamed) and return its results."""
        self.lets.extend(block.lets)
        return block.results

    def block(self, results: tuple[Atom, ...] = ()) -> Block:
        """The block built so far."""
        return Block(tuple(self.lets), results)


def prim_types(
    name: str, args: tuple[Atom, ...], static: Static
) -> tuple[Type, ...]:
    """The result types of a primitive; TypeError names it when it does not apply."""
    if name not in TABLE:
        raise TypeError(f"no primitive {name!r}")
    try:
        return TABLE[name].rule(tuple(a.type for a in args), static)
    except TypeError as e:
        raise TypeError(f"primitive {name!r} {e}") from None


def partial(b: Builder, row: Row, i: int, args: tuple[Atom, ...], result: Atom) -> Atom | Mark:
    """The partial derivative of ``result = row(args)`` by argument ``i``: an atom of the type of
    the argument (emitted into ``b``), or the mark that stands in the table."""
    cell = row.partial(i)
    if isinstance(cell, Mark):
        return cell
    if isinstance(cell, float):
        return lit(cell, args[i].type)
    return cell(b, args, result)


def scale(b: Builder, row: Row, p: Atom, ct: Atom, target: Type) -> Atom:
    """``p * ct`` as the row wants it (see ``Row.product``), as a value of type ``target``.

    The same in both modes: ct is the result's cotangent (target: the argument's type) or the
    argument's tangent (target: the result's type)."""
    if ct.type != target:  # a conversion between widths, whose partial is 1
        return b.prim("to_real", ct, static=(target,))
    if isinstance(p, Lit) and p.value == 1.0:
        return ct
    if isinstance(p, Lit) and p.value == -1.0:
        return b.prim("neg", ct)
    match row.product:
        case "mul":
            return b.prim("mul", p, ct)
        case "mulz":
            return b.prim("mulz", p, ct)
        case "gate":
            return b.prim("select", p, ct, lit(0.0, ct.type))
