"""Terms as the papers print them: patterns, do-blocks, operators between their arguments, no types.

    let z = e in .. fst z .. snd z ..       let (z, dz) = e in .. z .. dz ..
    \\x. .. fst x .. snd x ..                \\(x, dx). .. x .. dx ..
    m >>= \\_. k,  scope_x 0 m >>= \\r. k     do { m; k },  do { (dx, ()) <- scope_x m; k }
    let i = deltaLet u s in .. snd i ..     do { i <- deltaLet u; .. }
    a +_S b, f ∘ g                          without brackets where there is nothing to tell apart

A variable is a pattern where parts of it are used. ``show`` (``pretty``) prints the term as it
is; this is for reading beside the figures, after the administrative steps (``administrative``).

>>> from pullback.papers.language.build import let, prim
>>> from pullback.papers.language.terms import Pair, Var
>>> t = let("z", Pair(prim("add", Var("x"), Var("y")), Var("d")), lambda z: prim(
...     "mul", Fst(z.t), Fst(Snd(z.t))))
>>> print(noted(t))
let (z, (dz, _)) = (x + y, d) in z * dz
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pullback.papers.language.administrative import MARK, uses
from pullback.papers.language.arrays import OPS
from pullback.papers.language.ops import Library
from pullback.papers.language.pretty import Printer
from pullback.papers.language.terms import (
    EV,
    App,
    Case,
    Con,
    Fst,
    Lam,
    Let,
    LetRec,
    Match,
    Op,
    Pair,
    Prim,
    Snd,
    Term,
    Var,
)
from pullback.papers.language.traverse import deeply, free_vars

NAMES = {"ev_one": "one", "ev_zero": "0", "mulz": "mul"}
INFIX = {"+_S": "+_S", "+_c": "+_c", "∘": "∘", "comp": "∘", "plus": "+", "ev_plus": "+"}
"""Operations that stand between their arguments, and associate."""
LARGEST = 4
"""Of a variable that is used as a whole and by parts: how many parts the pattern may have."""
CIRCLED = {"plus": "⊕", "times": "⊗"}
"""Variables that stand for operations at the type of the input (Krawiec et al., Fig. 1)."""


def noted(
    t: Term, library: Library = OPS, context: Sequence[str] = (), state: str = "",
    counter: str = "", width: int = 96,
) -> str:  # fmt: skip
    """Return a term as the papers print it. ``context`` names the variables of the program, which
    become the pattern of one lambda; ``state`` is the variable of a monad whose do-block
    it is, ``counter`` that of the next ID."""
    printer = Notation(width, library)

    def text() -> str:
        for x in free_vars(t):
            if x not in context:
                printer.names[x] = printer.choose(x)
        if not context:
            return printer.whole(t, state, 0)
        heads = [printer.bind(x, t) for x in context]
        head = heads[0] if len(heads) == 1 else f"({', '.join(heads)})"
        if counter:
            head = f"{head} {printer.names[counter]}"
        body = printer.whole(t, state, 1)
        return printer.joined(f"\\{head}.", body, 1)

    return deeply(text)


def state_of(t: Term) -> str:
    """Return the variable of which a term is the state."""
    while isinstance(t, Snd):
        t = t.t
    return t.name if isinstance(t, Var) else ""


class Notation(Printer):
    """The printer, with a name for each part of a variable that is used."""

    hints: dict[str, str]
    rights: dict[str, str]
    patterns: dict[tuple[str, str], str]
    states: frozenset[str]

    def __init__(self, width: int, library: Library) -> None:
        super().__init__(width, library)
        self.patterns, self.hints, self.rights, self.monad = {}, {}, {}, ""
        self.states = frozenset()

    def whole(self, t: Term, state: str, indent: int) -> str:
        """Return the body, a do-block if there is a state."""
        self.monad, self.states = state, frozenset({state})
        if not state:
            return self.text(t, 0, indent)
        return f"do {{ {self.text(t, 0, indent + 5)} }}"

    # --- patterns ---------------------------------------------------------------------------------

    def bind(self, x: str, *bodies: Term) -> str:
        """Choose the names of a binder, and return its pattern."""
        paths = [path for body in bodies for path, _ in uses(body, x)]
        return self.pattern(x, "", paths, self.hints.get(x, x.split("$")[0].rstrip(MARK)))

    def pattern(self, x: str, at: str, paths: Sequence[str], base: str) -> str:
        """Return the pattern of the part of x at a path."""
        if not paths:
            return "_" if at else self.leaf(x, at, base)
        whole = "" in paths
        if whole and not 0 < len({p for p in paths if p}) <= LARGEST:
            return self.leaf(x, at, base)
        # Where it is used as a whole too, every part has a name, and the whole is the pattern.
        left, right = ([p[1:] for p in paths if p[:1] == side] or [""] * whole for side in "fs")
        text = (f"({self.pattern(x, at + 'f', left, base)}, "
                f"{self.pattern(x, at + 's', right, 'd' + self.rights.get(x, base))})")
        if whole:
            self.name(x, at, text)
        return text

    def label(self, x: str) -> str:
        return self.names.get(x, x.split("$")[0].rstrip(MARK))

    def leaf(self, x: str, at: str, base: str) -> str:
        """Choose a name for a part of x."""
        return self.name(x, at, self.choose(base) if base != "_" else "_")

    def name(self, x: str, at: str, text: str) -> str:
        """Call a part of x so."""
        if at:
            self.patterns[x, at] = text
        self.names[f"{x}.{at}" if at else x] = text
        return text

    def release(self, x: str) -> None:
        """Forget the names of a binder."""
        self.names.pop(x, None)
        for key in [key for key in self.patterns if key[0] == x]:
            del self.patterns[key]
            self.names.pop(f"{x}.{key[1]}", None)

    def under(
        self, names: Sequence[str], t: Term, level: int, indent: int
    ) -> tuple[list[str], str]:
        """Return the patterns of binders, and the text of what is under them."""
        chosen = [self.bind(x, t) for x in names]
        text = self.text(t, level, indent)
        for x in names:
            self.release(x)
        return chosen, text

    # --- terms ------------------------------------------------------------------------------------

    def text(self, t: Term, level: int, indent: int) -> str:
        match t:
            case Var(x):
                return self.label(x)
            case Fst() | Snd():
                found = self.part(t)
                return found if found else super().text(t, level, indent)
            case Pair(a, b):
                return self.returned(a, b, indent)
            case Lam(x, _, Lam(s, _, body)) if self.monad and self.gives_state(body, {s}):
                return self.action(x, s, body, level, indent)
            case Lam(x, _, body, kind, _):
                if kind == "-o":
                    self.hints.setdefault(x, "d")
                (name,), text = self.under((x,), body, 0, indent + 1)
                mark = {"->": "", "-o": "_", "->□": "□", "~>": "~"}[kind]
                line = self.joined(f"\\{mark}{name}.", text, indent + 1)
                return f"({line})" if level else line
            case Let(x, App(App(Var("deltaLet"), u), s), body) if self.is_state(s):
                return self.statement(
                    x, "f", f"deltaLet {self.text(u, 5, indent)}", {x}, body, indent)
            case Let(i, Op("size", (s,)), Let(x, Op("push", (s1, e)), body)) if (
                    self.is_state(s) and self.is_state(s1)):
                return self.statement(i, "", f"push {self.text(e, 5, indent)}", {x}, body, indent)
            case Let(x, bound, body) if self.monad and self.gives_state(bound, self.states):
                return self.statement(x, "f", self.text(bound, 0, indent + 2), {x}, body, indent)
            case App(fn, s) if self.monad and self.is_state(s):
                return self.text(fn, level, indent)
            case Let(x, Op("split", _, (EV(gamma),)), body):
                self.hints[x], self.rights[x] = "e", gamma[-1][0].split("$")[0].rstrip(MARK)
                return super().text(t, level, indent)
            case App(Var(f), Pair(a, b)) if f in CIRCLED:
                line = f"{self.text(a, 4, indent)} {CIRCLED[f]} {self.text(b, 4, indent)}"
                return f"({line})" if level > 1 else line
            case Con("Edges", (es,)):
                return self.text(es, 0, indent)
            case Prim("mulz", args):
                return self.text(Prim("mul", args), level, indent)
            case Op("ev_one" | "ev_zero" as name, args, static):
                return self.text(Op(NAMES[name], args, static), level, indent)
            case Op("scope", (_, m), (str(x), *_)):
                line = f"scope_{self.label(x)} {self.text(m, 5, indent)}"
                return f"({line})" if level > 4 else line
            case Op("bind", (m, Lam(x, _, body))):
                return self.actions(m, x, body, indent, level)
            case Op(name, (a, b)) if name in INFIX:
                line = f"{self.text(a, 1, indent)} {INFIX[name]} {self.text(b, 1, indent)}"
                return f"({line})" if level > 1 else line
            case _:
                return super().text(t, level, indent)

    def part(self, t: Term) -> str:
        """Return the name of a part of a variable; "" if it has none."""
        at, path = t, ""
        while isinstance(at, Fst | Snd):
            path = ("f" if isinstance(at, Fst) else "s") + path
            at = at.t
        if not isinstance(at, Var):
            return ""
        return self.patterns.get((at.name, path), "")

    def returned(self, a: Term, b: Term, indent: int) -> str:
        """(a, b); what a do-block returns with its state is ``pure a``."""
        if self.monad and isinstance(b, Snd | Var) and self.is_state(b):
            return f"pure {self.text(a, 5, indent)}"
        first, second = self.text(a, 0, indent + 1), self.text(b, 0, indent + 1)
        line = f"({first}, {second})"
        if "\n" in first or indent + len(line.partition("\n")[0]) > self.width + 4:
            return f"({first},\n{' ' * (indent + 1)}{second})"
        return line

    def is_state(self, t: Term) -> bool:
        """Whether a term is the state of the monad, which goes through unnamed."""
        return state_of(t) in self.states

    def gives_state(self, t: Term, states: Collection[str]) -> bool:
        """Whether a term gives a value and the state: an action that is run."""
        known = set(states)
        while isinstance(t, Let):
            if (isinstance(t.bound, Op) and t.bound.name == "push") or (
                    self.gives_state(t.bound, known)):
                known.add(t.x)
            t = t.body
        match t:
            case Case(_, _, left, _, right):
                return self.gives_state(left, known) or self.gives_state(right, known)
            case Match(_, arms):
                return any(self.gives_state(arm.body, known) for arm in arms)
            case LetRec(_, body):
                return self.gives_state(body, known)
            case Pair(_, s) | App(_, s):
                return state_of(s) in known
            case Op("traverse" | "sequence" | "sequence2" | "foldM" | "scanM", (*_, s)):
                return state_of(s) in known
            case _:
                return False

    def action(self, x: str, s: str, body: Term, level: int, indent: int) -> str:
        """\\x. do { body }, of a function into the monad."""
        self.states |= {s}
        (name,), text = self.under((x,), body, 0, indent + 5)
        line = self.joined(f"\\{name}.", f"do {{ {text} }}" if "\n" in text else text, indent + 1)
        return f"({line})" if level else line

    def statement(
        self, x: str, at: str, text: str, states: set[str], body: Term, indent: int
    ) -> str:  # fmt: skip
        """x <- text; body. ``at`` is the path to what is named, the rest is the state."""
        self.states |= states
        used = any(path.startswith(at) for path, _ in uses(body, x))
        name = self.leaf(x, at, x.split("$")[0].rstrip(MARK)) if used else "_"
        rest = self.text(body, 0, indent)
        self.release(x)
        return f"{name} <- {text};\n{' ' * indent}{rest}"

    def actions(self, m: Term, x: str, body: Term, indent: int, level: int) -> str:
        """do { m; body }, do { x <- m; body }."""
        first = self.text(m, 0, indent + 5)
        used = bool(uses(body, x))
        if isinstance(m, Op) and m.name == "scope":  # (the cell's cotangent, the result)
            self.hints[x] = "d" + str(m.static[0]).split("$")[0].rstrip(MARK)
        chosen, rest = self.under((x,), body, 0, indent + 5)
        head = f"{chosen[0]} <- {first}" if used else first
        rest = rest[5:-2] if rest.startswith("do { ") and rest.endswith(" }") else rest
        line = f"do {{ {head}; {rest} }}"
        if indent + len(line) > self.width or "\n" in line:
            line = f"do {{ {head};\n{' ' * (indent + 5)}{rest} }}"
        return f"({line})" if level else line
