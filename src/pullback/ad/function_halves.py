"""CHAD function by function: f becomes f.fwd (results and residuals) and f.rev.

A function is translated once per set of active parameters. The residuals of a recursive function
are boxed in a node of the declaration ``f.R``, so that a recursion keeps a tree of them. So are the
residuals of a function that keeps many and that several lets call: else the residuals of functions
that call each other twice would double with each level.

    f.fwd(xs) -> y, xs, r                  f.rev(xs, r, ct) = case r { R(..). ct of xs }

The arrays that such a function gets and keeps stay outside: they may be the same for many calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from pullback.ad.activity import Facts, analyse
from pullback.ad.boxes import Kept, box_variants, refers, room
from pullback.ad.contributions import flushed, wild
from pullback.ad.cost_model import handed_anew, pays, shallow
from pullback.ad.emit import Emit
from pullback.ad.forward import tangent_function
from pullback.ad.frames import CannotRestoreError, Frame
from pullback.ad.jets import jet_function
from pullback.ad.reverse import Reverse
from pullback.ad.reverse_only import ReverseOnly
from pullback.ad.rules import refuse_captured, without_rules
from pullback.ad.spaces import Spaces
from pullback.ad.sweep import Cts, or_zero, refuse_data
from pullback.core.build import Builder
from pullback.core.consumption import Summary, summaries
from pullback.core.frozen import dataclass, field
from pullback.core.prims import SHOW
from pullback.core.quiet import quiet_function
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Function,
    Jvp,
    Let,
    Loop,
    Prim,
    Program,
    Pulls,
    Ruled,
    Sum_,
    Var,
    Vjp,
    While,
)
from pullback.core.traverse import (
    all_lets,
    called,
    defined,
    map_blocks,
    reachable,
    refresh,
    run_by,
)
from pullback.core.types import Array, Decl, Named, Type

MOST_WORDS = 8
"""A function that several lets call and that keeps more words than this keeps them in a node."""

Key = tuple[str, tuple[bool, ...], bool]


@dataclass(frozen=True, slots=True)
class Halves:
    """The two halves of a function and the residuals between them. ``given``: the parameters whose
    handles are passed to the reverse half, and not to the forward half."""

    forward: str
    reverse: str
    residuals: tuple[Type, ...]
    result_on: tuple[bool, ...]
    given: tuple[bool, ...]


@dataclass(slots=True)
class Functions:
    """The functions of a program while it is being differentiated; translations are added at
    request."""

    functions: dict[str, Function]
    decls: dict[str, Decl]
    spaces: Spaces
    halves: dict[Key, Halves] = field(default_factory=dict)
    facts: dict[Key, Facts] = field(default_factory=dict)
    expanded: dict[str, Function] = field(default_factory=dict)
    """Those without derivative terms, which the program will have."""
    tangents: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)
    cyclic: dict[str, bool] = field(default_factory=dict)
    loopless: dict[str, bool] = field(default_factory=dict)
    summaries: dict[str, Summary] = field(default_factory=dict)
    reverse_only: ReverseOnly = field(init=False)
    wild: bool = field(init=False)

    def __post_init__(self) -> None:
        self.wild = wild(self.functions.values())
        self.reverse_only = ReverseOnly(self)

    @staticmethod
    def of(program: Program) -> Functions:
        return Functions(
            dict(program.functions), dict(program.decls), Spaces.of(program.decls)
        )

    def fresh_name(self, name: str) -> str:
        """Return a function name that is not taken."""
        if name not in self.functions:
            return name
        n = 1
        while f"{name.rsplit('.', 1)[0]}.{n}.{name.rsplit('.', 1)[1]}" in self.functions:
            n += 1
        return f"{name.rsplit('.', 1)[0]}.{n}.{name.rsplit('.', 1)[1]}"

    def result_types(self, name: str) -> tuple[Type, ...]:
        """Return the types of the results of a function."""
        return self.functions[name].results

    def quiet(self, name: str) -> str:
        """Return the name of the function to run where this one has been run before."""
        return quiet_function(self.functions, name)

    def run_again(self, op: Ruled) -> str | None:
        """Return the function that the rule of a checkpoint runs again: it keeps the arguments, and
        its backward rule is one derivative term at these, and nothing else."""
        assert isinstance(op.rule, Pulls)
        forward, back = self.functions[op.rule.forward], self.functions[op.rule.backward]
        match back.body.lets:
            case (Let(made, Vjp(name, args, wrt, seeds)),) if (
                (*args, *seeds) == back.params and wrt == op.wrt
                and back.body.results == made[len(made) - len(wrt) :]
                and forward.body.results[-len(args) :] == forward.params
            ):  # fmt: skip
                return name
            case _:
                return None

    def recursive(self, name: str) -> bool:
        """Whether a function can call itself, directly or through others."""
        if name not in self.cyclic:
            seen: set[str] = set()
            work = list(run_by(self.functions[name]))
            while work:
                g = work.pop()
                if g not in seen:
                    seen.add(g)
                    work.extend(run_by(self.functions[g]))
            self.cyclic[name] = name in seen
        return self.cyclic[name]

    def straight(self, name: str) -> bool:
        """Whether a function, with all its callees, contains neither loops nor recursion, and
        calls nothing of Python."""
        if name not in self.loopless:
            self.loopless[name] = True  # (of a rule that calls what it is the rule of)
            self.loopless[name] = not self.recursive(name) and all(
                not isinstance(let.op, (Build, Sum_, Loop, While, Vjp))
                and not (isinstance(let.op, Prim) and let.op.name == SHOW)
                and not (isinstance(let.op, Call) and not self.straight(let.op.function))
                and not (isinstance(let.op, Ruled) and not all(map(self.straight, called(let.op))))
                for let in all_lets(self.functions[name].body)
            )
        return self.loopless[name]

    def summary(self, name: str) -> Summary:
        """Return which parameters the function consumes, and which it returns unchanged."""
        if name not in self.summaries:
            part = Program(dict(self.functions), self.decls, name)
            needed = {g: self.functions[g] for g in reachable(part)}
            self.summaries.update(summaries(Program(needed, self.decls, name)))
        return self.summaries[name]

    # -- activity -----------------------------------------------------------------------------

    def analysed(self, name: str, mask: tuple[bool, ...], volatile: bool) -> Facts:
        key = (name, mask, volatile)
        if key not in self.facts:
            function = self.functions[name]
            facts = self.facts[key] = analyse(
                function, mask, volatile, self.spaces, self.result_on, self.summary
            )
            for let in all_lets(function.body):
                if isinstance(let.op, Ruled):
                    refuse_captured(let, facts.active.__contains__)
        return self.facts[key]

    def result_on(self, name: str, mask: tuple[bool, ...]) -> tuple[bool, ...]:
        """Return which results of a call depend on an active argument."""
        results = self.functions[name].results
        if self.recursive(name):
            return tuple(
                self.spaces.bears(t) and (any(mask) or self.spaces.composite(t)) for t in results
            )
        active = self.analysed(name, mask, False).active
        return tuple(
            self.spaces.composite(a.type) or (isinstance(a, Var) and a in active)
            for a in self.functions[name].body.results
        )

    # -- the two halves -----------------------------------------------------------------------

    def reverse_of(self, name: str, mask: tuple[bool, ...], volatile: bool) -> Halves:
        """Return the halves of a function; they are written at the first request."""
        key = (name, mask, volatile)
        if key in self.halves:
            return self.halves[key]
        self.expand_jvps(name)
        forward = self.fresh_name(f"{name}.fwd")
        reverse = self.fresh_name(f"{name}.rev")
        self.functions[forward] = self.functions[reverse] = self.functions[name]  # reserved
        on, given = self.result_on(name, mask), self.reverse_only.given(key)
        halves = Halves(forward, reverse, (), on, given)
        if self.recursive(name):
            halves = self.halves[key] = replace(halves, residuals=(_box(halves),))
        self._translate(key, halves)
        return self.halves[key]

    def _translate(self, key: Key, halves: Halves) -> None:
        name, mask, volatile = key
        function = self.functions[name]
        facts = self.analysed(name, mask, volatile)
        facts = replace(facts, reverse_only=self.reverse_only.arrays(key))
        chosen = self._reversed(function, facts, mask, halves)
        for more in facts.candidates:
            better = replace(facts, restored=facts.restored | more)
            with suppress(CannotRestoreError):
                found = self._reversed(function, better, mask, halves)
                if pays(chosen[0], found[0]):
                    facts, chosen = better, found
        for p in handed_anew(function):
            other = replace(facts, brief=facts.brief | {p})
            if chosen[0].value(p) in chosen[2]:
                found = self._reversed(function, other, mask, halves)
                if found[0].value(p) not in found[2] and shallow(chosen[0], found[0], p):
                    facts, chosen = other, found
        frame, block, residuals, seeds = chosen
        kept = self._kept(function, frame, halves, residuals)
        self.halves[key] = replace(halves, residuals=tuple(v.type for v in kept.vars))
        if kept.box is not None:
            variants = box_variants(tuple(v.type for v in kept.inside))
            self.decls[kept.box.name] = Decl(kept.box.name, variants)
        given = tuple(
            h for p in function.params if p in facts.reverse_only for h in frame.parts(p)[1:]
            if isinstance(h, Var)
        )
        reverse = _reverse_function(halves.reverse, kept, given, seeds, block)
        self.functions[halves.reverse] = reverse
        forward = self._forward_function(halves, function, frame, mask, kept)
        self.functions[halves.forward] = forward

    def _kept(
        self, function: Function, frame: Frame, halves: Halves, residuals: tuple[Var, ...]
    ) -> Kept:
        """Return how a function gives its residuals to its caller."""
        if self.recursive(function.name):
            return Kept((), residuals, _box(halves))
        arrays = {v for p in function.params if isinstance(p.type, Array) for v in frame.parts(p)}
        outside = tuple(v for v in residuals if v in arrays)
        inside = tuple(v for v in residuals if v not in arrays)
        many = sum(room(v.type) for v in inside) > MOST_WORDS
        if not many or not any(refers(v.type) for v in inside) or not self._called_twice(function):
            return Kept(residuals)
        return Kept(outside, inside, _box(halves))

    def _called_twice(self, function: Function) -> bool:
        """Whether several lets call a function."""
        callers = {id(f): f for f in self.functions.values()}.values()
        lets = (let for f in callers for let in all_lets(f.body))
        calls = (1 for let in lets if isinstance(let.op, Call) and let.op.function == function.name)
        return sum(islice(calls, 2)) == 2

    def _reversed(
        self, function: Function, facts: Facts, mask: tuple[bool, ...], halves: Halves
    ) -> tuple[Frame, Block, tuple[Var, ...], tuple[Var, ...]]:
        """Return the frame of a function, its reverse block, the variables that this block needs,
        and its seeds."""
        frame = Frame(facts, self.spaces, None)
        for p in function.params:
            frame.fresh(p)
            frame.given.update(frame.handles(p))
        frame.open(function.body)
        block, seeds = self._reverse_block(function, frame, mask, halves)
        given = (h for p in function.params if p in facts.reverse_only for h in frame.handles(p))
        return (frame, *frame.settle(block, tuple(h for h in given if isinstance(h, Var))), seeds)

    def _reverse_block(
        self, function: Function, frame: Frame, mask: tuple[bool, ...], halves: Halves
    ) -> tuple[Block, tuple[Var, ...]]:
        sweep, b, ct = Reverse(self), Builder(), Cts()
        again = self.recursive(function.name)
        seeds: list[Var] = []
        for r, on in zip(function.body.results, halves.result_on, strict=True):
            if on:
                sweep.touch(frame.look(r))
                for k, t in enumerate(self.spaces.cotangent(r.type)):
                    seeds.append(Var("ct", t))
                    seed = flushed(b, seeds[-1]) if again else seeds[-1]
                    sweep.add(frame, ct, r, k, seed, b)
        sweep.block(frame, function.body, ct, b)
        out: list[Atom] = []
        for p, on in zip(function.params, mask, strict=True):
            if on:
                leaves = ct.get(p)
                for k, t in enumerate(self.spaces.cotangent(p.type)):
                    leaf = or_zero(leaves[k] if leaves is not None else None, t)
                    out.append(sweep.sums.closed(b, leaf))
        if again:
            out = [flushed(b, x) for x in out]
        return b.block(tuple(out)), tuple(seeds)

    def _forward_function(
        self, halves: Halves, function: Function, frame: Frame, mask: tuple[bool, ...],
        kept: Kept,
    ) -> Function:  # fmt: skip
        b = Builder()
        sweep = Emit(self, frame)
        params: list[Var] = []
        for p, on in zip(function.params, mask, strict=True):
            given = len(self.spaces.primal(p.type, on and p not in frame.facts.reverse_only))
            params.extend(v for v in frame.look(p)[:given] if isinstance(v, Var))
            if not on and frame.active(p):  # it is updated with active values
                sweep.handles(Let((p,), Call(function.name, ())), b)
        results = sweep.block(function.body, b, halves.result_on)
        body = b.block((*results, *kept.given(b)))
        return Function(halves.forward, tuple(params), body, tuple(a.type for a in body.results))

    # -- forward mode -------------------------------------------------------------------------

    def expand_jvps(self, name: str) -> None:
        """Replace the Jvp terms of a function, and of those that it calls, by calls."""

        def jvp(let: Let, b: Builder) -> None:
            assert isinstance(let.op, Jvp)
            refuse_data(self.spaces, (a.type for a in let.op.args), let)
            order = max(1, len(let.op.tangents) // max(1, len(let.op.wrt)))
            push = tangent_function if order == 1 else partial(jet_function, order=order)
            f = push(self, let.op.function, let.op.wrt)
            b.lets.append(Let(let.vars, Call(f, (*let.op.args, *let.op.tangents)), let.site))

        for g in self.needed(name):
            self.functions[g] = replace_lets(self.functions[g], Jvp, jvp)

    def needed(self, name: str) -> Iterator[str]:
        """Yield a function and all that it runs, each once. The callees of a function are read when
        it is resumed, so the caller may change the function first."""
        done: set[str] = set()
        work = [name]
        while work:
            g = work.pop()
            if g not in done:
                done.add(g)
                yield g
                work.extend(run_by(self.functions[g]))

    def tangent(self, name: str, wrt: tuple[int, ...]) -> str:
        """Return the name of a function (args, tangents of ``wrt``) -> (results, tangents of the
        real results)."""
        return tangent_function(self, name, wrt)

    def linearised(self, name: str, wrt: tuple[int, ...]) -> str:
        """Return the name of a function (args, tangents of ``wrt``) -> tangents of the real
        results."""
        key = (name, wrt)
        if key not in self.tangents:
            both = self.functions[tangent_function(self, name, wrt)]
            n = len(self.functions[name].results)
            lin = self.fresh_name(f"{name}.lin")
            params = tuple(Var(p.name, p.type) for p in both.params)
            outs = tuple(Var("t", t) for t in both.results)
            body = Block((Let(outs, Call(both.name, params)),), outs[n:])
            self.functions[lin] = Function(lin, params, body, both.results[n:])
            self.tangents[key] = lin
        return self.tangents[key]

    def program(self, main: str) -> Program:
        """Return the program of all functions that main needs, with the declarations of the forward
        sweep and of forward mode."""
        known = {**self.decls, **self.spaces.forward_decls(), **self.spaces.dual_decls()}
        whole = Program({**self.functions, **self.expanded}, known, main)
        plain = {n: without_rules(f) for n, f in whole.functions.items()}
        functions = {n: plain[n] for n in reachable(Program(plain, known, main))}
        types = {v.type for f in functions.values() for v in (*f.params, *defined(f.body))}
        return Program(functions, self.spaces.needed(known, types), main)


def _box(halves: Halves) -> Named:
    return Named(halves.reverse.removesuffix(".rev") + ".R")


def _reverse_function(
    name: str, kept: Kept, given: tuple[Var, ...], seeds: tuple[Var, ...], block: Block
) -> Function:
    handed = tuple(Var(v.name, v.type) for v in given)
    taken, b = tuple(Var(v.name, v.type) for v in kept.vars), Builder()
    rename = {**kept.taken(b, taken), **dict(zip(given, handed, strict=True))}
    results = b.extend(refresh(block, rename))
    types = tuple(a.type for a in block.results)
    return Function(name, (*taken, *handed, *seeds), b.block(results), types)


def replace_lets(function: Function, kind: type[Jvp] | type[Vjp], emit: object) -> Function:
    """Return the function with every let of that kind replaced by the lets that ``emit(let,
    builder)`` emits."""
    assert callable(emit)

    def block(old: Block) -> Block:
        b = Builder()
        for let in old.lets:
            if isinstance(let.op, kind):
                emit(let, b)
            else:
                b.lets.append(Let(let.vars, map_blocks(let.op, block), let.site))
        return b.block(old.results)

    return Function(function.name, function.params, block(function.body), function.results)


__all__ = ["Functions", "Halves"]
