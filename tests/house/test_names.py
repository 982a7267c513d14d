"""A file name that stands twice below ``src/pullback`` means the same thing wherever it stands."""

from collections import Counter
from pathlib import Path

SRC = Path(__file__).parents[2] / "src" / "pullback"

LANGUAGES = "core, papers/language, lower: each language has its own"
PAPERS = "the papers: each has its own way of it"
MEANINGS = {
    "__init__.py": "a folder",
    "build.py": f"how terms are written by hand ({LANGUAGES})",
    "check.py": f"the checker ({LANGUAGES})",
    "eval.py": f"the evaluator ({LANGUAGES}, and the derivative monad of papers/delta)",
    "pretty.py": f"the printer ({LANGUAGES})",
    "prims.py": f"the primitives ({LANGUAGES})",
    "rows.py": "operations as rows of a table",
    "show.py": "how something is shown that is no term of a program",
    "terms.py": f"the grammar ({LANGUAGES})",
    "traverse.py": f"the traversal ({LANGUAGES})",
    "towers.py": "towers of derivatives of all orders",
    "types.py": f"the types ({LANGUAGES})",
    "values.py": f"the values ({LANGUAGES}, and those that the front end knows)",
    "batches.py": "functions over batches: what they mean, and their compilation",
    "gradients.py": "gradients: the operators, and their calls inside compiled code",
    "implicit.py": "implicit derivatives: the front end's part, and its text",
    "rules.py": "derivative rules of the user's own: the interface, the front end, differentiation",
    "structures.py": "structures of leaves: what is asked of them, and its compilation",
    "arrays.py": "the operations on arrays",
    "calls.py": "calls of functions",
    "cells.py": "the cells into which cotangents are added",
    "combinators.py": "the combinators: as plain Python, their compilation, those of a paper",
    "comparisons.py": "the comparisons, of any values and as text of whole arrays",
    "dense.py": PAPERS,
    "emit.py": "how the code of the next language is written",
    "flatten.py": "from a value to its leaves",
    "forward.py": "forward mode",
    "ground.py": PAPERS,
    "indices.py": "indices, counted from the start and checked",
    "lists.py": "lists",
    "loops.py": "loops",
    "maps.py": "maps: of keys, and the functions that are kept in them",
    "messages.py": "the messages of errors",
    "methods.py": "what ``method=`` may name",
    "monadic.py": PAPERS,
    "mutable.py": PAPERS,
    "naive.py": PAPERS,
    "ownership.py": "who may update an array",
    "numpy.py": "NumPy under another library's name",
    "scipy.py": "SciPy: under another library's name, and as a neighbour",
    "run.py": "one run: of the front end, of a paper",
    "scalars.py": "operations on numbers",
    "special.py": "the special functions",
    "state.py": "the state of a walk over a function",
    "tangents.py": "tangents, and their space",
    "tape.py": "the tape of dual numbers",
    "views.py": "views of arrays",
}
"""What each name means that may stand more than once."""


def repeated(src: Path) -> set[str]:
    """The file names that stand more than once."""
    counts = Counter(path.name for path in src.rglob("*.py"))
    return {name for name, count in counts.items() if count > 1}


def test_names_that_repeat_have_one_meaning() -> None:
    assert sorted(repeated(SRC) - set(MEANINGS)) == []


def test_the_table_has_no_more_than_there_are() -> None:
    assert sorted(set(MEANINGS) - repeated(SRC)) == []


def test_a_planted_name_is_caught(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "widgets.py").write_text("")
    assert repeated(tmp_path) == {"widgets.py"}
