"""Rewrite derivatives by data (trees, lists of arrays, functions) as derivatives by vectors.

    Vjp(f, x, seeds)  ==>   unravel(words, Vjp(g, (words, v), seeds)),  where ravel gives
                            (words, v) for x, and g(words, v) = f(unravel(words, v))

The values that f captured are raveled too, so derivatives from outside flow into them as into any
vector. Data among the results of f is raveled for its tangent; for a cotangent c of such a result,
the derivative of the inner product with c is taken. Therefore ``ad`` differentiates functions of
numbers and arrays only, to any depth of nesting, and a node that is shared is one variable
(``ravel``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.ad.ravel import VECTOR, WORDS, Ravel
from pullback.ad.spaces import Spaces
from pullback.core.build import Builder, f64
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Call,
    Function,
    Jvp,
    Let,
    Program,
    Pulls,
    Pushes,
    Ruled,
    Site,
    Sum_,
    Var,
    Vjp,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import all_lets, map_blocks, substitute
from pullback.core.types import F64, I64, Type


def derivatives_by_vectors(program: Program) -> Program:
    """Dialect FLAT to FLAT: no derivative term has arguments or results of data that contains
    reals."""
    spaces = Spaces.of(program.decls)
    functions = dict(program.functions)
    run = _Pass(functions, spaces, Ravel(functions, dict(program.decls)))
    if not any(run.has_data(let) for f in program.functions.values() for let in all_lets(f.body)):
        return program
    for name, f in program.functions.items():
        run.functions[name] = run.function(f)
    return Program(functions, program.decls, program.main)


@dataclass(frozen=True, slots=True)
class _Vector:
    """Data as its structure (words) and the vector of its reals."""

    words: Atom
    n: Atom
    v: Atom
    type: Type


_Part = Atom | _Vector


@dataclass(slots=True)
class _Pass:
    functions: dict[str, Function]
    spaces: Spaces
    ravel: Ravel
    names: dict[Var, Atom] = field(default_factory=dict)
    made: int = 0

    def data(self, t: Type) -> bool:
        """Whether a type contains reals and is neither a number nor an array of numbers."""
        return self.spaces.composite(t)

    def has_data(self, let: Let) -> bool:
        if isinstance(let.op, Ruled):
            given = (let.op.args[i].type for i in let.op.wrt)
            return any(map(self.data, (*given, *(v.type for v in let.vars))))
        if not isinstance(let.op, (Vjp, Jvp)):
            return False
        results = self.functions[let.op.function].results
        return any(self.data(t) for t in (*(a.type for a in let.op.args), *results))

    def function(self, f: Function) -> Function:
        used = {a for let in all_lets(f.body) for a in atoms(let.op) if isinstance(a, Var)}
        used.update(a for b in _blocks(f.body) for a in b.results if isinstance(a, Var))

        def block(old: Block) -> Block:
            b = Builder()
            for let in old.lets:
                if not self.has_data(let):
                    b.lets.append(Let(let.vars, map_blocks(let.op, block), let.site))
                elif isinstance(let.op, Vjp):
                    self.vjp(let, let.op, used, b)
                elif isinstance(let.op, Jvp):
                    self.jvp(let, let.op, used, b)
                elif isinstance(let.op, Ruled):
                    self.ruled(let, let.op, used, b)
            return b.block(old.results)

        return Function(f.name, f.params, substitute(block(f.body), self.names), f.results)

    # -- arguments ------------------------------------------------------------------------------

    def vector(self, x: Atom, b: Builder, site: Site | None) -> _Vector:
        words, n = self.ravel.layout(b, x)
        return _Vector(words, n, self.ravel.along(b, words, n, x, site), x.type)

    def parts(self, xs: Sequence[Atom], b: Builder, site: Site | None) -> list[_Part]:
        """Return the arguments, with data replaced by vectors."""
        return [self.vector(x, b, site) if self.data(x.type) else x for x in xs]

    def inner(
        self, f: Function, body: Builder
    ) -> tuple[list[Var], list[Var], tuple[Atom, ...]]:
        """Begin a function of vectors that calls ``f``: return its parameters, those of them that
        have a derivative (one for each parameter of ``f``), and the results of ``f``."""
        params: list[Var] = []
        reals: list[Var] = []
        args: list[Atom] = []
        for p in f.params:
            if self.data(p.type):
                words, v = Var("words", WORDS), Var("v", VECTOR)
                params += words, v
                reals.append(v)
                args.append(self.ravel.unravel(body, words, v, p.type))
            else:
                params.append(Var(p.name, p.type))
                reals.append(params[-1])
                args.append(params[-1])
        return params, reals, body.let(Call(f.name, tuple(args)), f.results)

    def enter(self, what: str, params: Sequence[Var], body: Block) -> str:
        self.made += 1
        name = f"{what}.vector.{self.made}"
        types = tuple(a.type for a in body.results)
        self.functions[name] = Function(name, tuple(params), body, types)
        return name

    # -- reverse --------------------------------------------------------------------------------

    def vjp(self, let: Let, op: Vjp, used: set[Var], b: Builder) -> None:
        f = self.functions[op.function]
        n = len(f.results)
        parts = self.parts(op.args, b, let.site)
        body = Builder()
        params, reals, outs = self.inner(f, body)
        given = [t for t in f.results if self.spaces.bears(t)]
        seeds: list[Atom] = []
        args = _flat(parts)
        results: list[Atom] = []
        rest = iter(zip(given, op.seeds, strict=True))
        for r in outs:
            c = next(rest)[1] if self.spaces.bears(r.type) else None
            if c is None or not self.data(r.type):
                results.append(r)
                seeds += () if c is None else (c,)
                continue
            # the derivative of the product with c; c becomes an argument, like the captures of f
            vector = self.vector(c, b, let.site)
            words, v = Var("words", WORDS), Var("v", VECTOR)
            params += words, v
            args += vector.words, vector.v
            other = self.ravel.unravel(body, words, v, c.type)
            results.append(self.product(body, r, other, let.site))
            seeds.append(f64(1.0))
        name = self.enter(f.name, params, body.block(tuple(results)))
        places = {p: k for k, p in enumerate(params)}
        wrt = tuple(places[reals[i]] for i in op.wrt)
        types = (*(a.type for a in results), *(reals[i].type for i in op.wrt))
        made = b.let(Vjp(name, tuple(args), wrt, tuple(seeds)), types, let.site)
        self.names.update(zip(let.vars, made, strict=True))
        if any(self.data(v.type) and v in used for v in let.vars[:n]):
            self.names.update(
                zip(let.vars, b.let(Call(f.name, op.args), f.results, let.site), strict=True)
            )
        for i, v in zip(op.wrt, let.vars[n:], strict=True):
            part = parts[i]
            if isinstance(part, _Vector) and v in used:
                self.names[v] = self.ravel.unravel(b, part.words, self.names[v], v.type)

    def product(self, b: Builder, x: Atom, c: Atom, site: Site | None) -> Atom:
        """Emit the inner product of two vectors that stand for data."""
        words, n = self.ravel.layout(b, x)
        first = self.ravel.along(b, words, n, x, site)
        second = self.ravel.along(b, words, n, c, site)
        i, inner = Var("i", I64), Builder()
        values = [inner.index(v, (i,), False) for v in (first, second)]
        body = inner.block((inner.prim("mul", *values),))
        return b.let(Sum_((n,), (i,), body), (F64,))[0]

    # -- forward --------------------------------------------------------------------------------

    def jvp(self, let: Let, op: Jvp, used: set[Var], b: Builder) -> None:
        f = self.functions[op.function]
        parts = self.parts(op.args, b, let.site)
        body = Builder()
        params, reals, outs = self.inner(f, body)
        results: list[Atom] = []
        for r in outs:
            if self.data(r.type):
                words, n = self.ravel.layout(body, r)
                results += words, self.ravel.along(body, words, n, r, let.site)
            else:
                results.append(r)
        name = self.enter(f.name, params, body.block(tuple(results)))
        tangents: list[Atom] = []
        order = max(1, len(op.tangents) // max(1, len(op.wrt)))
        for i, t in zip(op.wrt * order, op.tangents, strict=True):
            part = parts[i]
            if isinstance(part, _Vector):
                t = self.ravel.along(b, part.words, part.n, t, let.site)
            tangents.append(t)
        places = {p: k for k, p in enumerate(params)}
        wrt = tuple(places[reals[i]] for i in op.wrt)
        values = tuple(a.type for a in results)
        types = (*values, *[t for t in values if self.spaces.bears(t)] * order)
        made = b.let(Jvp(name, tuple(_flat(parts)), wrt, tuple(tangents)), types, let.site)
        primal = iter(made[: len(values)])
        along: list[Atom | None] = []  # for each result that bears reals, the words of data
        for v in let.vars[: len(f.results)]:
            x = next(primal)
            if self.data(v.type):
                self.open(v, x, next(primal), used, b)
                along.append(x)
                continue
            self.names[v] = x
            if self.spaces.bears(v.type):
                along.append(None)
        rest = zip(let.vars[len(f.results) :], made[len(values) :], along * order, strict=True)
        for v, tangent, structure in rest:
            if structure is None:
                self.names[v] = tangent
            else:
                self.open(v, structure, tangent, used, b)

    # -- rules of the user's own ----------------------------------------------------------------

    def ruled(self, let: Let, op: Ruled, used: set[Var], b: Builder) -> None:
        """Rewrite a call with a rule. What the rule is given and gives is raveled around it."""
        f = self.functions[op.function]
        split = [i in op.wrt and self.data(p.type) for i, p in enumerate(f.params)]
        args: list[Atom] = []
        places: list[int] = []
        names: list[str] = []
        for i, (x, name) in enumerate(zip(op.args, op.names, strict=True)):
            part = self.vector(x, b, let.site) if split[i] else x
            own = _flat([part])
            args += own
            names += [name] * len(own)
            places.append(len(args) - 1)
        function = self.around(op.function, f, split, let.site)
        wrt = tuple(places[i] for i in op.wrt)
        rule = self.rule(op, f, split, let.site)
        results = self.functions[function].results
        made = b.let(Ruled(function, tuple(args), wrt, rule, tuple(names)), results, let.site)
        self.given(let.vars, iter(made), used, b)

    def given(
        self, wanted: Sequence[Var], made: Iterator[Atom], used: set[Var], b: Builder
    ) -> None:
        """Bind variables to values of which data is raveled."""
        for v in wanted:
            x = next(made)
            if self.data(v.type):
                self.open(v, x, next(made), used, b)
            else:
                self.names[v] = x

    def entered(
        self, params: Sequence[Var], split: Sequence[bool], body: Builder
    ) -> tuple[list[Var], list[Atom], list[tuple[Atom, Atom]]]:
        """Begin a function: return its parameters, what they stand for, and the structures and
        sizes of those that are raveled."""
        own: list[Var] = []
        values: list[Atom] = []
        structures: list[tuple[Atom, Atom]] = []
        for p, on in zip(params, split, strict=True):
            own.append(Var("words", WORDS) if on else Var(p.name, p.type))
            values.append(own[-1])
            if on:
                own.append(Var("v", VECTOR))
                values[-1] = self.ravel.unravel(body, own[-2], own[-1], p.type)
                structures.append((own[-2], body.dim(own[-1], 0)))
        return own, values, structures

    def raveled(
        self, xs: Sequence[Atom], body: Builder, site: Site | None
    ) -> tuple[list[Atom], list[tuple[Atom, Atom]]]:
        """Return values with data raveled, and the structures and sizes of the data."""
        out: list[Atom] = []
        structures: list[tuple[Atom, Atom]] = []
        for x in xs:
            if self.data(x.type):
                vector = self.vector(x, body, site)
                structures.append((vector.words, vector.n))
                out += vector.words, vector.v
            else:
                out.append(x)
        return out, structures

    def around(
        self, name: str, f: Function, split: Sequence[bool], site: Site | None
    ) -> str:
        """Return the name of a function of vectors that calls ``f``."""
        body = Builder()
        params, values, _ = self.entered(f.params, split, body)
        outs, _ = self.raveled(body.let(Call(name, tuple(values)), f.results), body, site)
        return self.enter(name, params, body.block(tuple(outs)))

    def moved(
        self, xs: Sequence[Atom], like: Iterator[tuple[Atom, Atom]], body: Builder,
        site: Site | None, rule: str,
    ) -> list[Atom]:  # fmt: skip
        """Return (co)tangents that a rule gives, of data as vectors of these structures."""
        who = f"the rule of {rule!r} gives "
        return [
            self.ravel.along(body, *next(like), x, site, who) if self.data(x.type) else x
            for x in xs
        ]

    def unmoved(
        self, types: Sequence[Type], like: Iterator[Atom], body: Builder
    ) -> tuple[list[Var], list[Atom]]:
        """Return parameters for (co)tangents of these types, and what they stand for."""
        params = [Var("t", VECTOR if self.data(t) else t) for t in types]
        values = [
            self.ravel.unravel(body, next(like), p, t) if self.data(t) else p
            for p, t in zip(params, types, strict=True)
        ]
        return params, values

    def rule(
        self, op: Ruled, f: Function, split: Sequence[bool], site: Site | None
    ) -> Pushes | Pulls:
        """Return the rule in terms of vectors."""
        wrt = [f.params[i].type for i in op.wrt]
        real = [t for t in f.results if self.spaces.bears(t)]
        n = len(f.results)
        body = Builder()
        if isinstance(op.rule, Pushes):
            tangent = self.functions[op.rule.tangent]
            params, values, inside = self.entered(tangent.params[: len(split)], split, body)
            given, tangents = self.unmoved(wrt, (w for w, _ in inside), body)
            made = body.let(Call(tangent.name, (*values, *tangents)), tangent.results, site)
            outs, outside = self.raveled(made[:n], body, site)
            outs += self.moved(made[n:], iter(outside), body, site, op.rule.name)
            name = self.enter(tangent.name, [*params, *given], body.block(tuple(outs)))
            return Pushes(op.rule.name, name)
        forward = self.functions[op.rule.forward]
        params, values, inside = self.entered(forward.params, split, body)
        made = body.let(Call(forward.name, tuple(values)), forward.results, site)
        outs, outside = self.raveled(made[:n], body, site)
        kept, _ = self.raveled(made[n:], body, site)
        known = [*(w for w, _ in outside), *(a for pair in inside for a in pair)]
        first = self.enter(forward.name, params, body.block((*outs, *kept, *known)))
        back, body = self.functions[op.rule.backward], Builder()
        residuals = [Var("r", a.type) for a in made[n:]]
        own, again, _ = self.entered(residuals, [self.data(r.type) for r in residuals], body)
        structures = [Var("words", WORDS) for _ in outside]
        pairs = [(Var("words", WORDS), Var("n", I64)) for _ in inside]
        seeds, cotangents = self.unmoved(real, iter(structures), body)
        found = body.let(Call(back.name, (*again, *cotangents)), back.results, site)
        cts = self.moved(found, iter(pairs), body, site, op.rule.name)
        told = [*structures, *(v for pair in pairs for v in pair)]
        second = self.enter(back.name, [*own, *told, *seeds], body.block(tuple(cts)))
        return Pulls(op.rule.name, first, second)

    def open(self, v: Var, words: Atom, reals: Atom, used: set[Var], b: Builder) -> None:
        """Bind a variable for data, if it is used."""
        if v in used:
            self.names[v] = self.ravel.unravel(b, words, reals, v.type)


def _flat(parts: Sequence[_Part]) -> list[Atom]:
    return [a for p in parts for a in ((p.words, p.v) if isinstance(p, _Vector) else (p,))]


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for let in all_lets(block):
        for _, inner in sub_blocks(let.op):
            yield inner


__all__ = ["derivatives_by_vectors"]
