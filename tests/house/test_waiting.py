"""Nothing waits without a limit: a signal that comes just before such a wait is handled when the
wait is over (``core/waiting.py``)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "benchmarks", "examples", "tools")
LOCKS = {"Lock", "RLock", "Condition"}
LIMITED = {"run", "call", "check_call", "check_output", "communicate"}
MENTION = re.compile(
    r"\.(join|wait|acquire|result)\(\s*\)|Lock|Condition|Barrier|subprocess|communicate|\bwait|os\."
)
"""What a file says in which something may wait."""


def called(node: ast.Call) -> tuple[str, str]:
    """The last two names of what is called."""
    match node.func:
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return owner, name
        case ast.Attribute(attr=name):
            return "", name
        case ast.Name(id=name):
            return "", name
    return "", ""


def without_a_limit(source: str) -> Iterator[str]:
    """The lines of a file that may wait for ever: ``join``, ``wait`` and ``result`` of a thread, a
    process, an event or a future, locks of Python's own in ``with``, commands and children."""
    if not MENTION.search(source):
        return
    tree = ast.parse(source)
    threading = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("threading", "multiprocessing")
        for alias in node.names
    }
    futures = "concurrent.futures" in source
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        owner, name = called(node)
        alone = not node.args and not node.keywords
        keywords = {k.arg for k in node.keywords}
        attribute = isinstance(node.func, ast.Attribute)
        bad = (
            (attribute and alone and name in ("join", "wait", "acquire"))
            or (attribute and alone and name == "result" and futures)
            or (owner == "threading" and name in LOCKS)
            or (not attribute and name in LOCKS & threading)
            or (name == "Barrier" and "timeout" not in keywords)
            or (name in LIMITED and (owner == "subprocess" or name == "communicate")
                and "timeout" not in keywords)
            or (owner == "os" and name in ("wait", "waitpid")
                and not any("WNOHANG" in ast.unparse(a) for a in node.args))
        )  # fmt: skip
        if bad:
            yield f"{node.lineno}: {ast.unparse(node)[:60]}"


def test_no_wait_is_without_a_limit() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{what}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "foreign" not in path.parts and path.name != "waiting.py"
        for what in without_a_limit(path.read_text())
    ]
    assert found == []


PLANTED = [
    "thread.join()", "ended.wait()", "lock.acquire()", "import threading\nx = threading.Lock()",
    "from threading import RLock\nx = RLock()", "subprocess.run(words, check=True)",
    "process.communicate()", "os.waitpid(pid, 0)",
    "threading.Barrier(2)", "from concurrent.futures import Future\nf.result()",
]  # fmt: skip
FINE = [
    "thread.join(STEP)", "', '.join(words)", "ended.wait(0.1)", "lock.acquire(True, 0.05)",
    "subprocess.run(words, timeout=5)", "os.waitpid(pid, os.WNOHANG)", "mover.result()",
]  # fmt: skip


def test_planted_waits_are_found() -> None:
    assert [text for text in PLANTED if not list(without_a_limit(text))] == []
    assert [text for text in FINE if list(without_a_limit(text))] == []
