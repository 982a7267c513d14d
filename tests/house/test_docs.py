"""The documents are true: links resolve, ``file:function`` exists, every Python block runs."""

import ast
import doctest
import importlib
import inspect
import re
import runpy
import sys
from pathlib import Path

import pytest

import pullback as pb

ROOT = Path(__file__).parents[2]
PAGES = (p for p in (ROOT / "docs").glob("**/*.md") if "_build" not in p.parts)
TEXTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
DOCS = [*(ROOT / name for name in TEXTS), *sorted(PAGES)]
LINK = re.compile(r"(?<!\\)\]\(([^)#\s]+)(?:#[^)]*)?\)")
PLACE = re.compile(r"`([\w./]+\.py):(\w[\w.]*)`")
ELSEWHERE = {"neighbours.md"}
"""Pages whose blocks need other packages: ``tests/neighbours`` runs them."""
FENCE = re.compile(r"^```(\w*)\s*$")


def defined(path: Path) -> set[str]:
    """The names that a module defines at top level, methods as ``Class.method``."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            inner = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            names |= {f"{node.name}.{n.name}" for n in inner}
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        names |= {t.id for t in targets if isinstance(t, ast.Name)}
        if isinstance(node, ast.TypeAlias) if sys.version_info >= (3, 12) else False:
            names.add(node.name.id)
    return names


def dead_references(doc: Path, root: Path) -> list[str]:
    """Links to files that are not there and places that are not in the code."""
    text, found = doc.read_text(), []
    for target in LINK.findall(prose_of(text)):
        if "://" not in target and not (doc.parent / target).exists():
            found.append(f"{doc.name}: dead link {target}")
    for file, name in PLACE.findall(text):
        homes = [root / file, root / "src" / "pullback" / file]
        present = [home for home in homes if home.is_file()]
        if not present:
            found.append(f"{doc.name}: no file {file}")
        elif name not in defined(present[0]):
            found.append(f"{doc.name}: no {name} in {file}")
    return found


def prose_of(text: str) -> str:
    """A document without its blocks of code, where ``a[0](x)`` is no link."""
    return re.sub(r"^```\w.*?^```\s*$", "", text, flags=re.M | re.S)


def python_of(doc: Path) -> str:
    """The document's Python blocks, every line where it stands in the document."""
    lines, language = [], None
    for line in doc.read_text().splitlines():
        fence = FENCE.match(line)
        if fence:
            language = None if language is not None else fence.group(1)
        lines.append(line if language == "python" and not fence else "")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.name)
def test_references(doc: Path) -> None:
    assert dead_references(doc, ROOT) == []


@pytest.mark.parametrize(
    "doc", [d for d in DOCS if d.name not in ELSEWHERE], ids=lambda doc: doc.name
)
def test_python_blocks_run(doc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / f"{doc.stem.lower()}.py"  # a real file: Pullback reads the source
    program.write_text(python_of(doc))
    runpy.run_path(str(program), run_name="__main__")


PUBLIC = {name: getattr(pb, name) for name in pb.__all__}
FUNCTIONS = {name: f for name, f in PUBLIC.items() if inspect.isfunction(f)}
OTHERS = (type(pb.config), pb.PullbackError)
MODULES = sorted({f.__module__ for f in (*FUNCTIONS.values(), *OTHERS)})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_have_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(PUBLIC[name]) or "")


@pytest.mark.parametrize("module", MODULES)
def test_their_examples_run(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert tried and not failed


def test_planted_violations_are_caught(tmp_path: Path) -> None:
    (tmp_path / "here.py").write_text("class A:\n    def run(self): ...\nTABLE = 1\n")
    doc = tmp_path / "doc.md"
    doc.write_text(
        "[a](here.py) [b](gone.md) [c](https://example.org)\n"
        "`here.py:A.run` `here.py:TABLE` `here.py:lost` `gone.py:f`\n"
        "```python\nx = 1\n```\n```py\na[0](x)\n```\n"
        "```text\nnot python\n```\n```python\nassert x == 2\n```\n"
    )
    assert dead_references(doc, tmp_path) == [
        "doc.md: dead link gone.md",
        "doc.md: no lost in here.py",
        "doc.md: no file gone.py",
    ]
    assert python_of(doc).split("\n")[3] == "x = 1"
    with pytest.raises(AssertionError):
        exec(python_of(doc), {})
