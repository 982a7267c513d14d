"""Enumerations with methods, and tables that are looked up by what only the run knows."""

import enum
import math
from dataclasses import dataclass

from tests.programs import Program


class Op(enum.Enum):
    ADD = "add"
    MUL = "mul"
    NEG = "neg"

    @property
    def arity(self):
        return 1 if self is Op.NEG else 2

    def apply(self, a, b):
        match self:
            case Op.ADD:
                return a + b
            case Op.MUL:
                return a * math.sin(b)
            case Op.NEG:
                return -a

    @classmethod
    def first(cls):
        return cls.ADD

    @staticmethod
    def cost(k):
        return 0.5 * k


class Level(enum.IntEnum):
    LOW = 1
    MID = 2
    HIGH = 5

    def weight(self):
        return self.value * 0.5

    @property
    def top(self):
        return self is Level.HIGH


class Unit(enum.Enum):
    KM = 1000.0
    CM = 0.01

    def __init__(self, metres):
        self.metres = metres

    def to(self, x, other):
        return x * self.metres / other.metres

    def __call__(self, x):
        return x * self.value

    def __bool__(self):
        return self.metres > 1.0

    def __lt__(self, other):
        return self.metres < other.metres


class Flags(enum.Flag):
    FIRST = enum.auto()
    SECOND = enum.auto()


@dataclass(frozen=True)
class Step:
    op: Op
    arg: float
    level: Level = Level.LOW


FUNCTIONS = {Op.ADD: lambda a, b: a + b, Op.MUL: lambda a, b: a * b, Op.NEG: lambda a, b: -a}


def known_members(x, y):
    total = Op.MUL.apply(x, y) + Op.ADD.arity + Op.first().apply(x, y) + Op.cost(x)
    total += x * Level.MID.weight() + Level.HIGH + (x if Level.HIGH.top else y)
    total += Unit.KM.to(x, Unit.CM) + Unit.CM(y) + (x if Unit.CM else y)
    both = Flags.FIRST | Flags.SECOND
    return total * (2.0 if both & Flags.SECOND else 3.0) + max(Level) * x + sum(Level)


def methods_of_members(x, steps):
    for step in steps:
        x = step.op.apply(x, step.arg) + 0.1 * step.op.arity * step.level.weight()
        if step.level.top:
            x = x * 1.1
        if step.level >= Level.MID:
            x += step.level
    return x


def special_methods_of_members(x, units):
    best = Unit.CM
    for u in units:
        x = 0.01 * u(x) + u.to(x, Unit.KM)
        if u:
            x += 1.0
        if best < u:
            best = u
    return x * best.metres + Level(2 + 3 * (len(units) > 4)) * x


def functions_by_member(x, ops):
    for op in ops:
        x = FUNCTIONS[op](x, 1.5)
    return x


def counted(x, keys):
    by_number = {1: x, 2: x * x, 3: 1.0}
    by_name = {"odd": 0.0, "even": 1.0}
    for k in keys:
        by_number[k] += 0.5 * x
        by_name["odd" if k % 2 else "even"] += by_number[k]
        if k + 1 in by_number:
            x = x + 0.01 * by_number.get(k + 2, 7.0)
    return sum(by_number.values()) * by_name["odd"] + by_name["even"]


def members_and_numbers(x, levels):
    number, best = 0, Level.LOW
    for level in levels:
        number = level
        if level > best:
            best = level
    return x * number + x * best.weight() + (Level.LOW if number > 3 else 7) * x


def _steps(rng, n):
    ops, levels = list(Op), list(Level)
    return [
        Step(ops[rng.integers(3)], rng.normal(), levels[rng.integers(3)]) for _ in range(n)
    ]


def _members(cls):
    def make(rng, n):
        return rng.normal(), [list(cls)[rng.integers(len(cls))] for _ in range(n)]

    return make


PROGRAMS = [
    Program("known_members", known_members, lambda rng, n: (rng.normal(), rng.normal()), (0, 1)),
    Program(
        "methods_of_members",
        methods_of_members,
        lambda rng, n: (rng.normal(), _steps(rng, n)),
        (0, 1),
    ),
    Program("special_methods_of_members", special_methods_of_members, _members(Unit)),
    Program("functions_by_member", functions_by_member, _members(Op)),
    Program(
        "counted",
        counted,
        lambda rng, n: (rng.normal(), [int(k) for k in rng.integers(1, 4, size=n)]),
    ),
    Program("members_and_numbers", members_and_numbers, _members(Level)),
]
