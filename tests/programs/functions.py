"""Functions as values: nested, passed on, returned, chosen at run time."""

import functools
import math

import numpy as np

import pullback as pb
from tests.programs import Program

SCALE = 1.5
TABLE = np.array([0.5, -1.0, 2.0])


def nested_functions(x, y):
    def inner(u):
        def innermost(v):
            return u * v + x

        return innermost(u) * innermost(y)

    return inner(x) + inner(y)


def twice(f, x):
    return f(f(x))


def lambda_passed_on(x, a):
    return twice(lambda u: a * math.sin(u) + x, x)


def compose(f, g):
    return lambda u: f(g(u))


def function_returned(x):
    return compose(math.exp, lambda u: -u * u)(x) + compose(math.sin, math.cos)(x)


def closure_over_array(x, w):
    def dot(v):
        return sum(w[i] * v[i] for i in range(len(v)))

    return dot(x) * dot(w)


def globals_captured(x):
    return SCALE * x * TABLE[1] + TABLE[-1]


def functions_in_tuple(x):
    pair = (lambda u: u * x, lambda u: u + x)
    return pair[0](2.0) * pair[1](3.0)


def chosen_closure(x, y, flag):
    """One of two lambdas with different captures, known only when it runs."""
    if flag:
        f = lambda u: u * x
    else:
        f = lambda u: math.sin(u) + x * y + y
    return f(x) + f(2.0)


def closure_chosen_by_value(xs, y):
    total = 0.0
    for x in xs:
        f = (lambda u: u * y) if x > 0.0 else (lambda u: u * u + x)
        total += f(x)
    return total


def keyword_and_default(x, y):
    def affine(u, slope=2.0, offset=0.0):
        return slope * u + offset

    return affine(x) * affine(y, offset=x) + affine(x, 3.0)


def captured_in_branch(x):
    """A function chosen at run time sees the variables of its own branch."""
    if x > 1.0:
        k = x * x
        f = lambda v: v * k
    else:
        k = 3.0 * x
        f = lambda v: v + k
    return f(x) + k


def pullback_kept(x):
    """A pullback belongs to the values at the time when it was made."""
    a = np.zeros(3) + x
    k = x
    _, pullback = pb.vjp(lambda y: np.sum(y * y * k * a), x)
    k = 2.0 * k
    a[0] = k
    return pullback(k)[0] + a[0]


def callee_many_times(x):
    """Specialised once, called from four places."""
    return square(square(x)) + square(x + 1.0) * square(2.0)


def square(u):
    return u * u


# --- functions that grow --------------------------------------------------------------------------


def compose_n(x, a, n):
    """Composed n times in a loop: the environment grows with every round."""
    h = lambda y: y
    step = lambda y: math.sin(y) + a * x
    for _ in range(n):
        h = compose(step, h)
    return h(x)


def composed_in_branches(xs, a):
    """Which function is put on top is known when it runs."""
    h = lambda y: y * a
    for x in xs:
        if x > 0.0:
            h = compose(lambda y, x=x: math.sin(y) + x, h)
        else:
            h = compose(h, lambda y, x=x: y * x + a)
    return h(0.5)


def cps_factorial(x, n):
    def go(n, k):
        if n == 0:
            return k(1.0)
        return go(n - 1, lambda r: k(r * x * n))

    return go(n, lambda r: r)


def cps_sum(xs):
    def go(i, k):
        if i == len(xs):
            return k(0.0)
        return go(i + 1, lambda r: k(r + xs[i] * xs[i]))

    return go(0, lambda r: r * r)


def cps_tree(x, depth):
    """Two continuations, each in the other: the sum over a binary tree."""

    def go(d, v, k):
        if d == 0:
            return k(math.sin(v))
        return go(d - 1, v * 0.7, lambda a: go(d - 1, v + 0.2, lambda b: k(a * b + v)))

    return go(depth, x, lambda r: r)


def cps_mutual(x, n):
    def even(n, k):
        if n == 0:
            return k(x)
        return odd(n - 1, lambda r: k(r * x))

    def odd(n, k):
        if n == 0:
            return k(2.0 * x)
        return even(n - 1, lambda r: k(r + x))

    return even(n, lambda r: r)


