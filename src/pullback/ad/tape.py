"""Dual numbers as a whole: number the inputs, run the program, which leaves rows on the tape
(``dual``), and go through the tape backwards.

The ids are 0 (for what depends on no input), then those of the inputs, data first, then those of
the rows. Data among the parameters comes in its dual space, with ids inside, from 1 on (of arrays
of arrays of reals: with the first id of each). ``differentiate`` has an accumulator of the cells of
data; here it has as many cells as data has ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.ad.cells import array_type, extents_of, flatten, indices, real_type, seeded
from pullback.ad.differentiate import differentiate
from pullback.ad.dual import IdSpaces, ids_of, lasting
from pullback.ad.function_halves import Functions
from pullback.ad.numbered import consecutive
from pullback.ad.rules import by_rules
from pullback.ad.tape_rows import Codes, Tape
from pullback.core.build import Builder, i64
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    Atom,
    Build,
    Call,
    Function,
    Index,
    Let,
    Program,
    Sum_,
    TapeRead,
    TapeRoom,
    Var,
)
from pullback.core.types import F64, I64, Array, Handle, Real, Type

Only = tuple[int, ...] | None


def dual_gradient(program: Program, wrt: tuple[int, ...], only: Only = None) -> Program:
    """The function ``differentiate.gradient``, by dual numbers."""
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
    """The functions ``differentiate.split`` and ``split_with_handles``, by dual numbers.

    The forward program, too, has the accumulator of the cells of data as its last parameter. The
    residual is the tape. Results that are data, or arrays with ``handles``, have ids in them or
    beside them, which name cells of the accumulator that is the last result of the forward program.
    """
    maker = _Maker.of(program, wrt, only)
    b = Builder()
    run = maker.forward(b)
    if handles:
        run = replace(run, h=b.let(AccNew((run.count,)), (Handle(1),))[0])
    kept = tuple(dict.fromkeys(a for a in run.kept() if isinstance(a, Var)))
    named = [a for a in run.of_results if a is not None] if handles else []
    forward = maker.program(
        "forward", (*maker.params, *maker.cells), b, (*run.results, *named, *kept)
    )
    p = Builder()
    fresh = {v: Var(v.name, v.type) for v in kept}
    again = run.renamed(fresh)
    outs = maker.cotangents(p, again, maker.backward(p, again))
    params = (*fresh.values(), *maker.given, *maker.cells)
    handled = tuple(a is not None for a in run.of_results) if handles else ()
    return forward, maker.program("pullback", params, p, outs), handled


@dataclass(frozen=True)
class _Run:
    """The values that the forward program returned: the results, the ids of those that have a seed
    (None: inactive) and of those that are arrays, the words of the tape, the number of ids, and the
    first id and the shape of each input. ``h``: the accumulator of all ids, if it exists."""

    results: tuple[Atom, ...]
    ids: tuple[Atom | None, ...]
    of_results: tuple[Atom | None, ...]
    ints: Atom
    reals: Atom
    count: Atom
    inputs: tuple[tuple[Atom, tuple[Atom, ...]], ...]
    h: Atom | None = None

    def kept(self) -> tuple[Atom, ...]:
        """Return the values that the backward pass needs."""
        inputs = (a for at, shape in self.inputs for a in (at, *shape))
        ids = (a for a in self.ids if a is not None)
        h = () if self.h is None else (self.h,)
        return (self.ints, self.reals, self.count, *ids, *inputs, *h)

    def renamed(self, names: dict[Var, Var]) -> _Run:
        def rename(a: Atom) -> Atom:
            return names.get(a, a) if isinstance(a, Var) else a

        return _Run(
            (), tuple(None if a is None else rename(a) for a in self.ids), (), rename(self.ints),
            rename(self.reals), rename(self.count),
            tuple((rename(at), tuple(map(rename, shape))) for at, shape in self.inputs),
            None if self.h is None else rename(self.h),
        )


@dataclass
class _Maker:
    """The translation of one program. ``params`` are those of its main, data with its ids;
    ``seeds`` has one for each result that can have one (None: zero); ``cells`` has as many cells as
    data has ids."""

    functions: Functions
    spaces: IdSpaces
    main: Function
    wrt: tuple[int, ...]
    parts: tuple[tuple[Var, ...], ...]
    seeds: tuple[Var | None, ...]
    cells: tuple[Var, ...]
    codes: Codes = field(default_factory=Codes)

    @staticmethod
    def of(program: Program, wrt: tuple[int, ...], only: Only) -> _Maker:
        before, params = Functions.of(program), program.functions[program.main].params
        mask = (i in wrt or before.spaces.composite(p.type) for i, p in enumerate(params))
        program = by_rules(before, program.main, tuple(mask))
        program = differentiate(program)  # inner derivatives are code like any other
        spaces = IdSpaces.of(program.decls)
        functions = Functions(dict(program.functions), dict(program.decls), spaces)
        main = functions.functions[program.main]
        parts = tuple(tuple(Var(p.name, t) for t in _given(spaces, p.type)) for p in main.params)
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
        """Number the inputs, data first, and run the program."""
        inputs: list[tuple[Atom, tuple[Atom, ...]]] = []
        data: list[tuple[Atom, tuple[Atom, ...]]] = []
        at: Atom = i64(1)
        for cells in self.cells:
            data.append((at, (b.dim(cells, 0),)))
            at = b.prim("add", at, b.dim(cells, 0))
        for i in self.plain:
            t = self.main.params[i].type
            shape = extents_of(b, self.parts[i][0]) if isinstance(t, Array) else ()
            inputs.append((at, shape))
            count: Atom = i64(1)
            for n in shape:
                count = b.prim("mul", count, n)
            at = b.prim("add", at, count)
        (first,) = b.let(TapeRoom(at), (I64,))
        args = self.arguments(b, inputs)
        mask = tuple(
            i in self.wrt or self.spaces.composite(p.type) for i, p in enumerate(self.main.params)
        )
        name = ids_of(
            self.functions, self.spaces, self.codes, self.main.name, mask, self.numbered
        )
        target = self.functions.functions[name]
        outs = b.let(Call(target.name, args), target.results)
        results: list[Atom] = []
        ids: list[Atom | None] = []
        of_results: list[Atom | None] = []
        last: Atom = first
        on_results = self.functions.result_on(self.main.name, mask)
        k = 0
        for t, on in zip(self.main.results, on_results, strict=True):
            parts = outs[k : k + len(self.spaces.dual(t, on))]
            k += len(parts)
            results.append(parts[0])
            beside = isinstance(t, Array) and len(parts) > 1
            of_results.append(parts[1] if beside else None)
            if seeded(t):
                ids.append(parts[1] if len(parts) > 1 else None)
                last = self.after(b, last, parts[1:])
        ints, reals, count = b.let(TapeRead(last), (Array(I64, 1), Array(F64, 1), I64))
        return _Run(
            tuple(results), tuple(ids), tuple(of_results), ints, reals, count, (*inputs, *data)
        )

    def after(self, b: Builder, last: Atom, ids: tuple[Atom, ...]) -> Atom:
        """Emit a number that cannot be computed before these ids are."""
        for a in ids:
            known = a if a.type == I64 else b.dim(a, 0)
            last = b.prim("add", last, known)
        return last

    @property
    def plain(self) -> tuple[int, ...]:
        """The differentiated parameters that are no data."""
        return tuple(i for i in self.wrt if not self.spaces.composite(self.main.params[i].type))

    def arguments(
        self, b: Builder, inputs: Sequence[tuple[Atom, tuple[Atom, ...]]]
    ) -> tuple[Atom, ...]:
        """The parameters with their ids."""
        places = dict(zip(self.plain, inputs, strict=True))
        out: list[Atom] = []
        firsts: list[Atom] = []
        for i, parts in enumerate(self.parts):
            out.append(parts[0])
            if i in places:
                at, shape = places[i]
                out.append(self.ids(at, shape, b))
                firsts += [at] if i in self.numbered else []
            elif i in self.numbered:
                out.append(consecutive_inside(b, *parts))
                firsts.append(parts[1])
        return (*out, *firsts)

    @property
    def numbered(self) -> frozenset[int]:
        """The parameters that are arrays of (arrays of) reals and have ids."""
        types = {i: p.type for i, p in enumerate(self.main.params)}
        arrays = [(i, t) for i, t in types.items() if isinstance(t, Array) and seeded(t)]
        plain = self.plain
        return frozenset(i for i, t in arrays if i in plain or isinstance(t.elem, Array))

    def ids(self, at: Atom, shape: tuple[Atom, ...], b: Builder) -> Atom:
        """Emit the ids of an input from a position on, in C order."""
        return lasting(b, consecutive(b, at, shape)) if shape else at

    # -- backward -------------------------------------------------------------------------------

    def backward(self, b: Builder, run: _Run) -> Atom:
        """Emit the accumulator of the cotangents of all ids, filled by the rows."""
        h = run.h if run.h is not None else b.let(AccNew((run.count,)), (Handle(1),))[0]
        for seed, ids in zip(self.seeds, run.ids, strict=True):
            if seed is not None and ids is not None:
                scatter(b, seed, ids, h)
        self.codes.resolve(b, Tape(run.ints, run.reals, h), run.count)
        return h

    def cotangents(self, b: Builder, run: _Run, h: Atom) -> tuple[Atom, ...]:
        """Emit the cotangents of the inputs, and of all cells."""
        types = [self.main.params[i].type for i in self.plain]
        types += [Array(F64, 1)] * len(self.cells)
        out: list[Atom] = []
        for t, (at, shape) in zip(types, run.inputs, strict=True):
            if isinstance(t, Real):
                out += b.let(AccRead(h, (at,), t.bits), (t,))
                continue
            real = real_type(array_type(t).elem)
            idx, body = indices(len(shape)), Builder()
            place = body.prim("add", at, flatten(body, idx, shape))
            d = body.let(AccRead(h, (place,), real.bits), (real,))
            out += b.let(Build(shape, idx, body.block(d)), (t,))
        return tuple(out)


def _given(spaces: IdSpaces, t: Type) -> tuple[Type, ...]:
    """Return the types that stand for a parameter: data with ids inside, but an array of arrays of
    reals with the first id of each."""
    firsts = spaces.firsts(t) if isinstance(t, Array) else None
    return spaces.dual(t, spaces.composite(t)) if firsts is None else (t, firsts)


def consecutive_inside(b: Builder, array: Atom, firsts: Atom) -> Atom:
    """Emit the ids beside an array of arrays of reals, each of which has consecutive ones."""
    t = array_type(array.type)
    idx, body = indices(t.rank), Builder()
    inner = body.index(array, idx, checked=False)
    first = body.index(firsts, idx, checked=False)
    if isinstance(first.type, Array):
        ids = consecutive_inside(body, inner, first)
    else:
        ids = lasting(body, consecutive(body, first, extents_of(body, inner)))
    made = Build(extents_of(b, array), idx, body.block((ids,)))
    return lasting(b, b.let(made, (Array(ids.type, t.rank),))[0])


def scatter(b: Builder, value: Atom, ids: Atom, h: Atom) -> None:
    """Add cotangents to those of the ids, of a real or of (arrays of) arrays of reals."""
    if not isinstance(value.type, Array):
        b.lets.append(Let((), AccAdd(h, (ids,), value)))
        return
    idx, body = indices(value.type.rank), Builder()
    (d,) = body.let(Index(value, idx, False), (value.type.elem,))
    (own,) = body.let(Index(ids, idx, False), (array_type(ids.type).elem,))
    scatter(body, d, own, h)
    b.lets.append(Let((), Sum_(extents_of(b, value), idx, body.block())))


__all__ = ["dual_gradient", "dual_split"]
