"""What is excepted from a rule says why: ``# noqa`` and ``# type: ignore`` end with a reason, ruff
ignores nothing everywhere, and every group of rows in ``pyproject.toml`` has a comment."""

import io
import re
import tokenize
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "benchmarks", "examples", "tools")
EXCEPTION = re.compile(r"#\s*(noqa|type:\s*ignore)(.*)", re.IGNORECASE)
WITH_REASON = re.compile(r"(: [A-Z]+\d+(, [A-Z]+\d+)*|\[[a-z-]+(, [a-z-]+)*\])  # \S.*")


def without_reason(source: str) -> list[str]:
    """The exceptions of a file that name no rule, or no reason."""
    found: list[str] = []
    if not EXCEPTION.search(source):  # to look at all tokens takes long
        return found
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        made = EXCEPTION.match(token.string) if token.type == tokenize.COMMENT else None
        if made and not WITH_REASON.fullmatch(made[2]):
            found.append(f"{token.start[0]}: {token.string}")
    return found


def unexplained(text: str) -> list[str]:
    """What a ``pyproject.toml`` excepts everywhere, or in files without a comment above."""
    lint = tomllib.loads(text)["tool"]["ruff"]["lint"]
    found = [key for key in ("ignore", "extend-ignore") if lint.get(key)]
    rows = text[text.index("[tool.ruff.lint.per-file-ignores]") :].splitlines()[1:]
    explained = False
    for row in rows:
        if row.startswith("["):
            break
        explained = row.startswith("#") or (explained and bool(row))
        if row.startswith('"') and not explained:
            found.append(row)
    return found


def test_exceptions_say_why() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{what}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for what in without_reason(path.read_text())
    ]
    assert found == []


def test_nothing_is_excepted_everywhere() -> None:
    assert unexplained((ROOT / "pyproject.toml").read_text()) == []


def test_planted_exceptions_are_caught() -> None:
    bare = "x = 1  # no" + "qa\n"
    good = "x = I  # no" + "qa: E741, F821  # as the paper calls it\n"
    typed = "y = f()  # type: " + "ignore[misc]\nz = '# no" + "qa'\n"
    assert without_reason(bare + good + typed) == [
        "1: # no" + "qa", "3: # type: " + "ignore[misc]",
    ]  # fmt: skip
    ruff = '[tool.ruff.lint]\nignore = ["E501"]\n[tool.ruff.lint.per-file-ignores]\n'
    rows = '# They are programs.\n"a/*" = ["E"]\n"b/*" = ["E"]\n\n"c/*" = ["E"]\n'
    assert unexplained(ruff + rows) == ["ignore", '"c/*" = ["E"]']