def church_recursion(x, a, n):
    def numeral(n):
        if n == 0:
            return lambda f: lambda y: y
        before = numeral(n - 1)
        return lambda f: lambda y: f(before(f)(y))

    return numeral(n)(lambda y: math.sin(y) * a)(x)


def church_loop(x, n):
    numeral = lambda f: lambda y: y
    successor = lambda m: lambda f: lambda y: f(m(f)(y))
    for _ in range(n):
        numeral = successor(numeral)
    return numeral(lambda y: y * x + 0.1)(x)


def church_arithmetic(x):
    two = lambda f: lambda y: f(f(y))
    three = lambda f: lambda y: f(f(f(y)))
    add = lambda a: lambda b: lambda f: lambda y: a(f)(b(f)(y))
    mul = lambda a: lambda b: lambda f: a(b(f))
    power = lambda a: lambda b: b(a)
    return add(two)(mul(two)(three))(math.sin)(x) + power(two)(three)(lambda y: y * x)(x)


def difference_list(xs):
    """A list as the function that puts it in front of another; here the list is folded."""
    build = lambda rest: rest
    for x in xs:
        build = lambda rest, build=build, x=x: build(rest * 0.5 + x)
    return build(1.0)


def stream(x, n):
    """An infinite stream: a head and the function that gives the rest."""

    def powers(v):
        return v, lambda: powers(v * x)

    total, here = 0.0, powers(x)
    for _ in range(n):
        head, rest = here
        total += head
        here = rest()
    return total


def fixed_point(x, n):
    fix = lambda f: (lambda g: g(g))(lambda g: f(lambda v: g(g)(v)))
    product = fix(lambda self: lambda k: 1.0 if k == 0 else x * k * self(k - 1))
    return product(n)


def trampoline(x, n):
    def step(k, acc):
        if k == 0:
            return True, acc, lambda: step(0, acc)
        return False, acc, lambda: step(k - 1, acc * x + 1.0)

    done, acc, rest = step(n, x)
    while not done:
        done, acc, rest = rest()
    return acc


def layers(x, ws):
    """A network as a list of functions, applied one after the other."""
    chosen = [math.sin if w > 0.0 else math.tanh for w in ws]
    scaled = [(lambda v, w=w: v * w) if w > 0.0 else (lambda v, w=w: v + w) for w in ws]
    for f, g in zip(chosen, scaled):
        x = f(g(x))
    return x


# --- partial application, derivatives as values ---------------------------------------------------


def affine(a, b, c=2.0):
    return a * b + c * c


DOUBLED = functools.partial(affine, 2.0, c=3.0)


def partials(x, flag):
    """Positional and by keyword, nested, chosen, captured from outside."""
    f = functools.partial(affine, x) if flag else functools.partial(affine, x, c=x * x)
    g = functools.partial(DOUBLED, c=x)
    return f(3.0) * g(2.0) + DOUBLED(x) + g(x, c=1.0)


def partial_in_loop(x, n):
    h = lambda y: y
    for _ in range(n):
        h = functools.partial(lambda f, y: math.sin(f(y)) + x, h)
    return h(x)


def gradients_in_tuple(x, k):
    operators = (pb.grad(lambda u: u * u * u * x), pb.grad(math.sin), lambda u: u * x)
    return twice(pb.grad(lambda u: u * u * u), x) * operators[k](x)


def gradient_of_choice(x, flag):
    f = (lambda u: u**4 * x) if flag else math.sin
    return pb.grad(f)(x) + pb.grad(pb.grad(f))(x) + pb.grad(lambda u: f(u) * u)(x)


def gradient_of_partial(x):
    f = functools.partial(affine, b=2.0)
    return pb.grad(f)(x) * x + pb.grad(functools.partial(affine, x))(x)


def pullbacks_composed(x, n):
    """The pullbacks of a chain, composed by hand as it is run."""
    back = lambda c: c
    for k in range(n):
        value, pull = pb.vjp(lambda u: math.sin(u) * x, x + k)
        back = lambda c, back=back, pull=pull: back(pull(c)[0])
    return back(1.0)


