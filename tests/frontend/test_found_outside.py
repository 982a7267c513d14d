"""What programs of others have shown: compilations that did not end, internal errors, odd texts."""

import time

import pytest

import pullback as pb


def parentheses(result, current, left, right):
    if left == 0 and right == 0:
        result.append(current)
        return
    if right > 0:
        parentheses(result, current + ")", left, right - 1)
    if left > 0:
        parentheses(result, current + "(", left - 1, right + 1)


def all_of(count):
    result = []
    parentheses(result, "", count, 0)
    return result


def lengths(x, current, left):
    if left == 0:
        return x * len(current)
    return lengths(x, current + ")", left - 1) + lengths(x, current + "((", left - 1)


def test_texts_that_a_branching_recursion_makes_are_of_the_run():
    """Each known text had a form of the function: 16 deep, and so 2**16 forms."""
    start = time.process_time()
    assert pb.jit(all_of)(4) == all_of(4)
    assert pb.grad(lengths)(1.5, "", 5) == lengths(1.0, "", 5)
    assert time.process_time() - start < 60


def ascii_or_not(x):
    try:
        "caf\xe9".encode("ascii")
    except UnicodeEncodeError:
        return -x
    return x


def own(x, *, me=None):
    return x


def unnamed(x):
    def log():
        return [].append

    log()(x)
    return x


@pytest.mark.parametrize(
    ("f", "error", "text"),
    [
        (ascii_or_not, pb.PullbackError, "'ascii' codec can't encode"),
        (own, TypeError, "the function itself, in a default of own"),
        (unnamed, pb.PullbackError, "a function returns a method of an object that it has made"),
    ],
)  # fmt: skip
def test_refused_and_no_internal_error(f, error, text):
    own.__kwdefaults__["me"] = own
    with pytest.raises(error, match=text) as refusal:
        pb.jit(f)(2.0)
    assert not isinstance(refusal.value, pb.InternalError)
