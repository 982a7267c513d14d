"""Nested terms and types as text, close to the papers' notation.

Names made by ``fresh`` lose their number where the bare name is not in use; what is in sight is
told apart (d, d1, d2). The same term always gives the same text. A term that fits on one line is
on one line; else lets, cases and lambdas open lines.

>>> from pullback.papers.language.terms import Let, Prim, Var
>>> print(show(Prim("mul", (Prim("add", (Var("x"), Var("y"))), Prim("sin", (Var("x"),))))))
(x + y) * sin x
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pullback.papers.language.arrays import OPS
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    EV,
    EVM,
    App,
    Arr,
    Build,
    Case,
    Con,
    Data,
    DataDecl,
    Exists,
    Fold,
    Foldl,
    Forall,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    Let,
    LetRec,
    Lit,
    Map,
    Match,
    Nil,
    Op,
    Pack,
    Pair,
    Plus,
    Prim,
    Prod,
    Real,
    Scan,
    Snd,
    Static,
    Term,
    TVar,
    TyApp,
    TyLam,
    Type,
    Unit,
    Unpack,
    Var,
    ZipWith,
)
from pullback.papers.language.traverse import deeply, free_vars

# How tightly a text holds together:
# 0 let, lambda, case; 1 comparison; 2 + -; 3 * /; 4 application; 5 atom
_INFIX = {
    "add": ("+", 2), "sub": ("-", 2), "mul": ("*", 3), "div": ("/", 3), "lt": ("<", 1),
    "le": ("<=", 1), "gt": (">", 1), "ge": (">=", 1), "eq": ("==", 1), "ne": ("!=", 1),
}  # fmt: skip


def show(t: Term, width: int = 96, library: Library = OPS) -> str:
    """Return a term as text."""
    printer = Printer(width, library)
    for x in free_vars(t):
        printer.names[x] = printer.choose(x)
    return deeply(lambda: printer.text(t, 0, 0))


def show_type(t: Type, level: int = 0) -> str:
    """Return a type as text."""
    match t:
        case Real():
            return "R"
        case Int():
            return "Z"
        case Unit():
            return "1"
        case TVar(name):
            return name
        case Plus(Unit(), Unit()):
            return "B"
        case Prod(a, b):
            return _wrap(f"{show_type(a, 2)} * {show_type(b, 3)}", level > 2)
        case Plus(a, b):
            return _wrap(f"{show_type(a, 1)} + {show_type(b, 2)}", level > 1)
        case Fun(a, b, kind):
            return _wrap(f"{show_type(a, 1)} {kind} {show_type(b, 0)}", level > 0)
        case Arr(a):
            return _wrap(f"Arr {show_type(a, 4)}", level > 3)
        case Data(("×!" | "+!") as name, (a, b)):
            return _wrap(f"{show_type(a, 3)} {name} {show_type(b, 3)}", level > 1)
        case Data("L", (a,)):
            return f"L({show_type(a)})"
        case Data(name, args):
            text = " ".join([name, *(show_type(a, 4) for a in args)])
            return _wrap(text, bool(args) and level > 3)
        case Forall(names, body):
            return _wrap(f"Forall {' '.join(names)}. {show_type(body)}", level > 0)
        case Exists(name, body):
            return _wrap(f"Exists {name}. {show_type(body)}", level > 0)
        case EV(context):
            return _wrap(f"EV ({_context(context)})", level > 3)
        case EVM(context, result):
            return _wrap(f"EVM ({_context(context)}) {show_type(result, 4)}", level > 3)
        case _:
            assert_never(t)


def show_decl(d: DataDecl) -> str:
    """Return a declaration as text."""
    cases = [" ".join([c, *(show_type(f, 4) for f in fields)]) for c, fields in d.constructors]
    return f"data {' '.join([d.name, *d.params])} = {' | '.join(cases)}"


def _context(context: Sequence[tuple[str, Type]]) -> str:
    return ", ".join(f"{x.split('$')[0]}:{show_type(t)}" for x, t in context)


def _wrap(text: str, yes: bool) -> str:
    return f"({text})" if yes else text


class Printer:
    """Text of terms; names in sight are told apart."""

    def __init__(self, width: int, library: Library) -> None:
        self.width = width
        self.library = library
        self.names: dict[str, str] = {}

    def choose(self, x: str) -> str:
        """Return a name for a variable, unlike those of all variables in sight."""
        base = x.split("$")[0]
        used = set(self.names.values())
        if base == "_" or base not in used:
            return base
        k = 1
        while f"{base}{k}" in used:
            k += 1
        return f"{base}{k}"

    def under(
        self, names: Sequence[str], t: Term, level: int, indent: int
    ) -> tuple[list[str], str]:
        """Return the names chosen for binders, and the text of what is under them."""
        old = {x: self.names.pop(x, None) for x in names}
        for x in names:
            self.names[x] = self.choose(x)
        chosen = [self.names[x] for x in names]
        text = self.text(t, level, indent)
        for x, before in old.items():
            del self.names[x]
            if before is not None:
                self.names[x] = before
        return chosen, text

    def text(self, t: Term, level: int, indent: int) -> str:
        match t:
            case Let() | LetRec() | Case() | Match() | Lam() | Unpack() | TyLam():
                text = self.opening(t, indent + (1 if level else 0))
                return _wrap(text, level > 0)
            case Prim():
                return self.prim(t, level, indent)
            case Op("homomorphism", (Lam(x, a, body, _, role),)):
                return self.text(Lam(x, a, body, "-o", role), level, indent)
            case Op():
                return self.op(t, level, indent)
            case _:
                return self.plain(t, level, indent)

    def joined(self, head: str, body: str, indent: int) -> str:
        """Return head and body on one line if they fit, else the body below."""
        line = f"{head} {body}"
        if "\n" not in line and indent + len(line) <= self.width:
            return line
        return f"{head}\n{' ' * indent}{body}"

    def opening(self, t: Term, indent: int) -> str:
        """Return the text of a term that opens a line: bodies stand below their heads at the same
        column."""
        match t:
            case Let(x, bound, body):
                value = self.text(bound, 0, indent + 2)
                (name,), text = self.under((x,), body, 0, indent)
                return self.joined(f"let {name} = {value} in", text, indent)
            case LetRec(recs, body):
                fs = tuple(r.f for r in recs)
                defs = []
                for k, r in enumerate(recs):
                    chosen, text = self.under(fs, r.fn, 0, indent + 2)
                    defs.append(f"{chosen[k]} : {show_type(r.type)} = {text}")
                _, text = self.under(fs, body, 0, indent)
                joint = f"\n{' ' * indent}and "
                return self.joined(f"letrec {joint.join(defs)} in", text, indent)
            case Lam(x, a, body, kind, _):
                (name,), text = self.under((x,), body, 0, indent + 1)
                mark = {"->": "", "-o": "_", "->□": "□", "~>": "~"}[kind]
                return self.joined(f"\\{mark}{name}:{show_type(a)}.", text, indent + 1)
            case Case(a, x, left, y, right):
                return self.branches(f"case {self.text(a, 1, indent)} of", [
                    ("inl", (x,), left), ("inr", (y,), right)], indent)
            case Match(a, arms):
                return self.branches(f"match {self.text(a, 1, indent)} with", [
                    (arm.con, arm.names, arm.body) for arm in arms], indent)
            case Unpack(a, alpha, x, body):
                head = f"case {self.text(a, 1, indent)} of pack[{alpha.split('$')[0]}]"
                return self.branches(head, [("", (x,), body)], indent)
            case TyLam(names, a):
                return f"/\\{' '.join(names)}. {self.text(a, 0, indent)}"
            case _:
                raise AssertionError(t)

    def branches(
        self, head: str, arms: Sequence[tuple[str, Sequence[str], Term]], indent: int
    ) -> str:
        texts = []
        for con, names, body in arms:
            chosen, text = self.under(names, body, 0, indent + 4)
            texts.append(" ".join([*([con] if con else []), *chosen, "->", text]))
        line = f"{head} {{{'; '.join(texts)}}}"
        if "\n" not in line and indent + len(line) <= self.width:
            return line
        pad = "\n" + " " * (indent + 2)
        return f"{head} {{{pad}{(';' + pad).join(texts)}}}"

    def prim(self, t: Prim, level: int, indent: int) -> str:
        if t.op in _INFIX and len(t.args) == 2:
            symbol, own = _INFIX[t.op]
            left = self.text(t.args[0], own, indent)
            right = self.text(t.args[1], own + 1, indent)
            return _wrap(f"{left} {symbol} {right}", level > own)
        if t.op == "neg" and len(t.args) == 1:
            return _wrap(f"-{self.text(t.args[0], 4, indent)}", level > 3)
        return self.applied(t.op, t.args, level, indent)

    def applied(self, name: str, args: Sequence[Term], level: int, indent: int) -> str:
        text = " ".join([name, *(self.text(a, 5, indent) for a in args)])
        return _wrap(text, bool(args) and level > 4)

    def op(self, t: Op, level: int, indent: int) -> str:
        template = self.library[t.name].show if t.name in self.library else ""
        if not template:
            names = [s for s in t.static if isinstance(s, str)]
            return self.applied("_".join([t.name, *map(self.label, names)]), t.args, level, indent)
        if template == "{0}":
            return self.text(t.args[0], level, indent)
        args = [self.text(a, 5, indent) for a in t.args]
        text = template.format(*args, s=", ".join(map(self.static, t.static)))
        return _wrap(text, level > 1 and " " in text)

    def label(self, x: str) -> str:
        return self.names.get(x, x.split("$")[0])

    def static(self, s: Static) -> str:
        if isinstance(s, str):
            return self.label(s)
        return str(s) if isinstance(s, int) else show_type(s)

    def plain(self, t: Term, level: int, indent: int) -> str:
        match t:
            case Var(x):
                return self.names.get(x, x)
            case Lit(value):
                text = f"{value:g}" if isinstance(value, float) else str(value)
                exact = not isinstance(value, float) or float(text) == value
                return _wrap(text if exact else repr(value), text.startswith("-") and level > 3)
            case Nil():
                return "()"
            case Pair(a, b):
                first = self.text(a, 0, indent)
                if isinstance(a, Pair):
                    first = first[1:-1]  # tuples associate to the left: ((a,b),c) = (a,b,c)
                return f"({first}, {self.text(b, 0, indent)})"
            case App(fn, arg):
                text = f"{self.text(fn, 4, indent)} {self.text(arg, 5, indent)}"
                return _wrap(text, level > 4)
            case Fst(a):
                return self.applied("fst", (a,), level, indent)
            case Snd(a):
                return self.applied("snd", (a,), level, indent)
            case Inl(a):
                return "False" if t_is_bool(t) else self.applied("inl", (a,), level, indent)
            case Inr(a):
                return "True" if t_is_bool(t) else self.applied("inr", (a,), level, indent)
            case Con(name, args):
                return self.applied(name, args, level, indent)
            case Build(n, i, body):
                return self.binder("build", (n,), (i,), body, (), level, indent)
            case Map(x, body, a):
                return self.binder("map", (), (x,), body, (a,), level, indent)
            case ZipWith(x, y, body, a, b):
                return self.binder("zipWith", (), (x, y), body, (a, b), level, indent)
            case Fold(p, body, a):
                return self.binder("fold", (), (p,), body, (a,), level, indent)
            case Scan(p, body, a):
                return self.binder("scan", (), (p,), body, (a,), level, indent)
            case Foldl(acc, x, body, z, a):
                return self.binder("foldl", (), (acc, x), body, (z, a), level, indent)
            case TyApp(a, types):
                return f"{self.text(a, 5, indent)} [{', '.join(map(show_type, types))}]"
            case Pack(witness, a):
                return self.applied(f"pack[{show_type(witness)}]", (a,), level, indent)
            case _:
                raise AssertionError(t)

    def binder(
        self, name: str, before: Sequence[Term], names: Sequence[str], body: Term,
        after: Sequence[Term], level: int, indent: int,
    ) -> str:  # fmt: skip
        chosen, text = self.under(names, body, 0, indent + 2)
        words = [name, *(self.text(t, 5, indent) for t in before),
                 f"({' '.join(chosen)}. {text})", *(self.text(t, 5, indent) for t in after)]
        return _wrap(" ".join(words), level > 4)


def t_is_bool(t: Inl | Inr) -> bool:
    """Whether an injection is a truth value."""
    return isinstance(t.t, Nil) and isinstance(t.other, Unit)
