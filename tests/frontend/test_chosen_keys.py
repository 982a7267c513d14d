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


def test_keys_that_are_bools() -> None:
    def chosen(x):
        table = {True: 2.0 * x, False: 3.0}
        return table[x > 1.0] * x + table[False]

    def counted(x):
        sums = {True: 0.0, False: 0.0}
        for v in (x, 3.0 * x, 0.1):
            sums[v > 1.0] += v * x
        return sums[True] * 10.0 + sums[False]

    def gone_through(x):
        rows = {True: [x], False: []}
        rows[x > 1.0].append(2.0 * x)
        return [(k, repr(k), sum(v), len(v)) for k, v in rows.items()]

    def called(x):
        return {True: lambda v: v * 2.0, False: lambda v: v * v * 3.0}[x > 1.0](x)

    def told(x):
        return f"{ {True: 'large', False: 'small'}[x > 1.0]}"

    for x in (0.4, 1.5):
        for f in (chosen, counted, gone_through, called, told):
            assert pb.jit(f)(x) == f(x)
        for f in (chosen, counted, called):
            slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
            assert pb.grad(f)(x) == pytest.approx(slope, rel=1e-6)

    def also_the_number(x):
        table = {True: x}
        table[1] = 2.0 * x
        return table[True]

    with pytest.raises(pb.PullbackError, match="of one type"):
        pb.jit(also_the_number)(1.0)
