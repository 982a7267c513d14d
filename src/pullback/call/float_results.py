"""Results that are differentiated are floats, also where they may be ints in Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pullback.call.request import Request, What
from pullback.core.terms import Atom, Block, Function
from pullback.frontend.kinds.kinds import (
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    TupleK,
    leaf_types,
    parts,
    with_parts,
)
from pullback.frontend.specialisation import Specialised


def with_floats(request: Request, special: Specialised) -> Specialised:
    """Make the differentiated result one of floats where it may be ints in Python: derivatives do
    not ask for that, and then no loop of theirs carries it."""
    kind, program = special.result, special.program
    aux = request.has_aux and isinstance(kind, TupleK) and len(kind.items) == 2
    if request.what is What.VALUE:
        return special
    main = program.functions[program.main]
    given, atoms = iter(main.body.results), list[Atom]()
    made = _floats(parts(kind)[0] if aux else kind, given, atoms)
    if aux:
        made = with_parts(kind, (made, parts(kind)[1]))
    atoms += given
    if made == kind:
        return special
    body = Block(main.body.lets, tuple(atoms))
    function = Function(main.name, main.params, body, tuple(a.type for a in atoms))
    functions = {**program.functions, main.name: function}
    return replace(special, program=replace(program, functions=functions), result=made)


def _floats(kind: Kind, given: Iterator[Atom], out: list[Atom]) -> Kind:
    match kind:
        case ScalarK(t, py, bits, True):
            out.append(next(given))
            next(given)
            return ScalarK(t, py, bits)
        case TupleK() | RecordK():
            return with_parts(kind, tuple(_floats(k, given, out) for k in parts(kind)))
        case ListK() | OptionalK():
            out.append(next(given))
            return with_parts(kind, tuple(_floats(k, given, out) for k in parts(kind)))
        case _:
            out += [next(given) for _ in leaf_types(kind)]
            return kind
