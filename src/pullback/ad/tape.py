"""Dual numbers as a whole: the inputs are numbered, the program leaves its rows on the tape
(``dual``), and the tape is gone through backwards.

The ids are 0 (nobody), then those of the inputs in order, then those of the rows. Data
among the parameters comes as for CHAD, in its forward space with handles: the id of a real in it is
that of the cell that its handle names (``number``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pullback.ad.cells import array_type, extents_of, flatten, indices, real_type, seeded
from pullback.ad.differentiate import differentiate
from pullback.ad.dual import NOBODY, IdSpaces, ids_of, lasting
from pullback.ad.functions import Functions
from pullback.ad.rows import Codes, Tape
from pullback.ad.sweep import DerivativeError
from pullback.core.build import Builder, i64
from pullback.core.terms import (
    AccAdd,
    AccCell,
    AccNew,
    AccRead,
    Atom,
    Build,
    Call,
    Case,
    CaseArm,
    Function,
    Index,
    Inject,
    Let,
    Program,
    Sum_,
    TapeRead,
    TapeRoom,
    Var,
)
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64, Array, Handle, Named, Real, Sum, Type

Only = tuple[int, ...] | None


def dual_gradient(program: Program, wrt: tuple[int, ...], only: Only = None) -> Program:
    """The same as ``differentiate.gradient``, by dual numbers."""
    maker = _Maker.of(program, wrt, only)
    b = Builder()
    run = maker.forward(b)
    h = maker.backward(b, run)
    outs = maker.cotangents(b, run, h)
    params = (*maker.params, *maker.given, *maker.cells)
    return maker.program("vjp", params, b, (*run.results, *outs))


def dual_split(
    program: Program, wrt: tuple[int, ...], only: Only = None, handles: bool = False
) -> tuple[Program, Program, tuple[bool, ...]]:
    """The same as ``differentiate.split``, by dual numbers; but the forward program, too, has the
    accumulator of the data's cells for its last parameter. The residual is the tape; results that
    have ``handles`` for seeds are refused."""
    maker = _Maker.of(program, wrt, only)
    if handles:
        raise maker.refusal(maker.main.body.results[0])
    b = Builder()
    run = maker.forward(b)
    kept = tuple(dict.fromkeys(a for a in run.kept() if isinstance(a, Var)))
    forward = maker.program(
        "forward", (*maker.params, *maker.cells), b, (*run.results, *kept)
    )
    p = Builder()
    fresh = {v: Var(v.name, v.type) for v in kept}
    again = run.renamed(fresh)
    outs = maker.cotangents(p, again, maker.backward(p, again))
    params = (*fresh.values(), *maker.given, *maker.cells)
    return forward, maker.program("pullback", params, p, outs), ()


@dataclass(frozen=True)
class _Run:
    """What the forward program leaves: the results, the ids of those that have a seed (None:
    inactive), the words of the tape, how many ids there are, and the first id and the shape of each
    input."""

    results: tuple[Atom, ...]
    ids: tuple[Atom | None, ...]
    ints: Atom
    reals: Atom
    count: Atom
    inputs: tuple[tuple[Atom, tuple[Atom, ...]], ...]

    def kept(self) -> tuple[Atom, ...]:
        """What the backward pass needs."""
        inputs = (a for at, shape in self.inputs for a in (at, *shape))
        ids = (a for a in self.ids if a is not None)
        return (self.ints, self.reals, self.count, *ids, *inputs)

    def renamed(self, names: dict[Var, Var]) -> _Run:
        def rename(a: Atom) -> Atom:
            return names.get(a, a) if isinstance(a, Var) else a

        return _Run(
            (), tuple(None if a is None else rename(a) for a in self.ids), rename(self.ints),
            rename(self.reals), rename(self.count),
            tuple((rename(at), tuple(map(rename, shape))) for at, shape in self.inputs),
        )


@dataclass
class _Maker:
    """One program being translated. ``params`` are those of its main, data in its forward space;
    ``seeds`` one per result that can have one (None: zero); ``cells`` the accumulator of all data.
    """

    functions: Functions
    spaces: IdSpaces
    main: Function
    wrt: tuple[int, ...]
    parts: tuple[tuple[Var, ...], ...]
    seeds: tuple[Var | None, ...]
    cells: tuple[Var, ...]
    made: dict[str, str] = field(default_factory=dict)
    codes: Codes = field(default_factory=Codes)

    @staticmethod
    def of(program: Program, wrt: tuple[int, ...], only: Only) -> _Maker:
        program = differentiate(program)  # inner derivatives are code like any other
        spaces = IdSpaces.of(program.decls)
        functions = Functions(dict(program.functions), dict(program.decls), spaces)
        main = functions.functions[program.main]
        parts = tuple(
            tuple(Var(p.name, t) for t in spaces.primal(p.type, spaces.composite(p.type)))
            for p in main.params
        )
        seeds = tuple(
            Var("seed", t) if only is None or i in only else None
            for i, t in enumerate(main.results)
            if seeded(t)
        )
        data = any(spaces.composite(p.type) for p in main.params)
        cells = (Var("cells", Handle(1)),) if data else ()
        return _Maker(functions, spaces, main, wrt, parts, seeds, cells)

    @property
    def params(self) -> tuple[Var, ...]:
        return tuple(v for vs in self.parts for v in vs)

    @property
    def given(self) -> tuple[Var, ...]:
        return tuple(v for v in self.seeds if v is not None)

    def program(
        self, what: str, params: tuple[Var, ...], b: Builder, results: tuple[Atom, ...]
    ) -> Program:
        name = self.functions.fresh_name(f"{self.main.name}.{what}")
        self.functions.functions[name] = Function(
            name, params, b.block(results), tuple(a.type for a in results)
        )
        self.functions.decls.update(self.spaces.dual_decls())
        return self.functions.program(name)

    # -- forward --------------------------------------------------------------------------------

    def forward(self, b: Builder) -> _Run:
        """Number the inputs and run the program."""
        inputs: list[tuple[Atom, tuple[Atom, ...]]] = []
        at: Atom = i64(1)
        for i in self.wrt:
            t = self.main.params[i].type
            plain = isinstance(t, Array) and not self.spaces.composite(t)
            shape = extents_of(b, self.parts[i][0]) if plain else ()
            inputs.append((at, shape))
            count: Atom = i64(1 if plain else len(self.spaces.cotangent(t)))
            for n in shape:
                count = b.prim("mul", count, n)
            at = b.prim("add", at, count)
        for cells in self.cells:
            inputs.append((at, (b.dim(cells, 0),)))
            at = b.prim("add", at, b.dim(cells, 0))
        (first,) = b.let(TapeRoom(at), (I64,))
        self.refuse()
        args = self.arguments(b, inputs)
        mask = tuple(
            i in self.wrt or self.spaces.composite(p.type) for i, p in enumerate(self.main.params)
        )
        name = ids_of(self.functions, self.spaces, self.codes, self.main.name, mask)
        target = self.functions.functions[name]
        outs = b.let(Call(target.name, args), target.results)
        results: list[Atom] = []
        ids: list[Atom | None] = []
        last: Atom = first
        on_results = self.functions.result_on(self.main.name, mask)
        k = 0
        for t, on in zip(self.main.results, on_results, strict=True):
            parts = outs[k : k + len(self.spaces.dual(t, on))]
            k += len(parts)
            results.append(parts[0])
            if seeded(t):
                ids.append(parts[1] if len(parts) > 1 else None)
                last = self.after(b, last, parts[1:])
        ints, reals, count = b.let(TapeRead(last), (Array(I64, 1), Array(F64, 1), I64))
        return _Run(tuple(results), tuple(ids), ints, reals, count, tuple(inputs))

    def after(self, b: Builder, last: Atom, ids: tuple[Atom, ...]) -> Atom:
        """Something that is known only when these ids are."""
        for a in ids:
            known = a if a.type == I64 else b.dim(a, 0)
            last = b.prim("add", last, known)
        return last

    def refuse(self) -> None:
        """What dual numbers cannot translate."""
        for t, r in zip(self.main.results, self.main.body.results, strict=True):
            if self.spaces.composite(t) and not seeded(t):
                raise self.refusal(r)

    def refusal(self, result: Atom) -> DerivativeError:
        """Data as a result."""
        made = [x for x in all_lets(self.main.body) if result in x.vars]
        let = made[0] if made else Let((), Call(self.main.name, (result,)))
        return DerivativeError(
            "by method='dual', the derivative of a function that returns data", let
        )

    def arguments(
        self, b: Builder, inputs: Sequence[tuple[Atom, tuple[Atom, ...]]]
    ) -> tuple[Atom, ...]:
        """The parameters with their ids."""
        places = dict(zip(self.wrt, inputs))
        out: list[Atom] = []
        for i, (p, parts) in enumerate(zip(self.main.params, self.parts, strict=True)):
            if self.spaces.composite(p.type):
                leaves = range(len(self.spaces.cotangent(p.type)))  # of a sum
                first = places[i][0] if i in places else None
                own = [NOBODY if first is None else b.prim("add", first, i64(k)) for k in leaves]
                out += self.number(p.type, parts, own, inputs[-1][0], b)
                continue
            out.append(parts[0])
            if i in places:
                out.append(self.ids(*places[i], b))
        return tuple(out)

    def ids(self, at: Atom, shape: tuple[Atom, ...], b: Builder) -> Atom:
        """The ids of an input from a position on, in C order."""
        if not shape:
            return at
        idx, body = indices(len(shape)), Builder()
        place = body.prim("add", at, flatten(body, idx, shape))
        (made,) = b.let(Build(shape, idx, body.block((place,))), (Array(I64, len(shape)),))
        return lasting(b, made)

    # -- data -----------------------------------------------------------------------------------

    def number(
        self, t: Type, parts: Sequence[Atom], own: Sequence[Atom], first: Atom, b: Builder
    ) -> tuple[Atom, ...]:
        """Data in its forward space, with ids for handles. ``own``: the ids of its reals by value;
        ``first``: the id of cell 0."""
        if not self.spaces.bears(t):
            return tuple(parts)
        match t:
            case Real():
                return (parts[0], own[0])
            case Array(elem, rank):
                return self.number_array(elem, rank, parts, first, b)
            case Sum(_):
                return self.number_sum(t, parts[0], own, first, b)
            case Named(name):
                made = Named(name + self.spaces.dual_suffix)
                return b.let(Call(self.numbering(name), (parts[0], first)), (made,))
            case _:
                raise AssertionError(f"not flat: {t}")

    def number_array(
        self, elem: Type, rank: int, parts: Sequence[Atom], first: Atom, b: Builder
    ) -> tuple[Atom, ...]:
        n = len(self.spaces.primal(elem))
        arrays, handles = parts[:n], parts[n:]
        idx, body = indices(rank), Builder()
        own = tuple(self.cell(body, h, idx, first) for h in handles)
        extents = extents_of(b, arrays[0])
        if isinstance(elem, Real):
            made = Build(extents, idx, body.block(own))
            return (arrays[0], *b.let(made, (Array(I64, rank),)))
        items = tuple(body.index(a, idx, checked=False) for a in arrays)
        found = self.number(elem, items, own, first, body)
        types = tuple(Array(a.type, rank) for a in found)
        return b.let(Build(extents, idx, body.block(found)), types)

    def cell(self, b: Builder, h: Atom, idx: tuple[Atom, ...], first: Atom) -> Atom:
        (number,) = b.let(AccCell(h, idx), (I64,))
        return b.prim("add", number, first)

    def number_sum(
        self, t: Sum, value: Atom, own: Sequence[Atom], first: Atom, b: Builder
    ) -> tuple[Atom, ...]:
        (made,) = self.spaces.dual(t)
        arms = []
        k = 0
        for tag, v in enumerate(t.variants):
            n = self.spaces.cells(v)
            arms.append(self.arm(v.fields, made, tag, own[k : k + n], first, False))
            k += n
        return b.let(Case(value, tuple(arms)), (made,))

    def arm(
        self, types: tuple[Type, ...], made: Type, tag: int, own: Sequence[Atom], first: Atom,
        boxed: bool,
    ) -> CaseArm:
        """Number the fields of a variant; a node's own cells are named by its last field."""
        spaces, b = self.spaces, Builder()
        fields = [tuple(Var("f", p) for p in spaces.primal(t)) for t in types]
        bound = [v for vs in fields for v in vs]
        counts = [len(spaces.cotangent(t)) for t in types]
        if boxed and sum(counts) > 0:
            h = Var("h", Handle(1))
            bound.append(h)
            own = [self.cell(b, h, (i64(k),), first) for k in range(sum(counts))]
        out: list[Atom] = []
        k = 0
        for t, vs, n in zip(types, fields, counts, strict=True):
            out += self.number(t, vs, own[k : k + n], first, b)
            k += n
        result = b.let(Inject(made, tag, tuple(out)), (made,))
        return CaseArm(tuple(bound), b.block(result))

    def numbering(self, name: str) -> str:
        """The function from nodes of the forward space to nodes with ids."""
        if name not in self.made:
            self.made[name] = self.functions.fresh_name(f"{name}.number")
            made = Named(name + self.spaces.dual_suffix)
            node, first = Var("node", Named(name + ".fwd")), Var("first", I64)
            arms = tuple(
                self.arm(v.fields, made, tag, (), first, True)
                for tag, v in enumerate(self.functions.decls[name].variants)
            )
            b = Builder()
            out = b.let(Case(node, arms), (made,))
            self.functions.functions[self.made[name]] = Function(
                self.made[name], (node, first), b.block(out), (made,)
            )
        return self.made[name]

    # -- backward -------------------------------------------------------------------------------

    def backward(self, b: Builder, run: _Run) -> Atom:
        """The accumulator of the cotangents of all ids."""
        (h,) = b.let(AccNew((run.count,)), (Handle(1),))
        for seed, ids in zip(self.seeds, run.ids, strict=True):
            if seed is not None and ids is not None:
                scatter(b, seed, ids, h)
        self.codes.resolve(b, Tape(run.ints, run.reals, h), run.count)
        return h

    def cotangents(self, b: Builder, run: _Run, h: Atom) -> tuple[Atom, ...]:
        """Those of the inputs, and of all cells."""
        types = [self.main.params[i].type for i in self.wrt] + [Array(F64, 1)] * len(self.cells)
        out: list[Atom] = []
        for t, (at, shape) in zip(types, run.inputs, strict=True):
            if isinstance(t, Real | Sum | Named) or not shape:
                for k, real in enumerate(self.spaces.cotangent(t)):
                    place: Atom = b.prim("add", at, i64(k))
                    out += b.let(AccRead(h, (place,), real.bits), (real,))
                continue
            real = real_type(array_type(t).elem)
            idx, body = indices(len(shape)), Builder()
            place = body.prim("add", at, flatten(body, idx, shape))
            d = body.let(AccRead(h, (place,), real.bits), (real,))
            out += b.let(Build(shape, idx, body.block(d)), (t,))
        return tuple(out)


def scatter(b: Builder, value: Atom, ids: Atom, h: Atom) -> None:
    """Add cotangents to those of the ids: of a real, or of (arrays of) arrays of reals."""
    if not isinstance(value.type, Array):
        b.lets.append(Let((), AccAdd(h, (ids,), value)))
        return
    idx, body = indices(value.type.rank), Builder()
    (d,) = body.let(Index(value, idx, False), (value.type.elem,))
    (own,) = body.let(Index(ids, idx, False), (array_type(ids.type).elem,))
    scatter(body, d, own, h)
    b.lets.append(Let((), Sum_(extents_of(b, value), idx, body.block())))


__all__ = ["dual_gradient", "dual_split"]
