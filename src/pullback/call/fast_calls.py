"""Fast calls: how values of simple kinds go straight into an entry point and out of it.

``fast_form`` writes the Python function of one compiled entry: look at the guards, read the hidden
arguments, take records apart, call. It gives ``NotImplemented`` when the compiled code is not for
these arguments, as the entry point itself does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pullback.call.forms import Decode, Fast, Guards, Hidden, NoForm, Writer, defined
from pullback.call.shapes import shape_of
from pullback.frontend.kinds import Kind
from pullback.native import Tree, bound


@dataclass(frozen=True, slots=True)
class FastForm:
    """The trees of the arguments of an entry point, and the text of the call.

    ``bind(builtin, decode)(f)`` is the fast call for the function f."""

    params: tuple[Tree, ...]
    text: str
    objects: dict[str, object]
    direct: bool

    def bind(self, builtin: Fast, decode: Decode | None) -> Callable[[object], Fast]:
        """What makes the fast call of a function, given its compiled entry point."""
        if self.direct and decode is None:
            return lambda f: bound(builtin, f)
        names: dict[str, object] = {**self.objects, "builtin": builtin, "bound": bound,
                                    "decode": decode}  # fmt: skip
        result = "r if r is NotImplemented else decode(r)" if decode else "r"
        return defined(self.text.replace("RESULT", result), names)


def fast_form(kinds: Sequence[Kind], hidden: Hidden, guards: Guards) -> FastForm | None:
    """The form of all arguments and hidden arguments; None: they take the general way."""
    w = Writer()
    trees: list[Tree] = []
    values: list[str] = []
    try:
        for g in guards:
            w.guard(g)
        for k, (path, _) in enumerate(hidden):
            w.dynamic = True
            w.lines.append(f"h{k} = {w.path(path)}")
        places = [(kind, f"a{k}") for k, kind in enumerate(kinds)]
        places += [(kind, f"h{k}") for k, (_, kind) in enumerate(hidden)]
        for kind, at in places:
            found = shape_of(kind).argument(w, at)
            if found is not None:
                trees.append(found[0])
                values.append(found[1])
            w.dynamic |= found is None
    except NoForm:
        return None
    w.setup.append("entry = bound(builtin, f)")
    body = [
        f"r = entry({', '.join(values)})",
        "return RESULT",
    ]
    text = w.text(len(kinds), body)
    return FastForm(tuple(trees), text, w.objects, not w.dynamic)