def numbers(rng, n):
    return tuple(rng.uniform(0.3, 1.5, 2).tolist())


PROGRAMS = [
    Program("nested_functions", nested_functions, numbers, (0, 1)),
    Program("lambda_passed_on", lambda_passed_on, numbers, (0, 1)),
    Program("function_returned", function_returned, lambda rng, n: (rng.normal(),)),
    Program(
        "closure_over_array",
        closure_over_array,
        lambda rng, n: (rng.normal(size=n), rng.normal(size=n)),
        (0, 1),
    ),
    Program("globals_captured", globals_captured, lambda rng, n: (rng.normal(),)),
    Program("functions_in_tuple", functions_in_tuple, lambda rng, n: (rng.normal(),)),
    Program("chosen_closure_left", chosen_closure, lambda r, n: (*numbers(r, n), 1), (0, 1)),
    Program("chosen_closure_right", chosen_closure, lambda r, n: (*numbers(r, n), 0), (0, 1)),
    Program(
        "closure_chosen_by_value",
        closure_chosen_by_value,
        lambda rng, n: (rng.normal(size=n), rng.normal()),
        (0, 1),
    ),
    Program("captured_in_branch", captured_in_branch, lambda r, n: (r.uniform(0.3, 1.7),)),
    Program("pullback_kept", pullback_kept, lambda r, n: (r.uniform(0.3, 1.7),)),
    Program("keyword_and_default", keyword_and_default, numbers, (0, 1)),
    Program("compose_n", compose_n, lambda r, n: (*numbers(r, n), n), (0, 1)),
    Program(
        "composed_in_branches",
        composed_in_branches,
        lambda r, n: (r.normal(size=n), r.normal()),
        (0, 1),
    ),
    Program("cps_factorial", cps_factorial, lambda r, n: (r.uniform(0.1, 0.3), n)),
    Program("cps_sum", cps_sum, lambda r, n: (r.normal(size=n),)),
    Program("cps_tree", cps_tree, lambda r, n: (r.normal(), int(math.log2(n)) + 1)),
    Program("cps_mutual", cps_mutual, lambda r, n: (r.uniform(0.3, 1.1), n)),
    Program("church_recursion", church_recursion, lambda r, n: (*numbers(r, n), n), (0, 1)),
    Program("church_loop", church_loop, lambda r, n: (r.uniform(0.3, 0.9), n)),
    Program("church_arithmetic", church_arithmetic, lambda r, n: (r.uniform(0.3, 0.9),)),
    Program("difference_list", difference_list, lambda r, n: (r.normal(size=n),)),
    Program("stream", stream, lambda r, n: (r.uniform(0.3, 0.9), n)),
    Program("fixed_point", fixed_point, lambda r, n: (r.uniform(0.1, 0.3), n)),
    Program("trampoline", trampoline, lambda r, n: (r.uniform(0.3, 0.9), n)),
    Program("layers", layers, lambda r, n: (r.normal(), r.normal(size=n)), (0, 1)),
    Program("partials_plain", partials, lambda r, n: (r.uniform(0.3, 0.9), 1)),
    Program("partials_keyword", partials, lambda r, n: (r.uniform(0.3, 0.9), 0)),
    Program("partial_in_loop", partial_in_loop, lambda r, n: (r.uniform(0.3, 0.9), n)),
    Program("gradients_in_tuple", gradients_in_tuple, lambda r, n: (r.uniform(0.3, 0.9), n % 3)),
    Program("gradient_of_choice", gradient_of_choice, lambda r, n: (r.uniform(0.3, 0.9), n // 4)),
    Program("gradient_of_partial", gradient_of_partial, lambda r, n: (r.uniform(0.3, 0.9),)),
    Program("pullbacks_composed", pullbacks_composed, lambda r, n: (r.uniform(0.3, 0.9), n)),
    Program("callee_many_times", callee_many_times, lambda rng, n: (rng.normal(),)),
]
