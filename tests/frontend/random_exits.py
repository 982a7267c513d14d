"""Random functions that are left in every way: jumps in and out of ``try``, ``with``, loops and
generators, at any depth. ``h`` and ``guard.h`` say what was run, in order."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

_HEADER = '''
class Guard:
    def __init__(self):
        self.h, self.swallows = 0.0, False
    def set(self, swallows):
        self.swallows = swallows
        return self
    def __enter__(self):
        self.h = 1.1 * self.h + 1.0
        return self
    def __exit__(self, kind, error, trace):
        self.h = 1.1 * self.h + (2.0 if kind is None else 3.0)
        return self.swallows
def risky(v, k):
    if k == 1: raise ValueError(v)
    if k == 2: raise KeyError(v)
    return v / (k - 3.0)
def items(x, n):
    for k in range(n):
        yield risky(x + k, k + 2 if k > 1 else 0)
'''
_GUARDED = '''
    def guarded(n):
        nonlocal c
        for k in range(n):
            try:
                yield risky(x + k, k + 1)
                c = 1.1 * c + 1.0
            except KeyError:
                yield x
            except ValueError:
                c = 1.1 * c + 2.0
            finally:
                c = 1.1 * c + 3.0
'''
_ERRORS = ("ValueError", "KeyError", "ZeroDivisionError", "(KeyError, ZeroDivisionError)",
           "LookupError", "Exception")  # fmt: skip


class _Text:
    def __init__(self, rng: random.Random) -> None:
        self.rng, self.count, self.names = rng, 0, 0

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def block(self, depth: int, loop: bool) -> list[str]:
        made = [line for _ in range(self.rng.choice((1, 1, 2))) for line in self.one(depth, loop)]
        jump = self.rng.random()
        if jump < 0.12:
            made += self.guarded(f"return t * {self.rng.randint(2, 5)}")
        elif jump < 0.3 and loop:
            made += self.guarded(self.rng.choice(("break", "continue")))
        elif jump < 0.36:
            made += self.guarded(f"raise {self.rng.choice(('ValueError', 'KeyError'))}(k)")
        return made

    def guarded(self, jump: str) -> list[str]:
        test = self.rng.choice((None, f"t > {self.rng.randint(0, 9)}", "k == 2", "h > 5"))
        return [jump] if test is None else [f"if {test}:", f"    {jump}"]

    def one(self, depth: int, loop: bool) -> list[str]:
        self.count += 1
        leaf = [f"h = 1.1 * h + {float(self.count)}"]
        kind = self.rng.random()
        if depth == 0 or kind < 0.15:
            return self.rng.choice((leaf, [f"t += risky(x, k + {self.rng.randint(0, 2)})"],
                                    [f"t += {self.count} * x", *leaf], ["k += 1"]))  # fmt: skip

        def inner(loop: bool = loop) -> list[str]:
            return ["    " + line for line in self.block(depth - 1, loop)]

        if kind < 0.62:
            made = ["try:", *inner()]
            final = self.rng.random() < 0.5
            if not final or self.rng.random() < 0.5:
                for _ in range(self.rng.choice((1, 1, 2))):
                    again = self.rng.random() < 0.2
                    made += [f"except {self.rng.choice(_ERRORS)}:", *inner()]
                    made += ["    raise"] if again else []
                made += ["else:", *inner()] if self.rng.random() < 0.3 else []
            return made + (["finally:", *inner()] if final else [])
        if kind < 0.72:
            return [f"with guard.set({self.rng.random() < 0.4}):", *inner()]
        if kind < 0.84:
            name = self.name()
            source = self.rng.choice(("range(3)", f"items(x, {self.rng.randint(1, 3)})",
                                      f"guarded({self.rng.randint(1, 3)})"))
            made = [f"for {name} in {source}:", f"    t += {name}", *inner(True)]
            return made + (["else:", *inner()] if self.rng.random() < 0.3 else [])
        if kind < 0.9:
            return ["while k < 3:", "    k += 1", *inner(True)]
        return [f"if t > {self.rng.randint(0, 6)}:", *inner(), "else:", *inner()]


_TOLD = """
class Told(ValueError):
    def __init__(self, value):
        super().__init__(value)
        self.value = 1.5 * value
    def tell(self, x):
        return self.value * x
"""


def _telling(line: str) -> list[str]:
    """Return a clause that computes with what is in the exception."""
    found = re.match(r"( *)except ValueError:$", line)
    if found is None:
        return [line.replace("raise ValueError(k)", "raise Told(k + x)")]
    return [f"{found[1]}except Told as e:", f"{found[1]}    t += e.tell(x) + e.args[0] * e.value"]


def source(seed: int, depth: int = 2, told: bool = False) -> str:
    """Return the text of one function ``f(x, k)``, which gives a number and what was run. With
    ``told`` it computes with what is in its exceptions."""
    text = _Text(random.Random(seed))
    body = [line for _ in range(2) for line in text.block(depth, False)]
    lines = ["t = x", *body, "return t"]
    header = _HEADER
    if told:
        lines = [made for line in lines for made in _telling(line)]
        header = _TOLD + header.replace("raise ValueError(v)", "raise Told(v * v)")
    inner = "\n".join("        " + line for line in lines)
    return (
        f"{header}\ndef f(x, k):\n    h, c, guard = x, 0.0, Guard()\n{_GUARDED}    def run(k):\n"
        f"        nonlocal h\n{inner}\n"
        "    try:\n        r = run(k)\n    except (ValueError, KeyError, ZeroDivisionError) as e:\n"
        "        r = 1000.0 + (1.0 if isinstance(e, ValueError) else 2.0)\n"
        "    return 0.0 if r is None else r + x * (h + c + guard.h)\n"
    )


def function(seed: int, path: Any, told: bool = False) -> Callable[..., Any]:
    """Return the function, written to a file of its own."""
    text = source(seed, told=told)
    path.write_text(text)
    space: dict[str, Any] = {"__name__": path.stem}
    exec(compile(text, str(path), "exec"), space)
    made: Callable[..., Any] = space["f"]
    return made
