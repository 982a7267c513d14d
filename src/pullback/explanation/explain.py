"""``pb.explain``: one page on a function, its derivative, and how both run."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pullback.api.looking import asked
from pullback.api.operator_objects import Operator, with_updates
from pullback.call.binding import register_operators
from pullback.call.leaving import public, writing
from pullback.call.methods import CHAD, NATIVE
from pullback.call.request import Request, What
from pullback.call.tangents import differentiable
from pullback.core.later import Later
from pullback.explanation.model import Explanation

if TYPE_CHECKING:
    from pullback.explanation import explaining, page
else:
    explaining = Later("pullback.explanation.explaining")
    page = Later("pullback.explanation.page")


class Explained:
    """An explanation. ``html`` is the page, ``model`` what stands in it; notebooks show the page in
    a frame."""

    __slots__ = ("html", "model")

    def __init__(self, model: Explanation) -> None:
        self.model = model
        self.html: str = page.page(model)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, and return its path."""
        to = Path(path)
        to.write_text(self.html, encoding="utf-8")
        return to

    def __repr__(self) -> str:
        return f"<explanation of {self.model.title}: {len(self.html):,} characters of HTML>"

    def _repr_html_(self) -> str:
        """Return a frame with the page, whose style does not touch that of the notebook."""
        inside = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{inside}" style="width:100%;height:48rem;border:0"></iframe>'


@public
def explain(
    f: Callable[..., Any], *args: Any, path: str | os.PathLike[str] | None = None
) -> Explained:
    """Return one page that explains ``f`` and its gradient at these arguments.

    The page is an HTML file that needs no network. It has the source, the program of Core, the
    derivative and the plan of all loops, linked line by line; the steps of each line, forward and
    in reverse, from a counted run; what reverse mode keeps and what it computes again, in bytes;
    how the steps grow with the sizes of the arguments; and the function by the stages of the four
    papers, if it is in their languages. ``f`` runs some times in the evaluator, at these arguments
    and at smaller and larger ones. If that takes too long, smaller ones are taken, and the page
    says so. An error of ``f`` itself is a note on the page.

    Args:
        f: the function, or what an operator has made of one: then the derivative is by its
            ``argnums``, otherwise by all arguments that hold reals
        args: its arguments, which are left as they are
        path: a file to which the page is written

    Returns:
        an object with the page as ``html`` and what stands in it as ``model``; ``save(path)``
        writes it to a file, and a notebook shows it

    Raises:
        PullbackError: the function is refused, as by ``pb.show``
        OSError: the file cannot be written

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> made = pb.explain(square, 3.0)
        >>> made.model.value_steps, made.html.startswith("<!DOCTYPE html>")
        (1, True)
    """
    inner = f.given if isinstance(f, Operator) else f
    title = str(getattr(inner, "__qualname__", type(inner).__name__))
    made = with_updates(lambda g: _explained(g, args, title), f, args, writes=False)
    if path is not None:
        with writing():
            made.save(path)
    return made


def _explained(f: Callable[..., Any], args: tuple[Any, ...], title: str) -> Explained:
    g, values, request = asked(f, args, CHAD, "explain")
    reverse = request.what in (What.GRADIENT, What.VALUE_AND_GRADIENT)
    by = request.argnums if isinstance(f, Operator) and reverse else differentiable(values)
    method = request.method if request.method in NATIVE else CHAD
    wanted = Request(What.VALUE_AND_GRADIENT, by, method=method, outside=request.outside)
    return Explained(explaining.explanation(g, values, wanted, title))


register_operators(explain=explain)


__all__ = ["Explained", "explain"]
