"""Write LLVM functions with loops and branches: variables are stack slots (LLVM turns them into
registers), and blocks have names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pullback.native.lines import Lines


class Code(Lines):
    """The text of one function, written from top to bottom."""

    def __init__(self) -> None:
        super().__init__()
        self.slots: list[str] = []

    def label(self, prefix: str) -> str:
        """Return a new name for a block."""
        self.count += 1
        return f"{prefix}{self.count}"

    # --- memory ---

    def slot(self, ty: str, count: int = 1) -> str:
        """Return the address of new memory in the frame."""
        name = "%" + self.label("s")
        self.slots.append(f"  {name} = alloca [{count} x {ty}], align 8")
        return name

    def var(self, ty: str, value: str) -> str:
        """Return the address of a new variable that holds this value."""
        name = self.slot(ty)
        self.line(f"store {ty} {value}, ptr {name}")
        return name

    def at(self, base: str, offset: int | str) -> str:
        """Return the address that is so many bytes behind ``base``."""
        if offset in (0, "0"):
            return base
        return self.let(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, ty: str, base: str, offset: int | str = 0) -> str:
        """Return the value in memory at this address."""
        return self.let(f"load {ty}, ptr {self.at(base, offset)}")

    def store(self, ty: str, value: str, base: str, offset: int | str = 0) -> None:
        """Store a value in memory at this address."""
        self.line(f"store {ty} {value}, ptr {self.at(base, offset)}")

    # --- arithmetic ---

    def add(self, a: str, b: str | int) -> str:
        """Return the sum of two words."""
        return self.let(f"add i64 {a}, {b}")

    def mul(self, a: str, b: str | int) -> str:
        """Return the product of two words."""
        return self.let(f"mul i64 {a}, {b}")

    def same(self, a: str, b: str, ty: str = "ptr") -> str:
        """Return whether two words are equal."""
        return self.let(f"icmp eq {ty} {a}, {b}")

    def call(self, ret: str, name: str, *args: str) -> str:
        """Return the result of a call ("" if it has none)."""
        text = f"call {ret} @{name}({', '.join(args)})"
        if ret == "void":
            self.line(text)
            return ""
        return self.let(text)

    # --- control ---

    def jump(self, label: str) -> None:
        """Jump to a block; the code that follows needs a block of its own."""
        self.line(f"br label %{label}")

    def block(self, label: str) -> None:
        """Begin a block: the code that follows belongs to it."""
        self.lines.append(f"{label}:")

    def branch(self, cond: str, yes: str, no: str) -> None:
        """Jump to one of two blocks."""
        self.line(f"br i1 {cond}, label %{yes}, label %{no}")

    def need(self, cond: str, otherwise: str) -> None:
        """Go on if ``cond`` holds, else jump to the block ``otherwise``."""
        go = self.label("go")
        self.branch(cond, go, otherwise)
        self.block(go)

    @contextmanager
    def when(self, cond: str) -> Iterator[None]:
        """Write code that runs if ``cond`` holds."""
        yes, done = self.label("yes"), self.label("done")
        self.branch(cond, yes, done)
        self.block(yes)
        yield
        self.jump(done)
        self.block(done)

    def choose(self, cond: str, yes: Callable[[], str], no: Callable[[], str], ty: str) -> str:
        """Return the value of the one of two pieces of code that runs."""
        out = self.slot(ty)
        first, second, done = self.label("yes"), self.label("no"), self.label("done")
        self.branch(cond, first, second)
        for label, value in ((first, yes), (second, no)):
            self.block(label)
            self.store(ty, value(), out)
            self.jump(done)
        self.block(done)
        return self.load(ty, out)

    @contextmanager
    def loop(self, cond: Callable[[], str]) -> Iterator[None]:
        """Write code that is repeated while ``cond`` gives true."""
        head, body, done = self.label("head"), self.label("body"), self.label("done")
        self.jump(head)
        self.block(head)
        self.branch(cond(), body, done)
        self.block(body)
        yield
        self.jump(head)
        self.block(done)

    @contextmanager
    def counting(self, n: str) -> Iterator[str]:
        """Write code that is repeated n times, and gets the index."""
        i = self.var("i64", "0")
        with self.loop(lambda: self.let(f"icmp slt i64 {self.load('i64', i)}, {n}")):
            index = self.load("i64", i)
            yield index
            self.store("i64", self.add(index, 1), i)

    def function(self, head: str) -> str:
        """Return the whole text of the function, under this head."""
        return "\n".join([head + " {", "entry:", *self.slots, *self.lines, "}", ""])


def increment(code: Code, obj: str) -> str:
    """Return the object, after its reference count was increased."""
    code.call("void", "Py_IncRef", f"ptr {obj}")
    return obj
