"""Values that are one of several: a number or a mark that stands for "nothing yet" (``object()``),
a number or a text, a number or a member of an enumeration."""

import enum
import heapq
from collections import deque

from tests.programs import Program

MISSING = object()
STOP = object()


class Stage(enum.Enum):
    WAITING = 0
    FAILED = 1


def best_of(xs):
    best = MISSING
    for x in xs:
        if best is MISSING or x > best:
            best = x
    return 0.0 if best is MISSING else best * best


def halved(x, factor=MISSING):
    if factor is MISSING:
        factor = 0.5
    return x * factor


def with_defaults(x):
    return halved(x) + halved(x, 3.0) * halved(x, x)


def up_to_stop(xs):
    """A queue of numbers that ends with a mark."""
    queue = deque()
    for x in xs:
        queue.append(x)
    queue.append(STOP)
    queue.append(100.0)
    total = 0.0
    while True:
        item = queue.popleft()
        if item is STOP:
            break
        total += item
        if abs(item) > 0.5:
            queue.appendleft(0.4 * item)
    return total


def steps_down(x):
    state = [x]

    def step():
        state[0] *= 0.7
        return state[0] if state[0] > 0.2 else STOP

    return sum(v * v for v in iter(step, STOP))


def memo_table(x, n):
    table = [MISSING] * (n + 1)

    def at(k):
        if table[k] is MISSING:
            table[k] = x if k < 2 else at(k - 1) + 0.5 * at(k - 2)
        return table[k]

    return at(n)


def by_the_way(xs, y):
    """A dict is asked for keys that it has, and for keys that it has not."""
    nothing = object()
    table = {}
    for k in range(len(xs)):
        table[3 * k % 7] = xs[k]
    total = 0.0
    for k in range(9):
        found = table.get(k, nothing)
        total += y if found is nothing else found * found
    return total


def three_that_are_none(xs):
    row = []
    for k in range(len(xs)):
        row.append([xs[k], None, MISSING, STOP][k % 4])
    total = 0.0
    for v in row:
        if v is MISSING:
            total += 1.0
        elif v is None:
            total *= 1.5
        elif v is not STOP:
            total += v * v
    return total


def stack_machine(xs):
    program = []
    for k in range(len(xs)):
        program.append(("push", xs[k]))
        if k % 3 == 1:
            program.append(("mul", None))
        elif k % 3 == 2:
            program.append(("scale", 0.5 * k))
    stack = []
    for op, arg in program:
        if op == "push":
            stack.append(arg)
        elif op == "mul":
            b = stack.pop()
            stack.append(b * stack.pop())
        else:
            stack.append(arg * stack.pop())
    return sum(stack)


def tokens(xs):
    """A field that is a number or a text."""
    found = []
    for k in range(len(xs)):
        if k > 0:
            found.append(("op", "*" if k % 3 else "+"))
        found.append(("num", xs[k]))
    total, term, op = 0.0, 1.0, "*"
    for kind, value in found:
        if kind == "op":
            op = value
            if op == "+":
                total, term = total + term, 1.0
        elif op == "*":
            term = term * value
        else:
            term = value
    return total + term


def words_and_numbers(xs):
    row = []
    for k in range(len(xs)):
        row.append("x" * k if k % 3 == 0 else xs[k])
    total = 0.0
    for v in row:
        if isinstance(v, str):
            total += 0.25 * len(v)
        else:
            total += v * v
    return total if "xxx" in row else -total


def stages(xs):
    row = []
    for k in range(len(xs)):
        row.append(Stage.WAITING if k % 3 == 0 else Stage.FAILED if k % 3 == 1 else xs[k])
    total = 0.0
    for v in row:
        if v is Stage.WAITING:
            total += 1.0
        elif v == Stage.FAILED:
            total *= 0.5
        else:
            total += v * v
    return total


def told(x, n):
    """Adding a number to what is no number raises, and only there."""
    row = []
    for k in range(n):
        row.append([x, "text", None, MISSING][k % 4])
    total = 0.0
    for v in row:
        try:
            total += v * x
        except TypeError as error:
            total += 0.01 * len(str(error)) * x
    return total


def priorities(xs):
    """The queue of the documentation of heapq, with entries that are taken back."""
    queue = []
    finder = {}

    def add(task, priority):
        if task in finder:
            old = finder.pop(task)
            old[-1] = MISSING
        entry = [priority, len(queue), task]
        finder[task] = entry
        heapq.heappush(queue, entry)

    for k in range(len(xs)):
        add("abcd"[k % 4], float(xs[k]))
    total = 0.0
    while queue:
        priority, _, task = heapq.heappop(queue)
        if task is not MISSING:
            del finder[task]
            total = 0.5 * total + priority
    return total


def instructions(xs):
    """A program whose instructions have no, one or two operands, run on a stack with names."""
    code = [("push", 0.5)]
    for k in range(len(xs)):
        code.append(("push", xs[k]))
        code.append(("add",) if k % 2 else ("store", "b" if k % 3 else "a", 2.0))
        code.append(("load", "a") if k % 2 else ("mul",))
    names, stack = {"a": 1.0, "b": 0.25}, [0.75, 1.5]
    for op in code:
        match op:
            case ("push", v) if isinstance(v, float):
                stack.append(v)
            case ("store", name, factor):
                names[name] = stack[-1] * factor
            case ("load", name):
                stack.append(names["a"] if name == "a" else names["b"])
            case ("add",):
                stack.append(stack.pop() + stack.pop())
            case _:
                stack.append(stack.pop() * stack.pop())
    return sum(stack) * names["b"]


def by_any_key(xs):
    """Totals by keys that are ints, texts, pairs or None."""
    totals = {}
    for k in range(len(xs)):
        key = k if k % 4 == 0 else "odd" if k % 4 == 1 else (k % 3, "t") if k % 4 == 2 else None
        totals[key] = 0.5 * totals.get(key, 1.0) + xs[k]
    found = totals.get("odd", 0.1) * totals.get((2, "t"), 0.2) + totals.get(None, 0.3)
    for key, v in totals.items():
        found = 0.9 * found + v * (2.0 if isinstance(key, tuple) else 1.0)
    return found * len(totals)


def normal(r, n):
    return (r.normal(size=n),)


PROGRAMS = [
    Program("best_of_marks", best_of, normal),
    Program("mark_as_default", with_defaults, lambda r, n: (r.normal(),), sizes=(3,)),
    Program("queue_up_to_a_mark", up_to_stop, normal),
    Program("calls_up_to_a_mark", steps_down, lambda r, n: (float(n) + r.uniform(),)),
    Program("memo_of_marks", memo_table, lambda r, n: (r.normal(), n)),
    Program("mark_of_a_function", by_the_way, lambda r, n: (r.normal(size=n), 0.5), (0, 1)),
    Program("two_marks_and_none", three_that_are_none, normal),
    Program("growing_program", stack_machine, normal),
    Program("tokens", tokens, normal),
    Program("words_and_numbers", words_and_numbers, normal),
    Program("stages_and_numbers", stages, normal),
    Program("caught_operands", told, lambda r, n: (r.normal(), n)),
    Program("instructions", instructions, normal),
    Program("totals_by_any_key", by_any_key, normal),
    Program("priorities_with_marks", priorities, normal, sizes=(3, 8)),
]
