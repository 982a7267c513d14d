"""Who may import whom (design, section 4), read from the import statements."""

import ast
from pathlib import Path

SRC = Path(__file__).parents[2] / "src" / "pullback"

# room -> the rooms that it may know, besides itself; "pullback" is the public interface.
# "call" is the boundary: from a Python call to compiled code and back.
MAY_KNOW = {
    "core": set(),
    "errors": {"core"},
    "combinators": set(),
    "loop_progress": set(),
    "papers": {"core"},
    "convert": {"core"},
    "ad": {"core"},
    "opt": {"core"},
    "lower": {"core"},
    "absent": set(),
    "structures": {"errors"},
    "batches": {"errors", "structures"},
    "declared_callbacks": {"core", "errors", "structures"},
    "frontend": {
        "core", "errors", "combinators", "structures", "batches", "absent", "declared_callbacks",
        "loop_progress",
    },
    "native": {"core", "lower", "errors"},
    "call": {
        "core", "errors", "papers", "convert", "ad", "lower", "frontend", "native", "pipeline",
        "structures", "settings",
    },
    "settings": {"core"},
    "pipeline": {"core", "convert", "ad", "opt", "settings"},
    "api": {"call", "errors", "structures", "batches", "declared_callbacks", "settings"},
    "explanation": {
        "api", "call", "core", "errors", "frontend", "lower", "native", "papers", "settings",
    },
    "pullback": {
        "api", "errors", "combinators", "absent", "interop", "explanation", "loop_progress",
    },
    "interop": {"pullback", "api", "call", "errors", "structures"},
    "compat": {"pullback", "api", "combinators", "errors", "structures"},
    "demo": {"pullback"},
    "gallery": {"pullback"},
    "__main__": {"pullback", "demo", "gallery", "papers"},
}


def room_of(parts: tuple[str, ...], rooms: set[str]) -> str:
    """The room of a dotted name below ``pullback``."""
    return parts[0] if parts and parts[0] in rooms else "pullback"


def imported(source: str, package: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The dotted names below ``pullback`` that a file imports; ``package`` is where it stands."""
    names: set[tuple[str, ...]] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            parts = [tuple(alias.name.split(".")) for alias in node.names]
            names |= {p[1:] for p in parts if p[0] == "pullback"}
        elif isinstance(node, ast.ImportFrom):
            module = tuple((node.module or "").split(".")) if node.module else ()
            if node.level:
                base = package[: len(package) - node.level + 1] + module
            elif module[:1] == ("pullback",):
                base = module[1:]
            else:
                continue
            names |= {(*base, alias.name) for alias in node.names}
    return names


def violations(src: Path) -> list[str]:
    """Every import that crosses a wall."""
    present = {path.stem for path in src.iterdir()} - {"__init__", "__pycache__"}
    rooms = (present | set(MAY_KNOW)) - {"pullback"}
    found = []
    for path in sorted(src.rglob("*.py")):
        place = path.relative_to(src)
        package = place.parts[:-1]
        home = "pullback" if place.name == "__init__.py" and not package else place.parts[0]
        home = home.removesuffix(".py")
        if home not in MAY_KNOW:
            found.append(f"{place}: the room {home} has no entry in MAY_KNOW")
            continue
        for name in sorted(imported(path.read_text(), package)):
            other = room_of(name, rooms)
            if other != home and other not in MAY_KNOW[home]:
                found.append(f"{place}: {home} may not know {other}")
    return found


def test_the_rooms_know_only_whom_they_may() -> None:
    assert violations(SRC) == []


def test_planted_violations_are_caught(tmp_path: Path) -> None:
    for room in ("core", "ad", "opt"):
        (tmp_path / room).mkdir()
    (tmp_path / "core" / "terms.py").write_text("from pullback.ad import chad\n")
    (tmp_path / "ad" / "chad.py").write_text("from ..core import terms\nfrom ..opt import dce\n")
    (tmp_path / "opt" / "dce.py").write_text("import pullback.core.terms\nimport pullback as pb\n")
    (tmp_path / "cellar.py").write_text("")
    assert violations(tmp_path) == [
        "ad/chad.py: ad may not know opt",
        "cellar.py: the room cellar has no entry in MAY_KNOW",
        "core/terms.py: core may not know ad",
        "opt/dce.py: opt may not know pullback",
    ]
