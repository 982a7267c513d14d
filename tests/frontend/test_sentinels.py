"""Values that are one of several: a number, None, a mark (``object()``), a text, a member of an
enumeration. What Python raises of them is raised; results are the same objects."""

import dataclasses
import enum
import math
from collections import defaultdict

import numpy as np
import pytest

import pullback as pb
from tests.programs.sentinels import MISSING, STOP


class Kind(enum.Enum):
    NONE = 0
    SOME = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def row(x, kinds):
    """Numbers, texts, None, marks and members, of which only the run knows which are where."""
    made = []
    for k in range(len(kinds)):
        what = kinds[k]
        if what == 0:
            made.append(k * x)
        elif what == 1:
            made.append("s" * k)
        elif what == 2:
            made.append(None)
        elif what == 3:
            made.append(MISSING)
        else:
            made.append(Kind.SOME)
    return made


ALL = [0, 1, 2, 3, 4]


def slope(f, x=1.5, h=1e-6):
    return (f(x + h) - f(x - h)) / (2.0 * h)


def agrees(f, x=1.5):
    value, gradient = pb.value_and_grad(f)(x)
    assert value == f(x) == pb.jit(f)(x)
    assert math.isclose(gradient, slope(f, x), rel_tol=1e-5, abs_tol=1e-6)
    assert math.isclose(pb.jvp(f, (x,), (1.0,))[1], gradient, rel_tol=1e-12)


# --- what Python does with each of them -----------------------------------------------------------


