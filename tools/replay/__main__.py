"""``python -m tools.replay record OUT``, ``compare OLD NEW``, ``against REVISION`` or
``against-saved FILE``."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from tools.replay.compare import SHOWN, compare
from tools.replay.record import ROOT, record


def main() -> int:
    """Run the command line. Return the exit status: 1 if something is worse."""
    asked = arguments()
    match asked.command:
        case "record":
            Path(asked.out).write_text(json.dumps(recorded(asked, asked.src, asked.tests)))
            return 0
        case "compare":
            old, new = (json.loads(Path(p).read_text()) for p in (asked.old, asked.new))
        case "against-saved":
            old = json.loads(Path(asked.old).read_text())
            new = recorded(asked, asked.src, asked.tests)
        case _:
            with tempfile.TemporaryDirectory() as folder:
                old = recorded(asked, str(sources(asked.revision, Path(folder))), asked.tests)
            new = recorded(asked, asked.src, asked.tests)
    report = compare(old, new, 10**9 if asked.all else SHOWN)
    print("\n".join(report.lines))
    return 1 if report.worse else 0


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.replay", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    out = commands.add_parser("record", help="record one source tree")
    out.add_argument("out")
    two = commands.add_parser("compare", help="compare two records")
    two.add_argument("old")
    two.add_argument("new")
    base = commands.add_parser("against", help="record a revision and this tree, and compare")
    base.add_argument("revision")
    saved = commands.add_parser("against-saved", help="record this tree, compare with a record")
    saved.add_argument("old")
    for command in (out, base, saved):
        command.add_argument("--src", default=str(ROOT / "src"), help="the compiler")
        command.add_argument("--tests", default=str(ROOT), help="the tree with the corpus")
        command.add_argument("--programs", help="only these, with commas; '' for none")
        command.add_argument("--files", help="only these files of refusals; '' for none")
    for command in (two, base, saved):
        command.add_argument("--all", action="store_true", help="list all of every group")
    return parser.parse_args()


def recorded(asked: argparse.Namespace, src: str, tests: str) -> dict[str, Any]:
    """Return the record of a source tree."""
    def some(text: str | None) -> list[str] | None:
        return None if text is None else [x for x in text.split(",") if x]

    return record(Path(src), Path(tests), some(asked.programs), some(asked.files))


def sources(revision: str, folder: Path) -> Path:
    """Return the folder into which the sources of a revision, and its tests, were written."""
    packed = folder / "src.tar"
    subprocess.run(
        ["git", "-C", str(ROOT), "archive", "-o", str(packed), revision, "src", "tests",
         "pyproject.toml"],
        check=True, timeout=86_400,
    )  # fmt: skip
    with tarfile.open(packed) as found:
        found.extractall(folder, filter="data")
    return folder / "src"


if __name__ == "__main__":
    sys.exit(main())
