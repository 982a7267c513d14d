"""Attributes that classes compute: descriptors with ``__get__`` and ``__set__``, and
``functools.cached_property``; and methods of numbers."""

from functools import cached_property


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, cls=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, v):
        if v < 0.0:
            raise ValueError("negative")
        setattr(obj, self.name, v)


class Doubled:
    def __get__(self, obj, cls=None):
        return 3.0 if obj is None else 2.0 * obj.balance


class Account:
    balance = Positive()
    rate = Positive()
    doubled = Doubled()

    def __init__(self, balance):
        self.balance, self.rate = balance, 0.5

    def grow(self):
        self.balance *= 1.0 + self.rate
        self.balance += 1.0


class Savings(Account):
    def __init__(self, balance):
        super().__init__(balance)
        self.extra = balance


def set_by_descriptor(x):
    a = Account(x)
    a.balance = a.balance * 2.0
    a.grow()
    try:
        a.balance = -1.0
    except ValueError:
        a.rate = 2.0 * x
    b = a
    b.grow()
    return a.balance * (Account.balance.name == "_balance")


def got_by_descriptor(x):
    a = Account(x)
    before = a.doubled * Account.doubled
    a.doubled = 7.0 * x
    return before + a.doubled


def of_several_classes(x):
    s = 0.0
    for a in [Account(x), Savings(2.0 * x)]:
        a.balance += 1.0
        a.grow()
        s += a.balance * a.doubled
    return s


class Square:
    def __init__(self, x):
        self.x, self.calls = x, 0

    @cached_property
    def area(self):
        self.calls += 1
        return self.x * self.x

    @cached_property
    def rows(self):
        return [self.x * k for k in range(3)]

    @property
    def twice(self):
        return 2.0 * self.area


class Larger(Square):
    @cached_property
    def area(self):
        return super().area + 1.0


def kept(x):
    s, other = Square(x), Square(3.0)
    first = s.area + s.twice
    s.x, other.area = 5.0, x
    return first * s.area * s.calls + sum(s.rows) + other.area * other.twice + other.calls


def kept_on_some_paths(x):
    s, t = 0.0, [Square(x), Larger(2.0 * x), Square(x)]
    for i, a in enumerate(t):
        if i > 0:
            s += a.area
        a.x = 3.0 * x
    return s + sum(a.area for a in t)


def bits(x):
    s = 0
    for n in range(-9, 40):
        s = s * 3 % 1000003 + (n * n * n).bit_length() + n.bit_count()
    whole = [v.is_integer() for v in (x, x - x, -4.0, 1e300 / x, x * 1e308 * 1e308)]
    return x * s * (whole == [False, True, True, True, False])


RIGHT = [
    set_by_descriptor, got_by_descriptor, of_several_classes, kept, kept_on_some_paths, bits
]  # fmt: skip


def grown(x, account):
    account.balance += x
    account.grow()
    return account.balance * account.doubled


def computed(x, square):
    return square.area * x + square.area


def in_the_descriptor(x):
    return Counted.number + x


class Counting:
    def __init__(self):
        self.n = 0

    def __get__(self, obj, cls=None):
        self.n += 1
        return self.n


class Counted:
    number = Counting()


class Slotted:
    __slots__ = ("x",)

    @cached_property
    def area(self):
        return self.x


def without_a_dict(x):
    s = Slotted()
    s.x = x
    return s.area


REFUSED = [in_the_descriptor, without_a_dict]
