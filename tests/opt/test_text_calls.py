"""The check of a helper is not repeated if its caller, or another helper, has made it."""

import numpy as np

import pullback as pb


def both_filled(a, b):
    if len(a) == 0:
        raise ValueError("a is empty")
    if len(b) == 0:
        raise ValueError("b is empty")
    return np.array([a[k] * b[0] for k in range(len(a))])


def twice(a, b):
    return np.sum(np.sin(both_filled(a, b))) + np.sum(both_filled(b, a))


def test_a_condition_is_checked_once(capsys) -> None:
    pb.show(twice, np.ones(3), np.ones(4))
    text = capsys.readouterr().out
    main = text[text.index("main") :]
    assert main.count("is empty'") == 2
    assert "build" not in main  # no check stands between what is made and what is read


def together(a, b):
    return np.sum(np.sin(a * b))


def running(x):
    return together(np.cumsum(x * x), x)


def test_running_sums_are_as_long_as_what_they_sum(capsys) -> None:
    pb.show(running, np.ones(5))
    text = capsys.readouterr().out
    assert "broadcast" not in text
