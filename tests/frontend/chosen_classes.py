"""Classes that the run chooses: out of a dict by a name, out of a list by a number, by a branch."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar


class Shape(ABC):
    sides = 0
    registry: ClassVar = {}

    def __init_subclass__(cls):
        Shape.registry[cls.__name__.lower()] = cls

    @abstractmethod
    def area(self): ...


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2

    @classmethod
    def unit(cls):
        return cls(1.0)


class Rect(Shape):
    sides = 4

    def __init__(self, a, b=None):
        self.a, self.b = a, a if b is None else b

    def area(self):
        return self.a * self.b

    @staticmethod
    def unit():
        return Rect(1.0, 2.0)


@dataclass
class Half:
    b: float
    h: float = 2.0
    sides = 3

    def area(self):
        return self.b * self.h / 2

    @classmethod
    def unit(cls):
        return cls(1.0, 1.5)


TABLE = {"circle": Circle, "rect": Rect, "half": Half}
KINDS = [Circle, Rect, Half]


def _names(xs):
    return ["circle" if x < 0.5 else "rect" if x < 0.8 else "half" for x in xs]


def by_a_registry(xs):
    shapes = [Shape.registry[n](x) for n, x in zip(_names(xs[:2]), xs)]
    return sum(s.area() for s in shapes)


def by_a_table(xs):
    total = 0.0
    for n, x in zip(_names(xs), xs):
        cls = TABLE[n]
        total += cls(x).area() * (1 + cls.sides) + len(cls.__name__)
    return total


def by_a_number(xs):
    total = 0.0
    for i, x in enumerate(xs):
        cls = KINDS[i % 3]
        total += cls(x).area() + cls.unit().area()
        if cls is Rect:
            total += 1
    return total


def perhaps_none(xs):
    total = 0.0
    for n, x in zip([*_names(xs), "none"], [*xs, xs[0]]):
        cls = TABLE.get(n)
        if cls is None:
            total -= x
            continue
        total += cls(x).area()
    return total


def true_unless_none(xs):
    total = 0.0
    for n, x in zip([*_names(xs), "none"], [*xs, xs[1]]):
        cls = TABLE.get(n)
        if not cls:
            total -= 3 * x
        else:
            total += cls(x).area()
    return total


def asked(xs):
    total = 0.0
    for n, x in zip(_names(xs), xs):
        cls, o = TABLE.get(n, Half), Circle(x)
        total += x * (1 if isinstance(o, cls) else 2) + x * x * (3 if issubclass(cls, Shape) else 4)
        if type(o) is cls or cls == Half or cls in (Rect, Half):
            total += 5 * x
    return total


def a_branch_by_a_branch(xs):
    cls = Circle if xs[0] > 0.1 else Rect
    other = Half if xs[1] > 5 else cls
    return sum(cls(x).area() for x in xs) + other(xs[2]).area()


def kept_in_a_list(xs):
    classes = [TABLE[n] for n in _names(xs)]
    return sum(c(x).area() for c, x in zip(classes, xs))


def kept_in_an_object(xs):
    class Factory:
        def __init__(self, cls):
            self.cls = cls

        def make(self, x):
            return self.cls(x)

    f, g = Factory(TABLE[_names(xs)[1]]), Factory(Circle)
    a = f.make(xs[1]).area() + g.make(xs[0]).area()
    g.cls = TABLE[_names(xs)[2]]
    return a + g.make(xs[2]).area()


def the_best_so_far(xs):
    best, most = None, -1.0
    for x in xs:
        cls = Circle if x < 0.6 else Rect
        if cls(x).area() > most:
            best, most = cls, cls(x).area()
    return best(xs[0]).area() + most


def by_a_recursion(xs):
    def go(k, cls):
        if k == 0:
            return cls(xs[0]).area()
        return go(k - 1, Rect if k % 2 else Circle) + cls(xs[1]).area()

    return go(len(xs), Half)


def of_a_function_that_may_give_none(xs):
    def find(n):
        if n in TABLE:
            return TABLE[n]
        return None

    total = 0.0
    for n, x in zip([*_names(xs), "none"], [*xs, xs[0]]):
        cls = find(n)
        if cls is not None:
            total += cls(x).area()
    return total


def beside_a_function(xs):
    table = dict(TABLE)
    table["half"] = lambda x: Rect(x, 2 * x)
    return sum(table[n](x).area() for n, x in zip(_names(xs), xs))


def given_to_library_functions(xs):
    cls = TABLE[_names(xs)[1]]
    return sum(s.area() for s in map(cls, xs)) + max(cls(x).area() for x in xs)


def captured_and_a_default(xs):
    cls = TABLE[_names(xs)[1]]

    def make(x, kind=cls):
        return kind(x).area()

    return make(xs[1]) + (lambda: cls(xs[0]).area())()


def a_class_of_the_function(xs):
    class Third:
        def __init__(self, x):
            self.x = x

        def area(self):
            return self.x / 3

    table = {**TABLE, "half": Third}
    return sum(table[n](x).area() for n, x in zip(_names(xs), xs))


def layers_that_are_called(xs):
    class Relu:
        def __call__(self, x):
            return max(x, 0.0)

    class Tanh:
        def __init__(self):
            self.scale = 2.0

        def __call__(self, x):
            return math.tanh(x) * self.scale

    table = {"relu": Relu, "tanh": Tanh}

    class Net:
        def __init__(self, names):
            self.layers = [table[n]() for n in names]

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x) + x
            return x

    net = Net(["relu" if x < 0.5 else "tanh" for x in xs])
    return sum(net(x) for x in xs)


class TooLarge(ValueError):
    pass


class TooSmall(ValueError):
    pass


ERRORS = {"large": TooLarge, "small": TooSmall}
KINDS_OF_ERRORS = [ValueError, TooLarge, KeyError]


def exceptions(xs):
    t = 0.0
    for k, x in enumerate(xs):
        try:
            if abs(x - 0.7) > 0.1:
                raise ERRORS["large" if x > 0.7 else "small"](x)
            t += x
            cls = KINDS_OF_ERRORS[k + 1] if x > 0 else TypeError
            raise cls
        except TooLarge as e:
            t += e.args[0] * 2 if e.args else x**2
        except TooSmall as e:
            t += e.args[0] * 3
        except LookupError:
            t += x**3
    return t


def raised(k):
    raise KINDS_OF_ERRORS[k](f"no {k}") from None


RIGHT = [
    exceptions,
    by_a_registry, by_a_table, by_a_number, perhaps_none, true_unless_none, asked,
    a_branch_by_a_branch, kept_in_a_list, kept_in_an_object, the_best_so_far, by_a_recursion,
    of_a_function_that_may_give_none, beside_a_function, given_to_library_functions,
    captured_and_a_default, a_class_of_the_function, layers_that_are_called,
]  # fmt: skip


def itself(k):
    return KINDS[k]


def inside(k):
    return [KINDS[k], Half], {"a": KINDS[k]}, f"{KINDS[k].__name__} {KINDS[k]}"


def in_lists(k):
    names = [["circle", "rect", "half"][(k + j) % 3] for j in range(4)]
    return [TABLE[n] for n in names], [(TABLE.get(n), j) for j, n in enumerate(names)]


def its_length(k):
    return len(KINDS[k])


def its_items(k):
    return [x for x in KINDS[k]]


def its_parts(k):
    a, b = KINDS[k]
    return a, b


def with_a_tuple(k):
    return KINDS[k] + (1,)


def none_is_called(k):
    return TABLE.get("circle" if k > 0 else "none")(1.0).area()
