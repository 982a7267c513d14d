"""What notebooks show of an operator: what it has compiled."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from types import FunctionType
from typing import Any

from pullback.call.journal import Compilation, compilations

_HEADS = ("of", "by", "seconds", "bytes", "from", "because of")


def table(name: str, f: Callable[..., Any]) -> str:
    """Return a small table: a row for each program that this process has compiled for the function
    of an operator, with the types of the arguments, the time, the size and the reason."""
    title = escape(f"pb.{name}({getattr(f, '__qualname__', type(f).__name__)})")
    code = f.__code__ if isinstance(f, FunctionType) else None
    made = [c for c in compilations(code) if c.operator == name] if code is not None else []
    if not made:
        return f"<code>{title}</code>: nothing is compiled yet; the first call does that"
    heads = "".join(f"<th>{h}</th>" for h in _HEADS)
    names = code.co_varnames if code is not None else ()
    rows = "".join(_row(c, names) for c in made)
    hint = "pb.explain(f, ...) shows the programs, and how their loops run"
    return (
        f"<table><caption><code>{title}</code></caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table><small>{hint}</small>"
    )


def _row(c: Compilation, names: tuple[str, ...]) -> str:
    cells = (
        "; ".join(c.arguments), ", ".join(names[k] for k in c.argnums), f"{c.seconds:.3f}",
        f"{c.size:,}", "disk" if c.loaded else "here", c.reason)
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


__all__ = ["table"]
