"""When an iterator ends for which a ``finally`` is run where it is left: as soon as nobody has it
any longer, which in CPython is known.

    g = walk(xs)                    it is left (``stepped_form.DROP``)
    for v in g:                       where g is bound anew, and by ``del g``
        if v > 1.0: break             at the end of the function, behind what it returns:
    return next(g)                    the variables in the order in which they are first bound

So only one name may have it, a variable of the function that has made it or got it. Where an
exception leaves that function, the traceback still has the iterator: what is done when the
exception is forgotten is not known to anybody who may see it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

from pullback.core.build import i64
from pullback.core.terms import Case, If, Let, Lit, Loop, While
from pullback.errors import MutationError
from pullback.frontend.functions import choices
from pullback.frontend.functions.captured_variables import (
    FUNCTION,
    found_at,
    set_variable,
    variables,
)
from pullback.frontend.functions.caught_functions import EVERYTHING, may_raise
from pullback.frontend.functions.generator_blocks import AT
from pullback.frontend.functions.generator_forms import is_parameter
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.functions.stepped_form import DROP, ends, is_step, request
from pullback.frontend.functions.threads import changes_of
from pullback.frontend.kinds.flatten import functions_in
from pullback.frontend.kinds.values import (
    UNSET,
    Driven,
    FunctionV,
    MaybeV,
    Scalar,
    Stale,
    Static,
    Value,
)
from pullback.frontend.memory.holding import is_updated_in_place
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import parameters, updated
from pullback.frontend.python.texts import FunctionNode
from pullback.frontend.state import Kept, Variable

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def is_ending(value: Value | None) -> bool:
    """Whether a value is an iterator for which something is done where it is left, or one of
    several."""
    found = [] if value is None else choices.definitions(value)
    return any(d is not None and is_step(d.node) and ends(d.node) for d in found)


def left(run: Run, value: Value, request: str, node: ast.AST) -> None:
    """Leave an iterator where it stands."""
    run.call(value, (Static(request),), node)
    over(run, value, node)


def over(run: Run, value: Value, node: ast.AST) -> None:
    """Note that an iterator is known to be at its end."""
    for v in _places(value):
        if v.home[0] is function_scope(run.scope):
            set_variable(run, v.home, Scalar(i64(0), py=True, bits=31), node)


def ran_out(run: Run, value: Value, node: ast.AST) -> None:
    """Note that all items have been taken from what a loop goes through."""
    if is_ending(value):
        over(run, value, node)


def named(run: Run, name: str, value: Value, node: ast.AST) -> None:
    """Note that a variable gets an iterator."""
    frame, scope = run.frame, function_scope(run.scope)
    others = (v for n, v in scope.names.items() if n != name and not n.startswith("."))
    here = run.scope is scope and not frame.sealed and not _in_step(frame.definition)
    captured = name in liveness_of(frame.definition.node).captured if frame.definition else False
    here = here and not captured
    if not here or not isinstance(value, FunctionV) or any(v is value for v in others):
        refuse(run, node)
    spec = run.calls.prepare(value, request(value.definition.node, DROP), node)[0]
    found = (found_at({FUNCTION: value}, *c.path) for c in changes_of(spec))
    changed = frozenset(v.home[1] for v in found if v is not None and v.home[0] is scope)
    frame.kept[name] = Kept(value.definition, spec.shows, changed)


def is_assigned(key: object, node: ast.AST) -> bool:
    """Whether a statement gives a variable what is made there."""
    made = ast.Call | ast.GeneratorExp
    match node:
        case ast.Assign(targets, value) if isinstance(value, made):
            return any(t is key for t in targets) and len(targets) == 1
        case ast.AnnAssign(target, _, value) if isinstance(value, made):
            return target is key
        case _:
            return False


def again(run: Run, value: Value, key: object, node: ast.AST) -> None:
    """Refuse another place for an iterator, if it is neither a parameter, whose function is called
    by one who has it, nor one that the text of ``with`` has."""
    names = function_scope(run.scope).names
    if is_parameter(key):
        return
    others = (n for n, v in names.items() if v is value and not n.startswith("."))
    if not isinstance(key, ast.Name) or any(n != key.id for n in others):
        refuse(run, node)


def check_given(run: Run, items: Driven, node: ast.AST) -> None:
    """Refuse a name for a generator that updates what it was given: its caller has that, too."""
    generator = items.function.definition.node
    changed = updated(generator.body) if isinstance(generator, ast.FunctionDef) else ()
    if any(n in changed and is_updated_in_place(v) for n, v in items.args.items()):
        run.refuse(
            node,
            "a generator that yields inside of a try, and updates what it was given, has a name",
            "call it where it is used: for v in items(xs): ...",
            error=MutationError,
        )


def check_apart(run: Run, args: Iterable[Value], node: ast.AST) -> None:
    """Refuse a name for a generator that goes through such an iterator: two have that then."""
    if any(is_ending(f) for v in args for f in functions_in(v)):
        refuse(run, node)


def check_result(run: Run, value: Value, node: ast.AST) -> None:
    """Refuse a function whose result has an iterator that is not made by it."""
    own = [s for s in ast.iter_child_nodes(node) if is_step(s)]
    if any(is_ending(f) and f.definition.node not in own for f in functions_in(value)):
        refuse(run, node)


def dropped(run: Run, held: Value | None, now: Value, node: ast.AST) -> None:
    """Leave what a variable has held before it was bound anew."""
    if held is not None and held is not now and is_ending(held):
        left(run, held, DROP, node)


def at_the_end(run: Run, node: FunctionNode) -> None:
    """Leave what the variables of a function hold at its end."""
    kept, names = run.frame.kept, function_scope(run.scope).names
    order = [*parameters(node), *_bound(node)] if kept else []
    for name in sorted(kept, key=lambda n: order.index(n) if n in order else len(order)):
        value = names.get(name, UNSET)
        if is_ending(value):
            left(run, value, DROP, node)
        elif value is not UNSET and isinstance(value, (MaybeV, Stale)):
            refuse(run, node)  # some paths have set it


def raised(run: Run, let: Let) -> None:
    """Note an op where it may raise while a variable holds an iterator that is not at its end."""
    if isinstance(let.op, (If, Case, Loop, While)) or not may_raise(let.op):
        return
    frame = run.frame
    names, place = function_scope(frame.scope).names, frame.raising.get(id(let))
    for name, kept in frame.kept.items():
        held = names.get(name)
        if held is None or not is_ending(held) or all(map(_is_over, _places(held))):
            continue
        own = {f for f, d in run.calls.definitions.items() if d is kept.definition}
        inside = () if frame.trying is None else (frame.trying,)
        if not run.caught.escapes(let.op, EVERYTHING, inside, own):
            continue  # an iterator that raises is at its end
        if place is not None:
            place.unsure |= kept.changed
        if kept.shows:
            assert frame.definition is not None
            run.refuse(
                frame.definition.node,
                f"an exception may leave {frame.definition.name!r} while {name!r}, a generator, is "
                "inside of a try: Python closes it, and shows what it shows, when the exception is "
                "forgotten",
                f"close it here: try: ... finally: {name}.close()",
            )


def refuse(run: Run, node: ast.AST) -> NoReturn:
    """Refuse an iterator of which it is not known when nobody has it any longer."""
    run.refuse(
        node,
        "a generator that yields inside of a try is kept, and closed where nothing has it any "
        "longer",
        "give it one name, in the function that goes through it: g = items(xs)",
    )


def _in_step(definition: Definition | None) -> bool:
    return definition is not None and is_step(definition.node)


def _places(value: Value) -> list[Variable]:
    """Return the variables that say where an iterator stands."""
    return [v for v in variables({FUNCTION: value}) if v.name == AT]


def _is_over(place: Variable) -> bool:
    match place.value:
        case Scalar(Lit(0)) | Static(0):
            return True
        case _:
            return False


def _bound(node: ast.AST) -> list[str]:
    """Return the names that a function binds, in the order of its text."""
    found = (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return [n.id for n in sorted(found, key=lambda n: (n.lineno, n.col_offset))]


__all__ = [
    "again", "at_the_end", "check_apart", "check_given", "check_result", "dropped", "is_assigned",
    "is_ending", "left", "named", "over", "raised", "ran_out", "refuse",
]  # fmt: skip
