"""What the compiler stumbles over is one error, which says whose mistake it is and where it was."""

import itertools
import linecache
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.call.driver  # all of the compiler, before anything is planted in it

FILE = "a_users_program.py"
LONG = "a term of Core\n" * 2000

# Where something goes wrong, the stage that is named then, and whether the line is that of the
# statement, or of anything in the function.
LAYERS = [
    ("pullback.frontend.interpreter.Interpreter.binop", "front end", True),
    ("pullback.frontend.interpret.expressions._comparison", "front end", True),
    ("pullback.frontend.specialise.closed", "front end", False),
    ("pullback.convert.flatten._Pass.atom", "flatten", False),
    ("pullback.convert.ownership._Live.use", "own", False),
    ("pullback.opt.cse._Merger.key", "share", False),
    ("pullback.opt.arrays.fuse._Reads.block", "fuse", False),
    ("pullback.opt.scalar.simplify._Simplifier.emit", "simplify", False),
    ("pullback.core.check._Checker.function_", "core", False),
    ("pullback.ad.reverse.Reverse.let", "ad", False),
    ("pullback.lower.lower._op", "lower", False),
    ("pullback.native.emit.FunctionText.define", "native", False),
    ("pullback.native.module._write", "native", False),
    ("pullback.call.driver.make_plan", "call", False),
    ("pullback.call.compiled.in_registers", "call", False),
    ("pullback.call.specialised.taken", "call", False),
    ("pullback.call.driver.kinds_of", "call", False),
    ("pullback.call.driver.as_function", "call", False),
    ("pullback.api.operator_objects.for_count", "api", False),
]


class _Term:
    """A part of an assertion that nobody wants to read."""

    def __repr__(self) -> str:
        raise AssertionError("this takes minutes")


PROGRAM = """
def f(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0.5:
            s = s + x[i] * i / x[0]
    return s
"""
_lines = itertools.count(1)


def made() -> Callable[..., Any]:
    """A function that nobody has compiled before: it has a line of its own."""
    text = "\n" * next(_lines) + PROGRAM
    linecache.cache[FILE] = len(text), None, text.splitlines(True), FILE
    space: dict[str, Any] = {}
    exec(compile(text, FILE, "exec"), space)
    function: Callable[..., Any] = space["f"]
    return function


def planted(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError(_Term(), LONG)


@pytest.mark.parametrize(("place", "stage", "exact"), LAYERS)
def test_a_mistake_in_any_layer(
    place: str, stage: str, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pb.config, "check", "always")
    f = made()
    monkeypatch.setattr(place, planted)
    with pytest.raises(pb.InternalError) as caught:
        pb.grad(f)(np.array([0.5, 1.0, 2.0]), 3)
    text = str(caught.value)
    assert f'stage "{stage}"' in text
    assert "mistake of Pullback, not of your program" in text
    assert "PULLBACK_TRACE=1" in text and "numpy" in text and pb.__version__ in text
    assert FILE in text and ", in f\n" in text
    site = caught.value.site
    assert site is not None
    line, code = site.line, f.__code__
    assert code.co_firstlineno <= line <= code.co_firstlineno + 5
    if exact:
        assert any(op in linecache.getline(site.file, line) for op in (">", "+"))
    shown = "".join(traceback.format_exception(caught.value))
    assert len(text) < 1500 and len(shown.splitlines()) < 60
    assert isinstance(caught.value.__cause__, AssertionError)


OTHERS: list[Callable[[Callable[..., Any], Any], Any]] = [
    lambda f, x: pb.jit(f)(x, 3),
    lambda f, x: pb.vjp(f, x, 3),
    lambda f, x: pb.jvp(f, (x, 3), (x, None)),
    lambda f, x: pb.linearize(lambda x: f(x, 3), x),
    lambda f, x: pb.hvp(lambda x: f(x, 3), (x,), (x,)),
    lambda f, x: pb.jet(lambda x: f(x, 3), (x,), ((x,),)),
    lambda f, x: pb.check_grads(f, (x, 3)),
    lambda f, x: pb.show(f, x, 3),
    lambda f, x: pb.cost(f, x, 3),
    lambda f, x: pb.sparse_jacobian(f)(x, 3),
    lambda f, x: pb.grad(f, method="chad.monadic")(x, 3),
    lambda f, x: pb.vjp(f, x, 3, method="chad.monadic"),
]


@pytest.mark.parametrize("call", OTHERS)
def test_a_mistake_in_any_operator(
    call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pullback.frontend.interpreter.Interpreter.binop", planted)
    with pytest.raises(pb.InternalError, match='stage "front end"'):
        call(made(), np.array([0.5, 1.0, 2.0]))


def test_the_compiler_may_run_out_of_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*args: Any) -> Any:
        return endless(*args)

    monkeypatch.setattr("pullback.opt.cse._Merger.key", endless)
    with pytest.raises(pb.InternalError, match="RecursionError"):
        pb.jit(made())(np.array([0.5, 1.0, 2.0]), 3)


def test_whole_tracebacks_are_there_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pullback.native.module._write", planted)
    monkeypatch.setenv("PULLBACK_TRACE", "1")
    with pytest.raises(pb.InternalError) as caught:
        pb.jit(made())(np.array([0.5]), 1)
    cause = caught.value.__cause__
    assert cause is not None and LONG in cause.args
    assert len(traceback.extract_tb(cause.__traceback__)) > 6


def test_memory_errors_stay_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_left(*args: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("pullback.opt.cse._Merger.key", nothing_left)
    with pytest.raises(MemoryError):
        pb.jit(made())(np.array([0.5, 1.0, 2.0]), 3)


# --- exceptions of the user's own code that runs while the compiler works -------------------------


class _Oops(ValueError):
    pass


class _Gone:
    def __init__(self) -> None:
        self.a = 1.0

    def __getattribute__(self, name: str) -> Any:
        if name in ("a", "__dict__"):
            raise OSError("gone")
        return object.__getattribute__(self, name)


class _Meta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        raise RuntimeError("instance")


class _Class(metaclass=_Meta):
    pass


class _Called:
    def __call__(self, x: Any) -> Any:
        return x

    @property
    def __signature__(self) -> Any:
        raise ZeroDivisionError("signature")


class _Undecided:
    @property
    def __class__(self) -> Any:
        raise LookupError("class")


GONE, CALLED, UNDECIDED = _Gone(), _Called(), _Undecided()


def _failing(x: float) -> float:
    raise ZeroDivisionError("of f")


THEIRS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: pb.jit(lambda g: g.a)(GONE), OSError, "gone"),
    (lambda: pb.jit(lambda x: x * GONE.a)(1.0), OSError, "gone"),
    (lambda: pb.jit(lambda x: isinstance(x, _Class))(1.0), RuntimeError, "instance"),
    (lambda: pb.jit(CALLED)(1.0), ZeroDivisionError, "signature"),
    (lambda: pb.jit(lambda c: c)(UNDECIDED), LookupError, "class"),
    (lambda: pb.check_grads(_failing, (1.0,)), ZeroDivisionError, "of f"),
]


