"""mypy --strict and ruff, over the package and over planted mistakes."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pullback as pb
from pullback.frontend.kinds import kinds
from pullback.papers.language.terms import Term

ROOT = Path(__file__).parents[2]


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False,
        timeout=300,
    )


def test_mypy_strict() -> None:
    done = tool("mypy", "-p", "pullback", "-p", "tools", "-p", "tests.typed_calls")
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    done = tool("ruff", "check", "src", "tests", "benchmarks", "examples", "tools", "docs")
    assert done.returncode == 0, done.stdout + done.stderr


def test_planted_mistakes_are_caught(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("import os\n\n\ndef f(x):\n    return x\n")
    checked = tool("mypy", "--config-file", str(ROOT / "pyproject.toml"), str(path))
    assert "no-untyped-def" in checked.stdout
    linted = tool("ruff", "check", "--config", str(ROOT / "pyproject.toml"), str(path))
    assert "F401" in linted.stdout


# --- a case for each class ------------------------------------------------------------------------


def leaves(base: type) -> set[type]:
    """The classes below a base class that have no subclasses."""
    below = base.__subclasses__()
    return set[type]().union(*map(leaves, below)) if below else {base}


def taken(pattern: ast.pattern) -> Iterator[str]:
    """The names of the classes that a pattern takes whole."""
    match pattern:
        case ast.MatchOr(patterns):
            for p in patterns:
                yield from taken(p)
        case ast.MatchClass(ast.Name(name), inside, _, named):
            if all(isinstance(p, ast.MatchAs) and p.pattern is None for p in (*inside, *named)):
                yield name


def matches() -> Iterator[tuple[str, str, set[str]]]:
    """Where a match ends in ``unhandled``: its place, its room, and the classes that it takes, or
    that a condition of its function does."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        text, room = path.read_text(), path.relative_to(ROOT / "src/pullback").parts[0]
        for function in ast.walk(ast.parse(text)) if "unhandled(" in text else ():
            if not isinstance(function, ast.FunctionDef):
                continue
            inside = list(ast.walk(function))
            looked = {ast.unparse(n.args[1]) for n in inside if isinstance(n, ast.Call)
                      and ast.unparse(n.func) == "isinstance"}  # fmt: skip
            for node in inside:
                if isinstance(node, ast.Match) and "unhandled(" in ast.unparse(node.cases[-1]):
                    plain = [case.pattern for case in node.cases if case.guard is None]
                    found = {n for p in plain for n in taken(p)}
                    yield f"{path}:{node.lineno}", room, found | looked


def test_there_is_a_case_for_each_class() -> None:
    found = list(matches())
    every = {"papers": leaves(Term), "frontend": leaves(kinds.Kind)}
    assert min(map(len, every.values())) > 20 and {room for _, room, _ in found} == set(every)
    for place, room, names in found:
        missed = [c for c in every[room] if names.isdisjoint(b.__name__ for b in c.__mro__)]
        assert not missed, (place, missed)


def test_signatures_show_types() -> None:
    """``help`` and ``inspect.signature`` show types, not the texts of annotations."""
    found = []
    for name in pb.__all__:
        f = getattr(pb, name)
        if inspect.isfunction(f):
            said = inspect.signature(f)
            annotations = [p.annotation for p in said.parameters.values()]
            if any(isinstance(a, str) for a in (*annotations, said.return_annotation)):
                found.append(name)
    assert found == ["export"]  # the class of its result is imported with the compiler
