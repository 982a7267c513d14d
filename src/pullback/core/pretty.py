"""Core as text. Names are the variables' hints, made unique in the order of appearance.

>>> from pullback.core.build import Builder, f64
>>> from pullback.core.terms import Function, If, Program, Var
>>> from pullback.core.types import F64
>>> x, b, then = Var("x", F64), Builder(), Builder()
>>> y = then.prim("log", x, hint="y")
>>> c = b.prim("gt", x, f64(0.0), hint="c")
>>> (r,) = b.let(If(c, then.block((y,)), Builder().block((f64(0.0),))), (F64,), None, ("r",))
>>> f = Function("f", (x,), b.block((r,)), (F64,))
>>> print(show(Program({"f": f}, {}, "f")))
main f(x:f64) -> f64
  let c:bool = gt x 0.0
  let r:f64 = if c
    then
      let y:f64 = log x
      return y
    else
      return 0.0
  return r
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pullback.core.messages import Message, exception_text
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Loop,
    MakeTuple,
    Op,
    Prim,
    Program,
    Project,
    Ruled,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import (
    Array,
    Bool,
    Decl,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    Variant,
    levels,
)


def show(program: Program) -> str:
    """The whole program: declarations, then functions, main first."""
    parts = [show_decl(d) for d in program.decls.values()]
    order = sorted(program.functions.values(), key=lambda f: f.name != program.main)
    for fn in order:
        keyword = "main" if fn.name == program.main else "fun"
        parts.append(show_function(fn, keyword, program.decls))
    return "\n\n".join(parts)


def show_decl(decl: Decl) -> str:
    """A declaration on one line."""
    return f"type {decl.name} = " + " | ".join(_variant(v) for v in decl.variants)


def show_function(
    fn: Function, keyword: str = "fun", decls: dict[str, Decl] | None = None
) -> str:
    """A function (``decls`` give the variants of declared types their names)."""
    p = Printer(decls)
    params = ", ".join(p.bind(v) for v in fn.params)
    results = ", ".join(show_type(t) for t in fn.results) or "()"
    p.line(0, f"{keyword} {fn.name}({params}) -> {results}")
    p.block(fn.body, 1)
    return "\n".join(p.lines)


def show_block(block: Block) -> str:
    """A block on its own."""
    p = Printer()
    p.block(block, 0)
    return "\n".join(p.lines)


def show_let(x: Let) -> str:
    """A let on its own."""
    p = Printer()
    p.let(x, 0)
    return "\n".join(p.lines)


def show_type(t: Type) -> str:
    """A type.

    >>> from pullback.core.types import F32, F64, I64
    >>> show_type(Array(Array(F64, 2), 1))
    'f64[:,:][:]'
    >>> show_type(Tuple((F32, I64), ("x", "n"), "m:Point"))
    'm:Point(x:f32, n:i64)'
    """
    match t:
        case Real(bits):
            return f"f{bits}"
        case Int(bits):
            return f"i{bits}"
        case Bool():
            return "bool"
        case Array(elem, rank):
            return f"{show_type(elem)}[{','.join(':' * rank)}]"
        case Tuple(items, names, cls):
            if names:
                fields = zip(names, items, strict=True)
                return f"{cls}({', '.join(f'{n}:{show_type(i)}' for n, i in fields)})"
            return f"({', '.join(show_type(i) for i in items)})"
        case Sum(variants):
            return f"<{' | '.join(_variant(v) for v in variants)}>"
        case Named(name):
            return name
        case Handle(rank):
            return f"handle[{','.join(':' * rank)}]"
        case _:
            assert_never(t)


def _types(ts: Sequence[Type]) -> str:
    return ", ".join(show_type(t) for t in ts)


def _variant(v: Variant) -> str:
    return f"{v.name}({_types(v.fields)})" if v.fields else v.name


class Printer:
    """The lines so far, and the names of variables."""

    def __init__(self, decls: dict[str, Decl] | None = None) -> None:
        self.decls = decls or {}
        self.lines: list[str] = []
        self.names: dict[Var, str] = {}
        self.taken: dict[str, int] = {}

    def line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def name(self, v: Var) -> str:
        if v not in self.names:
            hint = v.name or "t"
            while True:
                n = self.taken.get(hint, 0)
                self.taken[hint] = n + 1
                unique = hint if n == 0 else f"{hint}{n}"
                if n == 0 or unique not in self.taken:
                    break
            self.taken.setdefault(unique, 1)
            self.names[v] = unique
        return self.names[v]

    def bind(self, v: Var) -> str:
        return f"{self.name(v)}:{show_type(v.type)}"

    def atom(self, a: Atom) -> str:
        if isinstance(a, Var):
            return self.name(a)
        text = repr(a.value)
        usual = {float: "f64", int: "i64", bool: "bool"}.get(type(a.value))
        return text if show_type(a.type) == usual else f"{text}:{show_type(a.type)}"

    def atoms(self, xs: Sequence[Atom]) -> str:
        return ", ".join(self.atom(x) for x in xs)

    def variant(self, t: Type, tag: int) -> str:
        """The name of a variant; of an unknown declaration, its number."""
        variants: tuple[Variant, ...] = ()
        if isinstance(t, Named) and t.name in self.decls:
            variants = self.decls[t.name].variants
        elif isinstance(t, Sum):
            variants = t.variants
        prefix = t.name if isinstance(t, Named) else ""
        if not 0 <= tag < len(variants):
            return f"{prefix}#{tag}"
        return (prefix and prefix + ".") + variants[tag].name

    def block(self, b: Block, depth: int) -> None:
        for x in b.lets:
            self.let(x, depth)
        self.line(depth, f"return {self.atoms(b.results)}".rstrip())

    def let(self, x: Let, depth: int) -> None:
        # The op first: a variable is named after those inside its own op are.
        at = len(self.lines)
        head = self.op(x.op, depth)
        names = ", ".join(self.bind(v) for v in x.vars)
        self.lines.insert(at, "  " * depth + (f"let {names} = {head}" if names else f"do {head}"))

    def sub(self, title: str, b: Block, depth: int) -> None:
        self.line(depth + 1, title)
        self.block(b, depth + 2)

    def carried(self, carried: Sequence[Var], inits: Sequence[Atom]) -> str:
        both = zip(carried, inits, strict=True)
        pairs = ", ".join(f"{self.bind(v)} = {self.atom(a)}" for v, a in both)
        return f" with {pairs}" if pairs else ""

    def binder(
        self, word: str, extents: Sequence[Atom], indices: Sequence[Var], b: Block, depth: int
    ) -> str:
        both = zip(indices, extents, strict=False)  # to show what the checker refuses
        pairs = ", ".join(f"{self.name(i)} < {self.atom(n)}" for i, n in both)
        self.block(b, depth + 1)
        return f"{word} {pairs}"

    def op(self, op: Op, depth: int) -> str:
        """The head line of an op; its blocks are appended to ``lines``."""
        match op:
            case Prim(name, args, static):
                words = [name, *(self.atom(a) for a in args)]
                shown = [s if isinstance(s, int) else _static(s) for s in static]
                return " ".join(words) + (f" {{{', '.join(map(str, shown))}}}" if static else "")
            case MakeTuple(_, items):
                return f"({self.atoms(items)})"
            case Project(a, k):
                return f"{self.atom(a)}.{k}"
            case Inject(t, tag, fields):
                return f"inject {self.variant(t, tag)}({self.atoms(fields)})"
            case Case(a, arms):
                head = f"case {self.atom(a)}"
                for k, arm in enumerate(arms):
                    bound = ", ".join(self.bind(v) for v in arm.fields)
                    self.sub(f"{self.variant(a.type, k)}({bound})", arm.body, depth)
                return head
            case If(c, then, orelse):
                head = f"if {self.atom(c)}"
                self.sub("then", then, depth)
                self.sub("else", orelse, depth)
                return head
            case Call(f, args):
                return f"call {f}({self.atoms(args)})"
            case Build(extents, indices, body):
                return self.binder("build", extents, indices, body, depth)
            case Sum_(extents, indices, body):
                return self.binder("sum", extents, indices, body, depth)
            case Loop(n, i, carried, inits, body):
                head = f"loop {self.name(i)} < {self.atom(n)}{self.carried(carried, inits)}"
                self.block(body, depth + 1)
                return head
            case While(carried, inits, cond, body):
                head = f"while{self.carried(carried, inits)}"
                self.sub("cond", cond, depth)
                self.sub("do", body, depth)
                return head
            case Index(a, idx, checked):
                return f"{self.atom(a)}{_bang(checked)}[{self.atoms(idx)}]"
            case Update(a, idx, v, checked):
                path = "".join(f"[{self.atoms(some)}]" for some in levels(a.type, idx))
                return f"{self.atom(a)}{_bang(checked)}{path} := {self.atom(v)}"
            case Ruled(f, args, wrt, rule, _):
                by = " ".join(rule.functions)
                return f"ruled {f}({self.atoms(args)}) wrt {list(wrt)} by {by}"
            case Vjp(f, args, wrt, seeds):
                return f"vjp {f}({self.atoms(args)}) wrt {list(wrt)} seeds ({self.atoms(seeds)})"
            case Jvp(f, args, wrt, ts):
                return f"jvp {f}({self.atoms(args)}) wrt {list(wrt)} tangents ({self.atoms(ts)})"
            case AccNew(extents):
                return f"acc_new({self.atoms(extents)})"
            case AccAdd(h, idx, v):
                return f"{self.atom(h)}[{self.atoms(idx)}] += {self.atom(v)}"
            case AccRead(h, idx, bits):
                return f"acc_read{_bits(bits)} {self.atom(h)}[{self.atoms(idx)}]"
            case AccTake(h, idx, bits):
                return f"acc_take{_bits(bits)} {self.atom(h)}[{self.atoms(idx)}]"
            case TapeRoom(n):
                return f"tape_room({self.atom(n)})"
            case TapePush(words, count, room):
                sizes = ("+".join(f"({self.atoms(n)})" for n in part) for part in (count, room))
                return f"tape_push({'; '.join((self.atoms(words), *sizes))})"
            case TapeWrite(at, word):
                return f"tape_write({self.atom(at)}, {self.atom(word)})"
            case TapeRead(last):
                return f"tape_read({self.atom(last)})"
            case _:
                assert_never(op)


def _bang(checked: bool) -> str:
    return "?" if checked else ""


def _bits(bits: int) -> str:
    return "" if bits == 64 else str(bits)


def _static(s: str | Type | Message | type[Exception]) -> str:
    if isinstance(s, type):
        return repr(exception_text(s))
    return repr(str(s)) if isinstance(s, (str, Message)) else show_type(s)
