"""Which functions raise what is caught, and what they hand back there: the second versions of
functions that are called under a ``try``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from pullback.core.frozen import dataclass, field
from pullback.core.messages import Raised
from pullback.core.prims_discrete import AGAIN
from pullback.core.terms import (
    Atom,
    Block,
    Call,
    Case,
    Function,
    If,
    Index,
    Jvp,
    Let,
    Loop,
    Op,
    Prim,
    Ruled,
    Update,
    Var,
    Vjp,
    While,
    sub_blocks,
)
from pullback.core.traverse import free_variables, substitute
from pullback.core.types import I64, Type
from pullback.errors import PullbackError
from pullback.frontend.functions.array_versions import ArrayVersions
from pullback.frontend.functions.clauses import Clauses
from pullback.frontend.interpret.endings import always_fails

End = Type | Atom
"""A result where something was raised: this one, or any value of a type."""


@dataclass(frozen=True, slots=True)
class Exit:
    """What the results of a block are where one of its ops raises, and the code that makes it."""

    lets: tuple[Let, ...]
    ends: tuple[End, ...]

    def after(self, first: Type) -> Exit:
        """Return what the results are if there is one more before them."""
        return replace(self, ends=(first, *self.ends))

    def block(self) -> Block:
        """Return the code, which gives the results that are not any."""
        return Block(self.lets, tuple(e for e in self.ends if not isinstance(e, Type)))

    def renamed(self, names: Mapping[Var, Atom]) -> Exit:
        """Return the same of other variables."""
        block = self.block()
        if names.keys().isdisjoint(free_variables(block)):
            return self
        made = substitute(block, dict(names))
        atoms = iter(made.results)
        ends = tuple(e if isinstance(e, Type) else next(atoms) for e in self.ends)
        return Exit(made.lets, ends)


Exits = Mapping[int, Exit]
"""By the op's key (``CaughtFunctions.key``). Where an op has none, any values will do."""


class HandedBack(Protocol):
    """What a function hands back where it raises (``exits.HandedBack``)."""

    def exits(self) -> Exits: ...
    def known(self, let: Let, caught: CaughtFunctions) -> bool: ...
    def called(self, let: Let) -> str | None: ...


