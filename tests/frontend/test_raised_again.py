"""Exceptions that are raised again where another one is handled, and caught by a clause around."""

from collections.abc import Callable

import pytest

import pullback as pb


def kept_in_a_list(x: float, n: int) -> float:
    errors = [KeyError("k")]
    try:
        x += 1.0 / n
    except ZeroDivisionError:
        raise errors[-1]
    finally:
        print("finally")
    errors.append(KeyError(n))
    return x * len(errors)


def in_a_loop(x: float, n: int) -> float:
    errors = [KeyError("k")]
    for i in range(3):
        try:
            x += 1.0 / (n - i)
        except ZeroDivisionError:
            raise errors[-1]
        finally:
            print(i)
    return x


def from_another(x: float, n: int) -> float:
    saved = KeyError("k")
    try:
        try:
            x += 1.0 / n
        except ZeroDivisionError as e:
            raise saved from e
    except LookupError as z:
        print(repr(z.__cause__), repr(z.__context__), z.__suppress_context__)
    return x


def caught_before(x: float, n: int) -> float:
    saved = ValueError("none")
    try:
        x += [1.0][n + 3]
    except IndexError:
        saved = ValueError("index")
    try:
        try:
            x += 1.0 / n
        except ZeroDivisionError:
            raise saved
    except ValueError as z:
        print(repr(z.__context__))
        if x > 2.0:
            raise
    return x


def in_a_call(x: float, n: int) -> float:
    saved = ValueError(n)

    def g() -> float:
        try:
            return 1.0 / n
        except ZeroDivisionError as e:
            raise saved from e

    try:
        x += g()
    except Exception as z:
        raise KeyError(2) from z
    return x


def _chain(e: BaseException | None) -> object:
    if e is None:
        return None
    return repr(e), e.__suppress_context__, _chain(e.__cause__), _chain(e.__context__)


def _outcome(f: Callable[[float, int], float], x: float, n: int) -> object:
    try:
        return f(x, n)
    except Exception as e:
        return _chain(e)


@pytest.mark.parametrize(
    "f", [kept_in_a_list, in_a_loop, from_another, caught_before, in_a_call],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_it_has_its_cause_and_context_where_it_is_caught(
    f: Callable[[float, int], float], capsys: pytest.CaptureFixture[str]
) -> None:
    jitted, both = pb.jit(f), pb.value_and_grad(f)
    for x in (1.3, 2.3):
        for n in (0, 1, 5):
            wanted, printed = _outcome(f, x, n), capsys.readouterr().out
            for g in (jitted, lambda x, n: both(x, n)[0]):
                assert _outcome(g, x, n) == wanted
                assert capsys.readouterr().out == printed
