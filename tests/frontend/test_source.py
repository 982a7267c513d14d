"""The compiled text is the running one: it is a function's source only if it gives its code."""

import doctest
import importlib
import importlib.util
import linecache
import os
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import SourceError
from pullback.frontend.python.texts import same_code
from tests.frontend.harness import run


def write(path: Path, text: str) -> None:
    """Write a file that importing and ``linecache`` see to be another one than before."""
    path.write_text(textwrap.dedent(text))
    stamp = time.time() - 10_000 + path.stat().st_size + len(text)
    os.utime(path, (stamp, stamp))


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Import a module of this text, or reload it with a new one."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names: list[str] = []

    def loaded(text: str, name: str = "edited") -> ModuleType:
        write(tmp_path / f"{name}.py", text)
        importlib.invalidate_caches()
        if name in sys.modules:
            return importlib.reload(sys.modules[name])
        names.append(name)
        return importlib.import_module(name)

    yield loaded
    for name in names:
        sys.modules.pop(name, None)


def both(f: Callable[..., Any], *args: Any) -> Any:
    """The compiled result, which is Python's."""
    result = pb.jit(f)(*args)
    assert result == f(*args)
    return result


# --- files that change ----------------------------------------------------------------------------


def test_a_reloaded_module_compiles_its_new_text(load):
    assert both(load("def f(x):\n    return x * 2.0\n").f, 3.0) == 6.0
    assert both(load("def f(x):\n    return x * 5.0\n").f, 3.0) == 15.0
    assert both(load("\n\ndef f(x):\n    return x - 5.0\n").f, 3.0) == -2.0


def test_a_reloaded_module_is_noticed_by_its_users(load):
    module = load("def g(x):\n    return x * 2.0\n\ndef f(x):\n    return g(x)\n")
    compiled = pb.jit(lambda x: module.f(x))
    assert compiled(3.0) == 6.0
    load("def g(x):\n    return x * 7.0\n\ndef f(x):\n    return g(x)\n")
    assert compiled(3.0) == 21.0


def test_a_text_that_the_function_never_had_is_refused(load, tmp_path):
    f = load("def f(x):\n    return x * 2.0\n").f
    write(tmp_path / "edited.py", "def f(x):\n    return x * 5.0\n")
    with pytest.raises(SourceError, match=r"line 1 .*edited.py' is not the source of 'f'"):
        pb.jit(f)(3.0)


def test_old_text_that_is_known_still_serves(load, tmp_path):
    module = load("def f(x):\n    return x * 2.0\n\ndef g(x):\n    return x * 3.0\n")
    assert both(module.f, 3.0) == 6.0
    write(tmp_path / "edited.py", "def f(x):\n    return x * 5.0\n")
    linecache.checkcache()
    assert both(module.g, 3.0) == 9.0


def test_a_function_that_did_not_change_is_found_in_the_new_text(load, tmp_path):
    f = load("def f(x):\n    return x * 2.0\n").f
    write(tmp_path / "edited.py", "def f(x):\n    return x * 2.0\n\ndef g(x):\n    return x\n")
    assert both(f, 3.0) == 6.0


def test_constants_are_compared_by_type_and_sign(load, tmp_path):
    for old, new in [("1", "1.0"), ("True", "1"), ("0.0", "-0.0"), ("(1, 2)", "(1, 2.0)")]:
        f = load(f"def f(x):\n    return {old}\n").f
        write(tmp_path / "edited.py", f"def f(x):\n    return {new}\n")
        with pytest.raises(SourceError):
            run(f, 1.0)


def test_an_annotation_of_the_result_that_is_added_is_seen(load):
    text = "def f(x){}:\n    match x > 0.0:\n        case True:\n            return x\n"
    with pytest.raises(ValueError, match="False"):
        pb.jit(load(text.format("")).f)(-1.0)
    assert pb.jit(load(text.format(" -> float | None")).f)(-1.0) is None


def test_two_files_of_one_name():
    one, two = {}, {}
    exec(compile("def f(x):\n    return x * 2.0\n", "<cell>", "exec"), one)
    exec(compile("def f(x):\n    return x * 3.0\n", "<cell>", "exec"), two)
    text = "def f(x):\n    return x * 3.0\n"
    linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
    with pytest.raises(SourceError):
        pb.jit(one["f"])(1.0)
    assert both(two["f"], 1.0) == 3.0


# --- where functions come from --------------------------------------------------------------------