@dataclass(slots=True)
class CaughtFunctions:
    """The second versions of functions that are called under a ``try``, by name."""

    functions: dict[str, Function]
    wanted: dict[str, tuple[str, Clauses]] = field(default_factory=dict)
    again: dict[str, Clauses] = field(default_factory=dict)
    """The functions of what is raised again: from its number to that of the clause."""
    classes: list[Raised] = field(default_factory=list)
    """The exceptions of which clauses ask for the object, by number."""
    handed: dict[str, HandedBack] = field(default_factory=dict)
    """What functions hand back that update what they are given."""
    places: dict[int, tuple[Let, Let, Mapping[Var, Var]]] = field(default_factory=dict)
    """An op that has been rewritten, by its number, with the one that it was, and the variables
    that have other names there."""
    assumed: dict[tuple[str, Clauses], PullbackError] = field(default_factory=dict)
    """The functions of which it was assumed that what they hand back is known, and the refusal if
    it is not: they were being run."""
    caught_by: dict[tuple[str, Clauses], tuple[tuple[Function, ...], frozenset[int]]] = field(
        default_factory=dict
    )
    """The numbers of the clauses that catch what a function raises, and the functions that tell."""
    total: set[str] = field(default_factory=set)
    """The functions of the library that check what cannot fail: they raise nothing."""
    arrays: ArrayVersions = field(init=False)
    endless: dict[Function, bool] = field(default_factory=dict)
    """Whether complete functions never return."""
    contexts: bool = False
    """Whether something may be raised while something else is being handled."""
    catches_extents: bool = False
    """Whether a clause catches the error of extents that do not fit."""

    def base(self, name: str) -> Function | None:
        """Return the function of which this one is a version, or it is; None: it is not
        complete."""
        while name in self.wanted:
            name, _ = self.wanted[name]
        return self.functions.get(name)

    def never_returns(self, op: Op) -> bool:
        """Whether an op is a call of a function that raises in any case, and catches nothing."""
        tried = isinstance(op, Call) and op.function in self.wanted
        function = self.base(op.function) if isinstance(op, Call) and not tried else None
        if function is None:
            return False
        if function not in self.endless:
            self.endless[function] = always_fails(function.body, self.functions)
        return self.endless[function]

    def __post_init__(self) -> None:
        self.arrays = ArrayVersions(self.base)

    def want(self, function: str, clauses: Clauses) -> str:
        """Return the name of the version of a function that gives the numbers of these clauses."""
        name = f"{function}.try.{clauses.text}"
        while self.wanted.setdefault(name, (function, clauses)) != (function, clauses):
            name += "'"
        return name

    def want_again(self, clauses: Clauses) -> str:
        """Return the name of the function that gives the number of the clause that catches what is
        raised again; 0: none."""
        name = f"again.try.{clauses.text}"
        while self.again.setdefault(name, clauses) != clauses:
            name += "'"
        return name

    def class_of(self, exception: Raised) -> int:
        """Return the number of an exception."""
        if exception not in self.classes:
            self.classes.append(exception)
        return self.classes.index(exception)

    def exits(self, function: str) -> Exits:
        """Return what the results of a function are where it raises; those that hand nothing back
        are any."""
        if function in self.wanted:  # its results come behind the number of a clause
            inner = self.exits(self.wanted[function][0])
            return {key: end.after(I64) for key, end in inner.items()}
        back = self.handed.get(function)
        return {} if back is None else back.exits()

    def known(self, function: str, clauses: Clauses, active: Collection[str]) -> bool:
        """Whether it is known what a function hands back wherever it raises what these clauses
        catch. Of the ``active`` ones, which are not complete, that is assumed."""
        seen: set[str] = set()
        todo = [function]
        while todo:
            name = todo.pop()
            if name in seen or name in active:
                continue
            seen.add(name)
            inside: tuple[Clauses, ...] = ()
            while name in self.wanted:
                name, inner = self.wanted[name]
                inside = (*inside, inner)
            if name not in self.functions or name not in self.handed:
                return False
            back = self.handed[name]
            for let in leaves(self.functions[name].body):
                if not self.escapes(let.op, clauses, inside):
                    continue
                if not back.known(let, self):
                    return False
                called = back.called(let)
                if called is not None:
                    todo.append(called)
        return True

    def origin(self, let: Let) -> Let:
        """Return the op that an op was made of."""
        while id(let) in self.places:
            _, let, _ = self.places[id(let)]
        return let

    def key(self, let: Let) -> int:
        """Return the number of an op, which is that of the op that it was made of."""
        return id(self.origin(let))

    def exit_of(self, let: Let, exits: Exits) -> Exit | None:
        """Return what the results are where an op raises. Those that a call hands back are its own
        results, which may have other variables now."""
        first = self.origin(let)
        found = exits.get(id(first))
        if found is None or first is let:
            return found
        renamed, now = [], let
        while id(now) in self.places:
            _, now, names = self.places[id(now)]
            renamed.append(names)
        for names in reversed(renamed):
            found = found.renamed(names)
        if not isinstance(first.op, Call):
            return found
        return found.renamed(dict(zip(first.vars, let.vars[-len(first.vars) :], strict=False)))

    def renamed(self, block: Block, names: dict[Var, Var]) -> Block:
        """Return a block with other variables; its ops stand for what they were."""
        made = substitute(block, dict(names))
        for new, old in zip(leaves(made), leaves(block), strict=True):
            self.stands_for(new, old, names)
        return made

    def stands_for(self, made: Let, let: Let, names: Mapping[Var, Var] | None = None) -> None:
        """Note that what ``let`` raises is raised by another op now, where variables have other
        names."""
        if made is not let:
            self.places[id(made)] = made, let, names or {}

    def escapes(
        self, op: Op, clauses: Clauses, inside: tuple[Clauses, ...] = (),
        total: Collection[str] = (),
    ) -> bool:  # fmt: skip
        """Whether an op may raise what the clauses catch, and none of those inside does. The
        ``total`` functions are taken for such that do not."""
        return any(
            escapes_op(o, clauses, inside)
            or any(self.raises(f, clauses, inside, total) for f in called_by(o))
            for o in (op, *inner_ops(op))
        )

    def raises(
        self, name: str, clauses: Clauses, around: tuple[Clauses, ...] = (),
        total: Collection[str] = (),
    ) -> bool:  # fmt: skip
        """Whether a function may raise what is caught, and not by those ``around`` the call; one
        that is not complete may."""
        return any(
            function is None or any(escapes_op(op, clauses, inside) for op in ops_of(function.body))
            for function, inside in self._reached(name, clauses, around, total)
        )

    def numbers(self, name: str, clauses: Clauses) -> frozenset[int]:
        """Return the numbers of the clauses that catch what a function may raise; one that is not
        complete may raise anything."""
        seen, numbers = self.caught_by.get((name, clauses), ((), frozenset()))
        if seen and all(self.functions.get(f.name) is f for f in seen):
            return numbers
        looked_at: list[Function] = []
        found: set[int] = set()
        for function, inside in self._reached(name, clauses, ()):
            if function is None:
                return frozenset(clauses.numbers())
            looked_at.append(function)
            for op in ops_of(function.body):
                found.update(numbers_of_op(op, clauses, inside))
        self.caught_by[name, clauses] = tuple(looked_at), frozenset(found)
        return frozenset(found)

    def _reached(
        self, name: str, clauses: Clauses, around: tuple[Clauses, ...], total: Collection[str] = ()
    ) -> Iterator[tuple[Function | None, tuple[Clauses, ...]]]:
        """Iterate over a function and those that it calls (None: one that is not complete), each
        with the clauses that are inside of these there."""
        seen: set[tuple[str, tuple[Clauses, ...]]] = set()
        todo: list[tuple[str, tuple[Clauses, ...]]] = [(name, around)]
        while todo:
            f, inside = todo.pop()
            while f in self.wanted:  # a version, of which nothing comes that it gives a number for
                f, inner = self.wanted[f]
                inside = inside if inner in inside else (*inside, inner)
            if f in self.total or f in total or (f, inside) in seen:
                continue
            if clauses in inside or f in self.again:
                continue
            seen.add((f, inside))
            function = self.functions.get(f)
            yield function, inside
            if function is not None:
                called = (g for op in ops_of(function.body) for g in called_by(op))
                todo += [(g, inside) for g in dict.fromkeys(called)]


