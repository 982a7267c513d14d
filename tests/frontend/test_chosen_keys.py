"""Keys and members that only the run knows, where they do not fit: as in Python, or refused."""

import enum

import pytest

import pullback as pb


class Kind(enum.Enum):
    FIRST = 1
    SECOND = 2


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2

    def __add__(self, other):
        return 10


def test_a_key_that_is_missing() -> None:
    def looked_up(x, keys):
        table = {1: x, 2: x * x}
        return sum(table[k] for k in keys)

    assert pb.grad(looked_up)(3.0, [1, 2]) == 7.0
    with pytest.raises(KeyError, match="7"):
        pb.grad(looked_up)(3.0, [1, 7])

    def named(x, keys):
        table = {"a": x}
        return sum(table[k] for k in keys)

    assert pb.grad(named)(3.0, ["a", "a"]) == 2.0
    with pytest.raises(KeyError):
        pb.grad(named)(3.0, ["a", "b"])


def test_a_value_without_a_member() -> None:
    f = pb.jit(lambda x, n: x if Kind(n) is Kind.FIRST else 2.0 * x)
    assert (f(1.5, 1), f(1.5, 2)) == (1.5, 3.0)
    with pytest.raises(ValueError):
        f(1.5, 3)
    with pytest.raises(pb.PullbackError, match="9 is not a valid Kind"):
        pb.jit(lambda x: x if Kind(9) is Kind.FIRST else 2.0 * x)(1.0)


def test_what_is_refused() -> None:
    def new_key(x, k):
        table = {1: x}
        table[k] = 2.0 * x
        return sum(table.values())

    assert pb.jit(new_key)(1.0, 5) == 3.0
    assert pb.jit(new_key)(1.0, 1) == 2.0

    def all_members(x, k):
        table = {Kind.FIRST: x, Kind.SECOND: 0.5 * x}
        table[k] = 2.0 * x
        return sum(table.values())

    assert pb.jit(lambda x, ks: sum(all_members(x, k) for k in ks))(1.0, [*Kind]) == 5.5
    with pytest.raises(pb.PullbackError, match="by a method of an enumeration"):
        pb.jit(lambda x, sizes: sum(x * (s + 1) for s in sizes))(1.0, [*Size])
