"""Advice in refusals is only given where following it compiles."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.frontend.mended_programs import PAIRS

SOURCE = Path(pb.__file__).parent
UNTRIED = 80
"""How many pieces of advice with code in them have no pair yet. It may only become less."""


def same(x: Any, y: Any) -> bool:
    return np.allclose(np.asarray(x, float), np.asarray(y, float), rtol=1e-12, atol=0.0)


def value(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What Python gives; None where it raises, or what an unknown order of items decides."""
    try:
        found = f(*args)
    except Exception:
        return None
    return list(found) if isinstance(found, types.GeneratorType) else found


def refusal(f: Callable[..., Any], args: tuple[Any, ...]) -> pb.PullbackError:
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(f)(*args)
    return caught.value


@pytest.mark.parametrize(("f", "mended", "args", "text"), PAIRS, ids=[p[0].__name__ for p in PAIRS])
def test_advice(
    f: Callable[..., Any], mended: Callable[..., Any], args: tuple[Any, ...], text: str
) -> None:
    assert text in refusal(f, args).rewrite
    wanted = mended(*args)
    assert same(pb.jit(mended)(*args), wanted)
    if f.__name__ not in OTHERS:
        meant = value(f, args)
        assert meant is None or same(meant, wanted)


OTHERS = (
    "refused_rows", "refused_in_place", "refused_mask_copy", "refused_set_pop", "refused_endless",
    "refused_late", "refused_generator_array",
)  # fmt: skip
"""Programs that mean something else in Python than their mended form (an error of the program, most
likely), or do not end there."""


def advice() -> Iterator[str]:
    """The advice with code in it of all refusals in the source: parts that the run knows are {}."""
    for path in SOURCE.rglob("*.py"):
        for n in ast.walk(ast.parse(path.read_text())):
            if not isinstance(n, ast.Call) or not _refuses(n.func):
                continue
            texts = [t for t in map(_text, n.args) if t is not None]
            if len(texts) >= 2 and any(c in texts[1] for c in "()[]="):
                yield texts[1]


def _refuses(f: ast.expr) -> bool:
    name = f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")
    return name in ("refuse", "refuse_captured", "never") or name.endswith("Error")


def _text(e: ast.expr) -> str | None:
    match e:
        case ast.Constant(str(text)):
            return text
        case ast.JoinedStr(parts):
            return "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in parts)
        case _:
            return None


def test_new_advice_is_tried() -> None:
    given = {refusal(f, args).rewrite for f, _, args, _ in PAIRS}
    untried = []
    for text in {*advice()}:
        pattern = ".*".join(map(re.escape, text.split("{}")))
        if not any(re.fullmatch(pattern, g) for g in given):
            untried.append(text)
    assert len(untried) == UNTRIED, "\n".join(sorted(untried))