def cell(name: str, text: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a cell as IPython does: known to ``linecache``, statement by statement."""
    import ast

    text = textwrap.dedent(text)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for statement in ast.parse(text).body if "await" not in text else ():
        exec(compile(ast.Module([statement], []), name, "exec", flags, True), names)
    if "await" in text:
        code = compile(text, name, "exec", flags, dont_inherit=True)
        eval(code, names).send(None)
    return names


def test_cells_of_notebooks():
    names: dict[str, Any] = {}
    cell("<ipykernel 1>", "y = 2.0\nf = lambda x: x * y\ng = lambda x: x + y", names)
    assert (both(names["f"], 3.0), both(names["g"], 3.0)) == (6.0, 5.0)
    cell("<ipykernel 2>", "y = 7.0\ndef f(x):\n    return x * y * y", names)
    assert (both(names["f"], 3.0), both(names["g"], 3.0)) == (147.0, 10.0)


def test_a_cell_that_awaits():
    names: dict[str, Any] = {}
    with pytest.raises(StopIteration):
        text = "async def a(): pass\nawait a()\ndef f(x):\n    return x * 2.0"
        cell("<ipykernel 3>", text, names)
    assert both(names["f"], 3.0) == 6.0


def test_future_features_are_the_functions_own():
    text = "from __future__ import annotations\n"
    exec(compile(text, "<features>", "exec"), names := {})
    # Statement by statement: the feature is not in the text that the function stands in.
    text = "def f(x):\n    def g(y: 1 + 1) -> float:\n        return y\n    return g(x)\n"
    linecache.cache["<features>"] = (len(text), None, text.splitlines(True), "<features>")
    import __future__

    flags = __future__.annotations.compiler_flag
    exec(compile(text, "<features>", "exec", flags, True), names)
    assert both(names["f"], 2.0) == 2.0


def test_doctests():
    text = """
    >>> def f(x):
    ...     return x * x
    >>> pb.grad(f)(3.0), pb.grad(lambda x: x ** 3)(2.0)
    (6.0, 12.0)
    """
    test = doctest.DocTestParser().get_doctest(text, {"pb": pb}, "doc", "doc.txt", 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_zipped_packages(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as z:
        z.writestr("zipped/__init__.py", "")
        z.writestr("zipped/inner.py", "def f(x):\n    return x * 4.0\n")
    monkeypatch.syspath_prepend(str(tmp_path / "lib.zip"))
    assert both(importlib.import_module("zipped.inner").f, 2.0) == 8.0


def script(tmp_path: Path, text: str, *flags: str) -> str:
    path = tmp_path / "script.py"
    path.write_text("import pullback as pb\n" + textwrap.dedent(text))
    done = subprocess.run(
        [sys.executable, *flags, str(path)], capture_output=True, text=True, check=True,
        timeout=300,
    )
    return done.stdout.strip()


CHECKED = """
def f(x):
    '''A docstring.'''
    assert x > 0.0
    if __debug__:
        return x
    return x * 2.0

try:
    print(f(-1.0))
except AssertionError:
    print("stopped")
try:
    print(pb.jit(f)(-1.0))
except AssertionError:
    print("stopped")
"""


@pytest.mark.parametrize("flags", [("-O",), ("-OO", "-X", "no_debug_ranges")])
def test_scripts_and_levels_of_optimisation(tmp_path, flags):
    """Python without columns cannot tell lambdas on one line apart."""
    text = """
    two = lambda x: x * 2.0, lambda x: x * 3.0
    try:
        print(pb.jit(two[1])(1.0))
    except pb.PullbackError as e:
        print(e.rewrite)
    """
    plain, compiled, second = script(tmp_path, CHECKED + textwrap.dedent(text), *flags).split("\n")
    assert plain == compiled == "-2.0"
    assert second == ("put each on a line of its own" if "-X" in flags else "3.0")


def test_debuggers_and_coverage_change_nothing():
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        found = pb.jit(lambda x: x * 2.0)(4.0)
    finally:
        sys.settrace(before)
    assert found == 8.0


# --- places in a file -----------------------------------------------------------------------------

MANY = [lambda x: x * 2.0, lambda x: x * 3.0, lambda x: lambda x: x, lambda x: x * 2.0]


def doubled(f: Callable[..., float]) -> Callable[..., float]:
    return lambda *args: 2.0 * f(*args)


@doubled
@doubled
def decorated(x):
    return x + 1.0


class Home:
    scale = staticmethod(lambda x: x * 6.0)

    def method(self, x):
        def inner(y):
            return x * y

        return inner


@dataclass(frozen=True)
class Point:
    x: float

    def times(self, y):
        return self.x * y

    @property
    def square(self):
        return self.x * self.x


def checked(x):
    assert x > 0.0, f"not {x}"
    return x


def test_lambdas_on_one_line():
    assert [both(MANY[k], 5.0) for k in (0, 1, 3)] == [10.0, 15.0, 10.0]
    assert both(MANY[2](1.0), 5.0) == 5.0
    assert both(lambda x: MANY[2](1.0)(x), 5.0) == 5.0


def test_functions_wherever_they_stand():
    assert both(decorated, 1.0) == 8.0
    assert both(Home.scale, 2.0) == 12.0
    assert both(Home().method(3.0), 2.0) == 6.0
    assert both(Point(3.0).times, 2.0) == 6.0
    assert both(lambda p: p.square, Point(3.0)) == 9.0
    assert both(lambda x, k=2.0: (lambda x: x * k)(x), 2.0) == 4.0


def test_asserts_that_pytest_rewrites():
    assert both(checked, 2.0) == 2.0
    with pytest.raises(AssertionError, match=r"not -2\.0"):
        pb.jit(checked)(-2.0)


def test_generated_code_has_no_source():
    with pytest.raises(SourceError, match="cannot be read"):
        pb.jit(Point.__eq__)(Point(1.0), Point(2.0))


def test_codes_are_compared_throughout():
    def one(x):
        return [y + 1 for y in range(x)]

    def two(x):
        return [y + 1.0 for y in range(x)]

    renamed = two.__code__.replace(co_name="one", co_qualname=one.__code__.co_qualname)
    assert same_code(one.__code__, one.__code__.replace(co_filename="other"))
    assert not same_code(one.__code__, renamed)


def test_large_files_are_compiled_once(tmp_path, monkeypatch):
    text = "".join(f"def f{k}(x):\n    y = x * {k}.0\n    return y + 1.0\n" for k in range(1500))
    (tmp_path / "large.py").write_text(text)
    spec = importlib.util.spec_from_file_location("large", tmp_path / "large.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert both(module.f7, 1.0) == 8.0
    times = 0
    parse = compile

    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal times
        times += args[1] == str(tmp_path / "large.py")
        return parse(*args, **kwargs)

    monkeypatch.setattr("builtins.compile", counted)
    assert both(module.f9, 1.0) == 10.0
    assert times == 0


COMMAND = """import pullback as pb
def f(x):
    return x * x
def g(x):
    return f(x) + (lambda v: v / 2.0)(x)
print(pb.grad(g)(3.0))
"""


@pytest.mark.parametrize("options", [["-c"], ["-W", "ignore", "-c"], ["-bc"]])
def test_behind_python_c(options):
    done = subprocess.run([sys.executable, *options, COMMAND], capture_output=True, text=True,
                          timeout=300)
    assert done.stdout == "6.5\n", done.stderr


def test_what_is_piped_into_python_has_no_text():
    done = subprocess.run(
        [sys.executable, "-"], input=COMMAND, capture_output=True, text=True, check=False,
        timeout=300,
    )
    assert "Python keeps no text of 'g'" in done.stderr
    assert "Instead: give the program as a file, python -i file.py" in done.stderr


def test_a_file_that_is_run_block_by_block(tmp_path: Path) -> None:
    """As Sphinx-Gallery does it: imports in one block, the functions that use them in another."""
    path = tmp_path / "blocks.py"
    blocks = ["import numpy as np\n", "def size(a):\n    return np.sum(np.abs(a)) * 2.0\n"]
    path.write_text("".join(blocks))
    names: dict[str, Any] = {"__name__": "__main__"}
    line = 0
    for block in blocks:
        exec(compile("\n" * line + block, str(path), "exec"), names)
        line += block.count("\n")
    assert pb.grad(names["size"])(np.array([1.0, -3.0])).tolist() == [2.0, -2.0]
    path.write_text("".join(blocks).replace("2.0", "3.0"))
    with pytest.raises(SourceError, match="is not the source"):
        exec(compile("\n" + blocks[1].replace("2.0", "5.0"), str(path), "exec"), names)
        pb.grad(names["size"])(np.array([1.0, -3.0]))
