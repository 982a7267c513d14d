"""Texts of programs that do not depend on names: for digests, and for counts of nodes.

Core and loop code are trees of dataclasses with the same outline: a program has ``functions`` by
name and ``main``; what has a ``name`` and an ``id`` is a variable or a register; nodes are
compared by identity, types by value. Variables, functions and declared types are numbered in the
order of their first appearance; places in the source are left out.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import re
from collections import Counter
from functools import cache
from typing import Any

NODES: dict[str, str] = {}
"""The names of nodes that were renamed, by their new names: their digests stay."""

PLACE = "Site"
NAMED = "Named"
UNNAMED = {"Function", "LoopFunction", "Variant", "Decl"}  # their names mean nothing
OUTLINE = {"Var", "Reg", "Lit", "Imm", "Let", "Block", "Region", "Function", "LoopFunction",
           "CaseArm", "Message", "Constant", "Leaf", "Applied"}  # fmt: skip

ADDRESS = re.compile(r"0x[0-9a-f]+")


def digest(text: str) -> str:
    """A short digest."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def _fields(cls: type[Any]) -> tuple[tuple[str, object], ...]:
    """The names of the fields of a dataclass, and their defaults."""
    return tuple((f.name, f.default) for f in dataclasses.fields(cls))


class Canonical:
    """Writes one program."""

    def __init__(self, program: Any) -> None:
        self.parts: list[str] = []
        self.counts: Counter[str] = Counter()
        self.variables: dict[int, int] = {}
        self.functions: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.program = program
        self.decls = getattr(program, "decls", {})
        self.function(program.main)
        done = 0
        while done < len(self.functions):  # those that the ones before call
            name = list(self.functions)[done]
            self.node(program.functions[name])
            done += 1

    def text(self) -> str:
        """The program without names."""
        return " ".join(self.parts)

    def function(self, name: str) -> None:
        number = self.functions.setdefault(name, len(self.functions))
        self.parts.append(f"f{number}")

    def write(self, x: Any) -> None:
        """Any part of a program."""
        if isinstance(x, str):
            self.parts.append(repr(x))
        elif isinstance(x, tuple | list):
            self.parts.append("(")
            for part in x:
                self.write(part)
            self.parts.append(")")
        elif isinstance(x, enum.Enum):
            self.parts.append(str(x.value))
        elif dataclasses.is_dataclass(x) and not isinstance(x, type):
            self.node(x)
        elif callable(x):
            self.parts.append(str(getattr(x, "__qualname__", type(x).__name__)))
        else:
            self.parts.append(f"{type(x).__name__}:{ADDRESS.sub('at', repr(x))}")

    def node(self, x: Any) -> None:
        """A node, a variable or a type."""
        cls: Any = type(x)
        name = cls.__name__
        if name == PLACE:
            return
        if name == NAMED:
            self.named(x.name)
            return
        fields = _fields(cls)
        if fields[:1] and fields[0][0] == "name" and fields[-1][0] == "id":
            self.variable(x, fields)
            return
        name = NODES.get(name, name)
        if not cls.__dataclass_params__.eq and name not in OUTLINE:
            self.counts[name] += 1
        self.parts.append(name)
        for key, default in fields:
            value = getattr(x, key)
            if key == "name" and name in UNNAMED:
                continue
            if key == "function" and isinstance(value, str) and value in self.program.functions:
                self.function(value)
            elif value is None or value != default or default is dataclasses.MISSING:
                self.write(value)

    def variable(self, x: Any, fields: tuple[tuple[str, object], ...]) -> None:
        number = self.variables.get(id(x))
        if number is not None:
            self.parts.append(f"v{number}")
            return
        self.variables[id(x)] = number = len(self.variables)
        self.parts.append(f"v{number}:")
        for key, _ in fields[1:-1]:
            self.write(getattr(x, key))
        if getattr(x, "lanes", 1) > 1:
            self.counts["lanes"] += 1

    def named(self, name: str) -> None:
        """A declared type: with its declaration where it appears first."""
        known = name in self.types
        number = self.types.setdefault(name, len(self.types))
        self.parts.append(f"t{number}")
        if not known and name in self.decls:
            self.write(self.decls[name])


# --- LLVM text ------------------------------------------------------------------------------------

DEFINED = re.compile(r'^(?:define\b.*?|(?=@))@("[^"]*"|[\w.$-]+)', re.MULTILINE)
TOKEN = re.compile(
    r'^(?P<define>define\b)|@(?P<global>"[^"]*"|[\w.$-]+)|%(?P<local>"[^"]*"|[\w.$-]+)'
    r'|^(?P<label>"[^"]*"|[\w.$-]+)(?=:)|(?<![\w.])(?P<kind>\d{13,17})(?![\w.])',
    re.MULTILINE,
)


def llvm_text(text: str) -> str:
    """LLVM text in which the functions that it defines, and all that is local, are numbered. The
    numbers of kinds of residual objects, which are digests themselves, are left out."""
    ours = {name: k for k, name in enumerate(dict.fromkeys(DEFINED.findall(text)))}
    local: dict[str, int] = {}

    def numbered(m: re.Match[str]) -> str:
        word = m.group(m.lastgroup or 0)
        match m.lastgroup:
            case "define":
                local.clear()
                return word
            case "global":
                return f"@g{ours[word]}" if word in ours else m.group(0)
            case "local":
                return f"%{local.setdefault(word, len(local))}"
            case "label":
                return str(local.setdefault(word, len(local)))
            case _:
                return "kind"

    return TOKEN.sub(numbered, text)


# --- refusals -------------------------------------------------------------------------------------

SITE = re.compile(r"(?:[^\s'\"]*/)?([\w.<>-]+):\d+:(\d+), in ")


def message_text(text: str) -> str:
    """A message without what differs from machine to machine, and without numbers of lines: the
    line itself stands below."""
    return ADDRESS.sub("at", SITE.sub(r"\1:_:\2, in ", text))