def inner_ops(op: Op) -> Iterator[Op]:
    """Iterate over the ops in the blocks of an op."""
    for _, inner in sub_blocks(op):
        yield from ops_of(inner)


def called_by(op: Op) -> tuple[str, ...]:
    match op:
        case Call(f) | Vjp(f) | Jvp(f) | Ruled(f):
            return (f,)
        case _:
            return ()


def ops_of(block: Block) -> Iterator[Op]:
    for let in block.lets:
        yield let.op
        yield from inner_ops(let.op)


EVERYTHING = Clauses(((((BaseException,), 1),),))


def may_raise(op: Op) -> bool:
    """Whether an op may raise anything at all, as far as the op says."""
    return any(escapes_op(o, EVERYTHING) or called_by(o) for o in (op, *inner_ops(op)))


def leaves(block: Block) -> Iterator[Let]:
    """Iterate over the ops of a block and of the branches and loops in it, each of which may stand
    between two others that change variables."""
    for let in block.lets:
        if isinstance(let.op, (If, Case, Loop, While)):
            for _, inner in sub_blocks(let.op):
                yield from leaves(inner)
        else:
            yield let


def type_of_end(end: End) -> Type:
    return end if isinstance(end, Type) else end.type


def types_of(ends: Sequence[End]) -> tuple[Type, ...]:
    return (I64, *map(type_of_end, ends))


def is_linear(op: Op) -> bool:
    return isinstance(op, Prim) and op.name in ("solve.ck", "cholesky.ck")


def escapes_op(op: Op, clauses: Clauses, inside: Iterable[Clauses] = ()) -> bool:
    """Whether the clauses catch what the op itself may raise, and none of those inside does."""
    return bool(numbers_of_op(op, clauses, inside))


def numbers_of_op(op: Op, clauses: Clauses, inside: Iterable[Clauses] = ()) -> tuple[int, ...]:
    """Return the numbers of the clauses that catch what the op itself may raise, and none of those
    inside does."""
    name = raised_by_op(op)
    if name == AGAIN:
        return clauses.numbers()
    if name is None or any(c.number(name) for c in inside):
        return ()
    number = clauses.number(name)
    return (number,) if number else ()


def raised_by_op(op: Op) -> Raised | None:
    """Return what the op itself may raise."""
    match op:
        case Prim("require" | "require.early", _, (str() | type() as raised, *_)):
            return raised
        case Prim() if is_linear(op):
            return np.linalg.LinAlgError.__name__
        case Index(_, _, True) | Update(_, _, _, True):
            return IndexError.__name__
        case _:
            return None
