"""The full campaign of the papers' theorems, with a table of its seeds and counts.

    python -m tests.papers.full [file..]        or make campaign-papers-table

Every file of ``tests/papers`` is a shard: two run at a time, each in a process of its own, with
``MANY`` random programs for every theorem and all programs up to the campaign's sizes. What each
test took (the fragment, how many programs, from which seed to which, how long) and how it ended is
written to ``rows/campaign.txt``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).parent
TABLE = FOLDER / "rows" / "campaign.txt"


def shard(path: Path) -> list[str]:
    """Run the tests of a file in full, and return their lines of the table."""
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seeds.txt"
        asked = {**os.environ, "PULLBACK_CAMPAIGN": "papers", "PAPERS_TABLE": str(seeds)}
        start = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)],
            cwd=FOLDER.parents[1], env=asked, capture_output=True, text=True, check=False)
        took = time.monotonic() - start
        used = seeds.read_text().splitlines() if seeds.exists() else []
    last = (done.stdout.splitlines() or [""])[-1]
    ended = re.sub(r" in .*", "", last)
    print(f"{path.name}: {ended}, {took:.0f} s", flush=True)
    return [f"{path.name} | {ended} | {took:.0f} s", *(f"{path.name} | {line}" for line in used)]


def main(names: list[str]) -> int:
    """Run the shards, and write the table; the lines of other files stay."""
    paths = [FOLDER / name for name in names] or sorted(FOLDER.glob("test_*.py"))
    with ThreadPoolExecutor(2) as pool:
        new = [line for lines in pool.map(shard, paths) for line in lines]
    ran = {path.name for path in paths}
    old = TABLE.read_text().splitlines() if TABLE.exists() else []
    kept = [line for line in old if line.split(" | ")[0] not in ran]
    TABLE.write_text("\n".join(sorted({*kept, *new})) + "\n")
    return 1 if any("failed" in line or "error" in line for line in new) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
