"""``float(text)`` where only the run knows the text: tokens, tables, readers."""


def reverse_polish(x, tokens):
    stack = []
    for token in tokens.split():
        if token in "+*":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if token == "+" else a * b)
        else:
            stack.append(x if token == "x" else float(token))
    return stack[0]


def shunting_yard(x, tokens):
    level, out, ops = {"+": 1, "-": 1, "*": 2, "/": 2}, [], []
    for token in tokens.split():
        if token in level:
            while ops and ops[-1] != "(" and level[ops[-1]] >= level[token]:
                out.append(ops.pop())
            ops.append(token)
        elif token == "(":
            ops.append(token)
        elif token == ")":
            while ops[-1] != "(":
                out.append(ops.pop())
            ops.pop()
        else:
            out.append(token)
    while ops:
        out.append(ops.pop())
    stack = []
    for token in out:
        if token in level:
            b, a = stack.pop(), stack.pop()
            both = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else 0.0}
            stack.append(both[token])
        else:
            stack.append(x if token == "x" else float(token))
    return stack[0]


def odd_texts(x, words):
    total, bad = 0.0, 0
    for word in words.split():
        try:
            v = float(word)
        except ValueError:
            bad += 1
            continue
        if v != v:
            total += 1
        elif v in (float("inf"), float("-inf")):
            total += 2 if v > 0 else 5
        else:
            total += v * x
    return total + bad


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def number(self):
        first = self.at
        while self.peek().isdigit() or self.peek() == ".":
            self.at += 1
        return float(self.text[first : self.at])

    def factor(self, x):
        if self.peek() == "(":
            self.at += 1
            v = self.sum(x)
            self.at += 1
            return v
        if self.peek() == "x":
            self.at += 1
            return x
        return self.number()

    def product(self, x):
        v = self.factor(x)
        while self.peek() and self.peek() in "*/":
            op = self.peek()
            self.at += 1
            w = self.factor(x)
            v = v * w if op == "*" else v / w
        return v

    def sum(self, x):
        v = self.product(x)
        while self.peek() and self.peek() in "+-":
            op = self.peek()
            self.at += 1
            w = self.product(x)
            v = v + w if op == "+" else v - w
        return v


def reader(x):
    return Reader("3.5*(x+2)-x/(1+x*x)").sum(x)


def of_ints(x):
    total = 0.0
    for i in range(12):
        total += float(str(i)) * x
    return total


def mapped(x, line):
    a, *more = map(float, line.split(","))
    return a * x + sum(more) * x * x


ODD = "1.5 abc nan inf -0.0 1e400 -inf 5e-324 1e-310 123456789.12345678 0x10 _1"

PROGRAMS = [
    (reverse_polish, 1.3, "3 4.5 x * +"),
    (shunting_yard, 1.3, "3 + 4 * x - ( x - 2 ) / 5"), (odd_texts, 1.3, ODD),
    (reader, 1.3), (of_ints, 1.3),
    (mapped, 1.3, "2.5,3,-1e-3"),
]  # fmt: skip


def of_its_own_text(x):
    return float(f"{x:.3f}") + x


def of_a_message(x):
    try:
        raise ValueError(f"{x}")
    except ValueError as e:
        return float(str(e)) * x


def of_a_list(x):
    return sum(float(t) for t in [str(v) for v in (x, 2 * x)])


REFUSED = [of_its_own_text, of_a_message, of_a_list]
