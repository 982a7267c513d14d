"""The machine code of the tests: what LLVM made of some text is made once, for all processes of a
run and for the next runs, by the package's own cache on disk (``native/object_cache.py``).

Its key is the text, the machine and LLVM's version. How LLVM is asked is in ``native/compile.py``,
so this file and the cache's own are in the name of the folder: where they change, everything is
compiled anew. ``PULLBACK_CACHE=0 make test`` compiles everything.

Where only values count, LLVM runs hardly any pass and generates code at level 0: a fifth of the
time, and the same arithmetic. The levels that users have are kept in processes that tests start, in
``AS_USERS``, in a part of the other tests that moves on with the shard, and in campaigns.

Where Python is told to write no bytecode, it is kept beside the objects: every process that a test
starts would compile all modules of the package again, which takes longer than most tests.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zlib
from pathlib import Path

from tests import campaign

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".pytest_cache" / "pullback"
MAKERS = ("native/compile.py", "native/object_cache.py")
AS_USERS = ("tests/native/", "tests/papers/test_native", "tests/papers/test_chad_parallel",
            "tests/test_benchmarks.py", "tests/test_compile_growth.py", "tests/test_exact",
            "tests/test_interrupt", "tests/test_large_programs.py", "tests/test_long_loops.py",
            "tests/test_order.py", "tests/test_threads.py")  # fmt: skip
"""Tests about machine code itself: its bits, its speed, its size, where it can be interrupted."""
EVERY = 13
"""So many shards until each of the other tests has been run with the users' machine code."""
MOST = 1 << 30
"""Bytes that are kept; where there are more, the run begins with none."""


def folder(src: Path) -> Path:
    """Where the objects of this compiler are kept."""
    made_by = b"".join((src / "pullback" / name).read_bytes() for name in MAKERS)
    return HOME / hashlib.sha256(made_by).hexdigest()[:16]


def keep_bytecode() -> None:
    """Let the processes that this one starts write bytecode, and use it."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / ".pytest_cache" / "bytecode"))


def use() -> None:
    """Let this process and those that it starts keep the machine code that they compile, unless
    the environment says where; the first process of a run removes what is of no use any more. The
    front end and the passes run for every program."""
    os.environ.setdefault("PULLBACK_CACHE_PROGRAMS", "0")
    if "PULLBACK_CACHE" in os.environ:
        return
    here = folder(ROOT / "src")
    os.environ["PULLBACK_CACHE"] = str(here)
    for other in HOME.iterdir() if HOME.exists() else ():
        if other != here or sum(file.stat().st_size for file in other.iterdir()) > MOST:
            shutil.rmtree(other, ignore_errors=True)


def choose_level(nodeid: str, unit: str) -> None:
    """Set the highest level of LLVM for a test, which belongs to a unit of the suite."""
    from pullback.native import compile as compiling

    compiling.runtime_symbols()  # at the level that users have: it is made once in a process
    turn = zlib.crc32(unit.encode()) % EVERY == campaign.SHARD % EVERY
    as_users = turn or bool(campaign.ASKED) or nodeid.startswith(AS_USERS)
    compiling.most = compiling.THOROUGH if as_users else compiling.QUICK
