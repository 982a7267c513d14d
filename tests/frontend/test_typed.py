"""Programs that Python reads from standard input: what a file or the prompt's history still has is
found, anything else is refused with what to do."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

TEXT = """\
import pullback as pb
def f(x):
    return x * x
print(pb.grad(f)(3.0), pb.grad(lambda x: x * 5.0)(1.0))
"""

ENV = {**os.environ, "PULLBACK_CACHE": "0"}


def test_a_file_that_is_redirected(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(TEXT)
    with file.open() as given:
        command = [sys.executable]
        found = subprocess.run(command, stdin=given, env=ENV, capture_output=True, timeout=60)
    assert found.stdout == b"6.0 5.0\n", found.stderr


def test_a_pipe_is_refused_and_what_is_said_works() -> None:
    found = subprocess.run(
        [sys.executable], input=TEXT, env=ENV, capture_output=True, text=True, timeout=60
    )  # fmt: skip
    assert "Python keeps no text of 'f'" in found.stderr
    (said,) = re.findall(r'python (-c "\$\(cat\)")', found.stderr)
    assert "python -i file.py" in found.stderr
    again = subprocess.run(
        ["bash", "-c", f"{sys.executable} {said}"],
        input=TEXT, env=ENV, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert again.stdout == "6.0 5.0\n", again.stderr


TYPED = """\
import pullback as pb
def f(x):
    y = x * x
    return y

pb.grad(f)(3.0) + 100.0
@pb.jit
def g(x):
    if x > 0.0:
        return x
    else:
        return -x

g(-4.5) + 200.0
def f(x):
    return 7.0 * x

pb.grad(f)(3.0) + 300.0
pb.grad(lambda x: x * 5.0)(1.0) + 400.0
exec("def e(x): return x")
pb.grad(e)(1.0)
exit()
"""


def test_the_prompt() -> None:
    pytest.importorskip("readline")
    master, slave = pty.openpty()
    env = {**ENV, "TERM": "dumb", "HOME": "/nonexistent", "PYTHONSTARTUP": ""}
    command = [sys.executable, "-q"]
    shell = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    for line in TYPED.splitlines():
        os.write(master, f"{line}\n".encode())
    out, end = b"", time.monotonic() + 60.0
    while time.monotonic() < end:
        if select.select([master], [], [], 0.05)[0]:
            try:
                out += os.read(master, 4096)
            except OSError:  # the other end has gone
                break
    shell.wait(10.0)
    os.close(master)
    text = out.decode()
    assert re.findall(r"^[1-4]0\d\.\d+", text, re.M) == ["106.0", "204.5", "307.0", "405.0"], text
    assert "SourceError" in text