@pytest.mark.parametrize(("call", "cls", "text"), THEIRS)
def test_exceptions_of_the_users_code_stay_themselves(
    call: Callable[[], Any], cls: type[Exception], text: str
) -> None:
    with pytest.raises(cls, match=text) as caught:
        call()
    assert not isinstance(caught.value, pb.PullbackError)


def test_a_signal_handler_raises_in_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def ring(*args: Any) -> None:
        raise TimeoutError("too long")

    def slow(*args: Any) -> Any:
        signal.raise_signal(signal.SIGALRM)
        time.sleep(0.1)

    before = signal.signal(signal.SIGALRM, ring)
    try:
        monkeypatch.setattr("pullback.opt.cse._Merger.key", slow)
        with pytest.raises(TimeoutError, match="too long"):
            pb.jit(made())(np.array([0.5, 1.0, 2.0]), 3)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_exception_of_a_users_class_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    def oops(*args: Any) -> Any:
        raise _Oops("planted")

    monkeypatch.setattr("pullback.opt.cse._Merger.key", oops)
    with pytest.raises(_Oops):
        pb.jit(made())(np.array([0.5, 1.0, 2.0]), 3)


# --- tracebacks -----------------------------------------------------------------------------------


def _undefined(x: Any) -> Any:
    return nowhere + x  # noqa: F821  # that is what it is about


def _asserts(x: Any) -> Any:
    assert np.sum(x) > 50.0, "too small"
    return np.sum(x)


CALLS: list[Callable[[Callable[..., Any]], Any]] = [
    lambda f: pb.jit(f)(np.ones(2)),
    lambda f: pb.grad(f)(np.ones(2)),
    lambda f: pb.vjp(f, np.ones(2)),
    lambda f: pb.jvp(f, (np.ones(2),), (np.ones(2),)),
    lambda f: pb.linearize(f, np.ones(2)),
    lambda f: pb.check_grads(f, (np.ones(2),)),
    lambda f: pb.hessian(f)(np.ones(2)),
    lambda f: pb.vmap(f)(np.ones((3, 2))),
    lambda f: pb.hvp(f, (np.ones(2),), (np.ones(2),)),
    lambda f: pb.sparse_jacobian(f)(np.ones(2)),
    lambda f: pb.show(f, np.ones(2)),
    lambda f: pb.cost(f, np.ones(2)),
]


@pytest.mark.parametrize("call", CALLS)
def test_public_calls_hide_their_frames(call: Callable[..., Any]) -> None:
    for f in (_undefined, _asserts):
        if f is _asserts and call is CALLS[-2]:
            continue  # it is shown, and not run
        with pytest.raises((AssertionError, pb.PullbackError)) as caught:
            call(f)
        files = [Path(e.filename) for e in traceback.extract_tb(caught.value.__traceback__)]
        own = [p for p in files if "pullback" in p.parts[-4:-1] or p.name.startswith("<pullback")]
        assert len(own) <= 2, files


