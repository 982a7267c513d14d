"""No file imports another in a circle, and imports stand at the top of files."""

import ast
from functools import cache
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"

INSIDE_FUNCTIONS = {
    "pullback.__main__": "only the command of the demo needs the demo",
    "pullback.demo.steps": "pictures are drawn only where matplotlib is installed",
    "pullback.frontend.kinds.join": "the recursion of KINDS",
    "pullback.frontend.python.records": "the recursion of KINDS",
}
"""The files that import inside a function, and why."""

KINDS = ("frontend.kinds.join", "frontend.python.generics", "frontend.python.records")
"""The join of two objects of a generic class joins the arguments of the class, which are kinds: one
recursion, over three files."""

OF_TYPES = [
    ("ad.dual", "ad.dual_levels", "ad.dual_loops"),
    ("ad.forward", "ad.function_halves", "ad.jets", "ad.nested_jets"),
    ("ad.frames", "ad.loop_residuals"),
    (
        "core.build", "core.complex_formulas", "core.formulas", "core.prims", "core.prims_array",
        "core.prims_bessel", "core.prims_complex", "core.prims_discrete", "core.prims_foreign",
        "core.prims_fourier", "core.prims_linear", "core.prims_order", "core.prims_polynomials",
        "core.prims_products", "core.prims_real", "core.prims_scipy_values", "core.prims_sparse",
        "core.prims_special", "core.rows", "core.scipy_rows",
    ),
    (
        "frontend.functions.captures", "frontend.functions.eta", "frontend.functions.lambda_sets",
        "frontend.functions.scopes", "frontend.functions.self_capture", "frontend.interface",
        "frontend.kinds.chosen", "frontend.kinds.complex_pairs", "frontend.kinds.descriptions",
        "frontend.kinds.flatten", "frontend.kinds.function_kinds", "frontend.kinds.join",
        "frontend.kinds.joined_fields", "frontend.kinds.kinds", "frontend.kinds.outside_objects",
        "frontend.kinds.sum_kinds", "frontend.kinds.table_keys", "frontend.kinds.values",
        "frontend.kinds.widening", "frontend.python.fingerprints", "frontend.python.generics",
        "frontend.python.records", "frontend.python.unions",
    ),
    ("lower.forms", "lower.state"),
    (
        "native.compile", "native.control", "native.emit", "native.flush", "native.foreign",
        "native.fork_calls", "native.lane_sums", "native.mathlib", "native.memory",
    ),
]  # fmt: skip
"""Classes whose fields or methods name each other: imported for their types alone. (A scope holds
values, and a function, which is a value, has a scope; a kind names a lambda set, which has kinds.)
"""

STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
Graph = dict[str, set[str]]


@cache
def modules(src: Path) -> dict[str, ast.Module]:
    """The modules below a folder, by their dotted names."""
    found = {}
    for path in sorted(src.rglob("*.py")):
        parts = path.relative_to(src).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text())
    return found


def imports(name: str, tree: ast.Module, known: set[str]) -> list[tuple[str, bool, bool]]:
    """What a module imports of the known ones: the name, whether inside a function, whether for the
    types alone."""
    found = []

    def walk(node: ast.AST, inside: bool, typing: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, STATEMENTS):
                continue
            if isinstance(child, ast.ImportFrom) and child.module:
                for alias in child.names:
                    whole = f"{child.module}.{alias.name}"
                    target = whole if whole in known else child.module
                    if target in known and target != name:
                        found.append((target, inside, typing))
            elif isinstance(child, ast.Import):
                found.extend((a.name, inside, typing) for a in child.names if a.name in known)
            of_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            is_function = isinstance(child, ast.FunctionDef)
            walk(child, inside or is_function, typing or of_types)

    walk(tree, False, False)
    return found


def circles(graph: Graph) -> list[tuple[str, ...]]:
    """The strongly connected components of two nodes and more."""
    reach = {start: reached(graph, start) for start in graph}
    found = {
        tuple(sorted({b for b in reach[a] if a in reach.get(b, ())} | {a}))
        for a in graph
        if a in reach[a]
    }
    return sorted(found)


def reached(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += graph.get(at, ())
    return seen


def graphs(src: Path) -> tuple[Graph, Graph]:
    """Who imports whom at run time, and who for types besides."""
    trees = modules(src)
    run: Graph = {}
    whole: Graph = {}
    for name, tree in trees.items():
        found = imports(name, tree, set(trees))
        run[name] = {other for other, _, typing in found if not typing}
        whole[name] = {other for other, _, _ in found}
    return run, whole


def test_no_file_imports_another_in_a_circle() -> None:
    run, whole = graphs(SRC)
    assert circles(run) == [tuple(f"pullback.{name}" for name in KINDS)]
    assert circles(whole) == [tuple(f"pullback.{name}" for name in names) for names in OF_TYPES]


def test_imports_stand_at_the_top() -> None:
    trees = modules(SRC)
    found = {
        name
        for name, tree in trees.items()
        if any(inside for _, inside, _ in imports(name, tree, set(trees)))
    }
    assert found == set(INSIDE_FUNCTIONS)


def test_planted_circles_are_caught(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from b import f\n")
    (tmp_path / "b.py").write_text("def f():\n    import c\n")
    (tmp_path / "c.py").write_text("if TYPE_CHECKING:\n    from a import g\n")
    run, whole = graphs(tmp_path)
    assert circles(run) == []
    assert circles(whole) == [("a", "b", "c")]
