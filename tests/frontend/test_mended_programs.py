"""Advice in refusals is only given where following it compiles."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import mended_libraries, refusal_page
from tests.frontend.mended import PAIRS, Pair
from tests.frontend.untried import UNTRIED

SOURCE = Path(pb.__file__).parent
SLOW = (mended_libraries.refused_fit,)
"""Their derivatives are large programs, and tested elsewhere."""


@functools.cache
def refusal(pair: Pair) -> pb.PullbackError:
    with pytest.raises(pb.PullbackError) as caught:
        pair.run(pair.refused)
    return caught.value


@pytest.mark.parametrize(
    "pair", campaign.part("values", PAIRS, 3), ids=lambda p: p.refused.__name__
)
def test_advice(pair: Pair) -> None:
    error = refusal(pair)
    assert (pair.advice in error.rewrite, type(error)) == (True, pair.error)
    written = refusal_page.written()[refusal_page.name_of(pair)]
    assert refusal_page.what_is_said(error) == written, "python -m tests.frontend.refusal_page"
    wanted = pair.python(pair.mended)
    assert harness.distance(plain(pair.run(pair.mended)), plain(wanted)) < 1e-12
    if pair.raises is not None:
        with pytest.raises(pair.raises):
            pair.python(pair.refused)
    elif not pair.differs:
        assert harness.distance(plain(pair.python(pair.refused)), plain(wanted)) < 1e-12


def test_the_page_has_all_pairs() -> None:
    """``docs/refusals.md`` is written anew when a pair comes, goes or changes."""
    names = [*map(refusal_page.name_of, PAIRS)]
    assert len({*names}) == len(names)
    wanted = refusal_page.page(refusal_page.written())
    assert refusal_page.PAGE.read_text() == wanted, "python -m tests.frontend.refusal_page"


def plain(x: Any) -> Any:
    """A value with lists for tuples and arrays: a mended program may give another sequence."""
    inside = x.tolist() if isinstance(x, np.ndarray) else harness.children(x)
    return [plain(part) for part in inside] if isinstance(inside, list) else x


@pytest.mark.parametrize(
    "pair", [p for p in PAIRS if campaign.chosen("values", p.refused.__name__, 4)],
    ids=lambda p: p.refused.__name__,
)  # fmt: skip
def test_gradient(pair: Pair) -> None:
    """The gradient of the mended program, by all that is real, for a quarter of them in each shard.
    """
    value = pair.python(pair.mended)
    some = (any(map(harness.is_real, harness.leaves(v))) for v in (pair.args, value))
    if pair.outside or pair.refused in SLOW or not all(some):
        return
    _, pullback = pb.vjp(pair.mended, *pair.args)
    ones = harness.map_leaves(lambda v: np.ones_like(v)[()] if harness.is_real(v) else None, value)
    tangents = harness.direction(np.random.default_rng(1), pair.args)
    found = harness.inner(pullback(ones), tangents)
    wanted = harness.difference(lambda *args: total(pair.mended(*args)), pair.args, tangents)
    single = any(
        getattr(v, "dtype", None) == np.float32 for v in harness.leaves((value, pair.args))
    )
    assert found == pytest.approx(wanted, rel=1e-3 if single else 1e-6, abs=1e-8)


def total(value: Any) -> Any:
    return sum(np.sum(v) for v in harness.leaves(value) if harness.is_real(v))


# --- the advice in the source ---------------------------------------------------------------------

Names = dict[str, list[ast.expr]]
REFUSING = re.compile(r"refuse|rewrite|unsupported\(|Error\(")


class Source:
    """The files of the package, and where in them advice is given: as the argument for a parameter
    ``rewrite``."""

    def __init__(self) -> None:
        read = ((p, p.read_text()) for p in SOURCE.rglob("*.py"))
        self.files = {p: ast.parse(text) for p, text in read if REFUSING.search(text)}
        self.constants: Names = defaultdict(list)
        self.own: dict[Path, set[str]] = defaultdict(set)
        self.places: dict[str, dict[Path, int]] = defaultdict(dict)
        for path, tree in self.files.items():
            for target, value in assigned(tree.body):
                self.constants[target] += [value]
                self.constants[f"{path.stem}.{target}"] += [value]
                self.own[path].add(target)
            for n in ast.walk(tree):
                if isinstance(n, ast.FunctionDef):
                    names = [a.arg for a in n.args.args if a.arg != "self"]
                    if "rewrite" in names:
                        self.places[n.name][path] = names.index("rewrite")

    def place(self, f: ast.expr, path: Path) -> int | None:
        """The position of the advice among the arguments of a function."""
        match f:
            case ast.Attribute(ast.Name("self"), name) | ast.Name(name):
                mine = True
            case ast.Attribute(_, name):
                mine = False
            case _:
                return None
        known = self.places.get(name, {})
        if name.endswith("Error"):
            return 1
        return known[path] if mine and path in known else max(known.values(), default=None)

    def advice(self) -> Iterator[str]:
        """The advice with code in it of all refusals: parts that the run knows are {}."""
        for path, tree in self.files.items():
            for e, around in self.given(path, tree, None):
                local: Names = defaultdict(list)
                if around is not None and not isinstance(e, ast.Constant):
                    for target, value in assigned(ast.walk(around)):
                        local[target] += [value]
                own = {n: self.constants[f"{path.stem}.{n}"] for n in self.own[path]}
                for text in texts(e, {**self.constants, **own, **local}):
                    if any(c in text for c in "()[]="):
                        yield text

    def given(
        self, path: Path, tree: ast.AST, around: ast.AST | None
    ) -> Iterator[tuple[ast.expr, ast.AST | None]]:
        """What is given as advice, and the function in which that is."""
        for n in ast.iter_child_nodes(tree):
            if isinstance(n, ast.Call) and (k := self.place(n.func, path)) is not None:
                for e in [w.value for w in n.keywords if w.arg == "rewrite"] or n.args[k : k + 1]:
                    yield e, around
            yield from self.given(path, n, n if isinstance(n, ast.FunctionDef) else around)


def assigned(statements: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """The names that are assigned, and what."""
    for s in statements:
        match s:
            case ast.Assign([ast.Name(name)], value):
                yield name, value
            case ast.AnnAssign(ast.Name(name), value=ast.expr() as value):
                yield name, value
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                yield from ((t.id, v) for t, v in zip(targets, values) if isinstance(t, ast.Name))
            case _:
                pass


def texts(e: ast.expr, names: Names) -> list[str]:
    """The texts that an expression may be, as far as the source says it."""
    match e:
        case ast.Constant(str(text)):
            return [text]
        case ast.JoinedStr(parts):
            return ["".join(p.value if isinstance(p, ast.Constant) else "{}" for p in parts)]
        case ast.IfExp(_, a, b):
            return [*texts(a, names), *texts(b, names)]
        case ast.BinOp(a, ast.Add(), b):
            return [s + t for s in texts(a, names) or ["{}"] for t in texts(b, names) or ["{}"]]
        case ast.Attribute(ast.Name(module), name) if f"{module}.{name}" in names:
            return texts(ast.Name(f"{module}.{name}"), names)
        case ast.Name(name) | ast.Attribute(_, name):
            outer = {**names, name: []}
            return [t for value in names.get(name, ()) for t in texts(value, outer)]
        case ast.Call(ast.Attribute(table, "get")) | ast.Subscript(table):
            tables = names.get(getattr(table, "id", ""), ())
            items = (v for d in tables if isinstance(d, ast.Dict) for v in d.values)
            return [t for value in items for t in texts(value, names)]
        case _:
            return []


def test_new_advice_is_tried() -> None:
    """All advice with code in it has a pair, or a reason why it has none."""
    given = {refusal(pair).rewrite for pair in PAIRS}
    untried = set()
    for text in {*Source().advice()}:
        pattern = ".*".join(map(re.escape, text.split("{}")))
        if not any(re.fullmatch(pattern, g) for g in given):
            untried.add(text)
    assert sorted(untried ^ UNTRIED.keys()) == []