def operators(x):
    n = 0
    for v in row(x, ALL):
        for weight, f in (
            (1, lambda v: v + 1.0), (2, lambda v: 1.0 + v), (3, lambda v: v * 2.0),
            (5, lambda v: v - v), (7, lambda v: v / 2.0), (11, lambda v: v**2), (13, lambda v: -v),
            (17, lambda v: v // 2.0), (19, lambda v: 2.0 % v),
        ):  # fmt: skip
            try:
                f(v)
            except TypeError as error:
                n += weight * len(str(error))
            except ZeroDivisionError:
                n += weight
    return n * x


def orders(x):
    n = 0
    for v in row(x, ALL):
        try:
            n += 100 * (v < 1.0)
        except TypeError as error:
            n += len(str(error))
        try:
            n += 1000 * (v >= v)
        except TypeError as error:
            n += 2 * len(str(error))
    return n * x


def functions(x):
    n = 0
    for v in row(x, ALL):
        try:
            n += len(v)
        except TypeError as error:
            n += len(str(error))
        try:
            n += math.exp(v) > 1.0
        except TypeError as error:
            n += 2 * len(str(error))
        try:
            n += abs(v) > 1.0
        except TypeError as error:
            n += 3 * len(str(error))
    return n * x


def equalities(x):
    n = 0
    for v in row(x, ALL):
        n += 1 * (v == "s") + 2 * (v != "s") + 4 * (v == MISSING) + 8 * (v is MISSING)
        n += 16 * (v is None) + 64 * (v == Kind.SOME) + 128 * (v is Kind.NONE)
        n += 32 * (v == None)  # noqa: E711  # the operator is tested
        n += 256 * isinstance(v, (str, float)) + 512 * isinstance(v, type(None)) + 1024 * (v == x)
        n += 2048 * bool(v) + 4096 * (v is not STOP) + 8192 * isinstance(v, Kind)
    return n * x


def searches(x):
    made = row(x, ALL)
    found = made.index(MISSING) + 10 * made.count(None) + 10000 * made.index(Kind.SOME)
    return (found + 100 * ("s" in made) + 1000 * (STOP in made) + 100000 * (0.0 in made)) * x


def shown(x):
    return sum(len(f"{v}|") for v in row(x, [0, 1, 2])) * x


def matched(x):
    total = 0.0
    for v in row(x, ALL):
        match v:
            case "s":
                total += 10.0
            case None:
                total += 100.0
            case Kind.SOME:
                total += 1000.0
            case float(y):
                total += y * y + x
            case _:
                total += 10000.0
    return total


def swapped(x):
    """The alternatives come in another order on each path."""
    a, b = MISSING, None
    for k in range(3):
        if k == 1:
            a, b = b, a
        elif k == 2:
            a = x
    total = 1.0 * (a is MISSING) + 2.0 * (b is MISSING) * x + 4.0 * (a is None) + 8.0 * (b is None)
    return total + (0.0 if a is None or a is MISSING else a)


def in_other_places(x):
    table, lists = {}, defaultdict(list)
    for k in range(6):
        table[k] = MISSING if k % 2 else k * x
        lists[k % 2].append("odd" if k % 2 else x)
    for k, v in table.items():
        if v is MISSING:
            table[k] = 1.0
    return sum(table.values()) + sum(v for v in lists[0] if v != "odd") + len(lists[1])


def keys(x):
    """Numbers and texts are looked up among texts."""
    table = {}
    for k in range(4):
        table["s" * k] = k * x
    total = 0.0
    for v in row(x, [0, 1, 2, 3, 1]):
        total += table.get(v, 0.5)
        if v in table:
            total += 2.0 * table.pop(v)
    return total + len(table)


@dataclasses.dataclass
class Settings:
    rate: float = MISSING
    name: str = MISSING


def attributes(x):
    total = 0.0
    for s in (Settings(x), Settings(name="fast"), Settings(2.0 * x, "slow")):
        total += 1.0 if s.rate is MISSING else s.rate
        total += x if s.name is MISSING else len(s.name)
    return total


def of_generators(x):
    def each():
        for k in range(6):
            yield [k * x, MISSING, "text"][k % 3]

    total, it = 0.0, each()
    while (v := next(it, STOP)) is not STOP:
        if isinstance(v, str):
            total += len(v)
        elif v is not MISSING:
            total += v
    return total


def picked(x):
    """What a number of the run decides, in a function that is called with it."""

    def pick(p, q, k):
        return p if k % 2 else q

    total, a, b = 0.0, "text", Kind.NONE
    for k in range(5):
        a, b = pick(a, x, k), pick(b, a, k)
        total += x if a == "text" else 1.0 if isinstance(b, Kind) else a
    return total


@pytest.mark.parametrize(
    "f",
    [operators, orders, functions, equalities, searches, shown, matched, swapped, in_other_places,
     keys, attributes, of_generators, picked],
)  # fmt: skip
def test_value_and_derivative(f) -> None:
    agrees(f)


@pytest.mark.parametrize("what", [1, 2, 3, 4])
def test_the_message_of_python(what) -> None:
    def summed(x, kinds):
        total = 0.0
        for v in row(x, kinds):
            total += v
        return total

    assert pb.jit(summed)(1.5, [0, 0, 0]) == 4.5
    for f in (summed, pb.jit(summed), pb.grad(summed)):
        with pytest.raises(TypeError) as caught:
            f(1.5, [0, what, 0])
        name = ["", "str", "NoneType", "object", "Kind"][what]
        said = f"unsupported operand type(s) for +=: 'float' and '{name}'"
        assert caught.value.args[0].startswith(said)


# --- arguments and results ------------------------------------------------------------------------


def one_of(x):
    return MISSING if x > 1.0 else STOP if x < 0.0 else x


def several(x, n):
    made = []
    for k in range(n):
        made.append([x, MISSING, None, "t" * k, STOP][k % 5])
    return made


def test_results_are_the_same_objects() -> None:
    f = pb.jit(one_of)
    assert f(1.5) is MISSING and f(-1.0) is STOP and f(0.5) == 0.5
    for n in (3, 12):
        made = pb.jit(several)(1.5, n)
        expected = several(1.5, n)
        assert all(a is b or (type(a) is type(b) and a == b) for a, b in zip(made, expected))
        assert len(made) == n


def test_a_mark_has_no_derivative() -> None:
    assert pb.grad(one_of)(0.5) == 1.0
    with pytest.raises(TypeError, match="which has no derivative"):
        pb.grad(one_of)(1.5)


def total_of(items, y=MISSING):
    total = 0.0 if y is MISSING else y
    for v in items:
        if v is MISSING:
            total += 1.0
        elif isinstance(v, str):
            total += len(v)
        elif v is not None:
            total += v * v
    return total


@pytest.mark.parametrize(
    "items", [[1.5, MISSING, 2.0], [None, 1.0, MISSING], [MISSING] * 70 + [2.0, None],
              [MISSING, "ab", 3.0], ["ab", 3.0] * 40, ["ab", None, MISSING, 0.5] * 20],
)  # fmt: skip
def test_arguments(items) -> None:
    assert pb.jit(total_of)(items) == total_of(items)
    assert pb.jit(total_of)(items, MISSING) == total_of(items, MISSING)
    assert pb.jit(total_of)(items, 2.0) == total_of(items, 2.0)
    assert pb.grad(total_of)(items) == [2.0 * v if type(v) is float else None for v in items]


def test_another_mark_is_another_argument() -> None:
    f = pb.jit(total_of)
    assert f([1.0, MISSING]) == 2.0
    with pytest.raises(TypeError, match="unsupported operand"):
        f([1.0, STOP])


# --- what is refused ------------------------------------------------------------------------------


def test_a_mark_that_leaves_its_function() -> None:
    def made(x):
        nothing = object()
        return nothing

    def kept(x):
        out = []

        def more():
            out.append(object())

        more()
        more()
        return x if out[0] is out[1] else 2.0 * x

    for f in (made, kept):
        with pytest.raises(pb.PullbackError, match="object\\(\\)"):
            pb.jit(f)(1.5)


def test_a_member_that_is_a_number() -> None:
    """As a number among numbers it is no member any more."""

    def f(x, n):
        made = []
        for k in range(n):
            made.append(Level.LOW if k % 2 else 1.0 * k)
        return sum(x for v in made if v is Level.LOW)

    with pytest.raises(pb.PullbackError):
        pb.jit(f)(1.5, 3)


def test_what_iter_calls_up_to_a_value() -> None:
    def f(x):
        numbers = [x, 2.0 * x, 0.0, 5.0]
        return sum(v * v for v in iter(lambda: numbers.pop(0), 0.0)) + len(numbers)

    def stopped(x):
        numbers = iter([x, 2.0 * x])
        return sum(v * v for v in iter(lambda: next(numbers), 0.0))

    agrees(f)
    agrees(stopped)


def test_arrays_and_lists_beside_a_mark() -> None:
    def f(x):
        rows = a = MISSING
        for k in range(3):
            rows = [] if rows is MISSING else rows
            rows.append(x * k)
            a = np.ones(2) * x if a is MISSING else a * x
        return sum(rows) + a.sum()

    agrees(f)


FAST, SLOW = "fast", "slow"


def test_is_of_equal_texts() -> None:
    """Whether two equal texts are one object is Python's choice; others are not."""

    def chosen(x):
        return sum(x for mode in ["fast", "slow"] if mode is FAST)

    def others(x):
        return x if FAST is SLOW else 2.0 * x if FAST is FAST else 3.0 * x

    with pytest.raises(pb.PullbackError, match="'is' compares"):
        pb.jit(chosen)(1.5)
    agrees(others)


# --- marks of the user's classes ------------------------------------------------------------------


class _Missing:
    """Nothing was given."""

    def __repr__(self):
        return "<missing>"


class _Falsy:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __bool__(self):
        return False


class Box:
    pass


ABSENT, FALSY, BOX = _Missing(), _Falsy(), Box()


class Config:
    UNSET = _Missing()


def with_defaults_of_a_class(x):
    def scaled(y=ABSENT):
        if y is ABSENT:
            y = 3.0
        return x * y

    d = {"a": x}
    total = scaled() + scaled(2.0) + scaled(ABSENT) + scaled(x)
    for k in ("a", "b"):
        v = d.get(k, ABSENT)
        total += 5.0 if v is ABSENT else v
    return total


def best_of_a_class(x):
    best, last = FALSY, Config.UNSET
    for i in range(4):
        if best is FALSY or math.sin(x * i) > best:
            best = math.sin(x * i)
        last = x if last is Config.UNSET else last * x
    return best * last if best else 0.0


def in_containers(x):
    numbers = iter([x, 2.0])
    out = [ABSENT if i % 2 else FALSY if i == 2 else x * i for i in range(5)]
    total = sum(v for v in out if v is not ABSENT and v is not FALSY)
    memo = {}
    for i in range(4):
        v = memo.get(i % 2, ABSENT)
        memo[i % 2] = x if v is ABSENT else v * x
    while (v := next(numbers, ABSENT)) is not ABSENT:
        total += v
    return total + memo[0] * memo[1] + (out[1] == ABSENT) + (out[4] != ABSENT)


def compared_with_others(x):
    other = _Missing()
    return x if other is ABSENT or ABSENT is FALSY or x is ABSENT else 2.0 * x


@pytest.mark.parametrize(
    "f", [with_defaults_of_a_class, best_of_a_class, in_containers, compared_with_others]
)
def test_marks_of_a_class(f) -> None:
    agrees(f)


def test_a_mark_of_a_class_is_the_same_object(monkeypatch) -> None:
    def row(x):
        return [ABSENT if i % 2 else x for i in range(3)]

    f, g = pb.jit(row), pb.jit(lambda x, y: x if y is ABSENT else 2.0 * x)
    assert f(1.5)[1] is ABSENT and g(1.5, ABSENT) == 1.5 and g(1.5, _Missing()) == 3.0
    monkeypatch.setitem(globals(), "ABSENT", _Missing())
    assert f(1.5)[1] is ABSENT and g(1.5, ABSENT) == 1.5


def test_an_object_without_attributes_may_get_some() -> None:
    def f(x):
        BOX.y = x
        return BOX.y * 2.0

    assert pb.jit(f)(1.5) == 3.0 and BOX.y == 1.5
    del BOX.y


def test_a_mark_of_a_class_in_a_list_that_is_an_argument() -> None:
    with pytest.raises(pb.PullbackError, match="an argument or made here"):
        pb.jit(lambda items: sum(v is ABSENT for v in items))([1.0, ABSENT])
