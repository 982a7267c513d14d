"""Functions that change variables around them, where it is only known at run time which variables
these are: functions kept in lists, dicts and objects, or made in one branch."""


def _adder(k):
    n = 0.0

    def add(x):
        nonlocal n
        n += k * x
        return n

    return add


def in_a_list_by_a_number(xs):
    adders = [_adder(1.0), _adder(2.0)]
    return sum(adders[i % 2](x) for i, x in enumerate(xs))


def as_many_as_the_run_makes(xs):
    adders = [_adder(x) for x in xs]
    total = 0.0
    for i in range(7):
        total += adders[i % 3](xs[0])
    return total


def made_in_a_branch(xs):
    add = _adder(1.0) if xs[0] > 0.2 else _adder(2.0)
    return add(xs[0]) + add(xs[1])


def in_a_dict_by_numbers(xs):
    adders = {}
    for i, x in enumerate(xs):
        adders[i % 2] = _adder(x)
    return adders[0](xs[0]) + adders[1](xs[1]) + adders[0](xs[2])


def in_a_dict_by_texts(xs):
    adders = {}
    for name, x in zip("abc", xs):
        adders[name] = _adder(x)
    return sum(adders[name](xs[0]) for name in "abcab")


def the_last_one(xs):
    add = None
    for x in xs:
        add = _adder(x)
    return add(1.0) + add(2.0)


class Bus:
    def __init__(self):
        self.handlers = []

    def on(self, handler):
        self.handlers.append(handler)

    def fire(self, x):
        return sum(h(x) for h in self.handlers)


def handlers_of_an_object(xs):
    bus = Bus()
    for x in xs:
        bus.on(_adder(x))
    return bus.fire(xs[0]) + bus.fire(xs[1])


class Button:
    def __init__(self, handler):
        self.handler = handler


def one_in_each_object(xs):
    buttons = [Button(_adder(x)) for x in xs]
    total = 0.0
    for k in range(5):
        total += buttons[k % 3].handler(xs[1])
    return total


def two_variables_at_once(xs):
    def mean():
        total, count = 0.0, 0

        def add(x):
            nonlocal total, count
            total += x
            count += 1
            return total / count

        return add

    means = [mean() for _ in xs]
    return sum(means[k % 3](x * (k + 1)) for k, x in enumerate(xs + xs))


def two_functions_of_one_variable(xs):
    def account(balance):
        def deposit(x):
            nonlocal balance
            balance += x

        def withdraw(x):
            nonlocal balance
            if x > balance:
                raise ValueError("not so much")
            balance -= x

        return deposit, withdraw, lambda: balance

    accounts = [account(x) for x in xs]
    for i in range(5):
        deposit, withdraw, balance = accounts[i % 3]
        deposit(xs[0])
        try:
            withdraw(balance() * 2 if i == 2 else balance() / 2)
        except ValueError:
            deposit(1.0)
    return sum(balance() for _, _, balance in accounts)


def counts_of_ints(xs):
    def counter():
        n = 0

        def following():
            nonlocal n
            n += 1
            return n

        return following

    counters = [counter(), counter()]
    return sum(counters[i % 2]() * x for i, x in enumerate(xs))


def none_at_first(xs):
    def smoothed(a):
        mean = None

        def step(x):
            nonlocal mean
            mean = x if mean is None else a * mean + (1 - a) * x
            return mean

        return step

    steps = [smoothed(x / 2) for x in xs]
    total = 0.0
    for k in range(6):
        total += steps[k % 3](xs[k % 2]) * k
    return total


def set_in_a_loop_before(xs):
    def greatest():
        best = -1.0
        for x in xs:
            best = max(best, x / 2)

        def update(x):
            nonlocal best
            if x > best:
                best = x
            return best

        return update

    made = [greatest() for _ in range(2)]
    return sum(made[k % 2](x) for k, x in enumerate(xs))


def a_parameter_of_the_maker(xs):
    def random(seed):
        def draw():
            nonlocal seed
            seed = (seed * 1103515245 + 12345) % 2147483648
            return seed / 2147483648

        return draw

    made = [random(k) for k in range(3)]
    return sum(made[k % 3]() * x for k, x in enumerate(xs + xs))


def another_variable_of_the_name(xs):
    def counter(k):
        n = 0.0

        def add(x):
            nonlocal n
            n += sum(n * k for n in [x, 2 * x])

            def other(n):
                return n * n

            return other(n)

        return add

    made = [counter(x) for x in xs]
    return sum(made[k % 3](x) for k, x in enumerate(xs + xs))


def many_functions(x, n):
    adders = [_adder(x * k) for k in range(n)]
    return sum(adders[k % n](x) for k in range(2 * n))


RIGHT = [
    in_a_list_by_a_number, as_many_as_the_run_makes, made_in_a_branch, in_a_dict_by_numbers,
    in_a_dict_by_texts, the_last_one, handlers_of_an_object, one_in_each_object,
    two_variables_at_once, two_functions_of_one_variable, counts_of_ints, none_at_first,
    set_in_a_loop_before, a_parameter_of_the_maker, another_variable_of_the_name,
]  # fmt: skip


def by_a_walrus(xs):
    def counter():
        n = 0.0

        def add(x):
            nonlocal n
            return (n := n + x)

        return add

    made = [counter() for _ in xs]
    return sum(made[k % 3](x) for k, x in enumerate(xs + xs))


REFUSED = [by_a_walrus]
