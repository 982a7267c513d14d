"""Write programs as texts that do not depend on names: for digests, and for counts of nodes.

Core and loop code are trees of dataclasses with the same outline: a program has ``functions`` by
name and ``main``; an object with a ``name`` and an ``id`` is a variable or a register; nodes are
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
"""For nodes that were renamed, the old name by the new one, so that digests stay the same."""

PLACE = "Site"
NAMED = "Named"
UNNAMED = {"Function", "LoopFunction", "Variant", "Decl"}  # their names mean nothing
LITERALS = {"Lit", "Imm"}  # compared by value, though 1 == True and 0.0 == -0.0
NOT_COUNTED = {"Let", "Block", "Region", "Function", "LoopFunction", "CaseArm", "Message",
               "Constant", "Leaf", "Applied"}  # fmt: skip

ADDRESS = re.compile(r"0x[0-9a-f]+")
RUN = re.compile(r"'[^'\n]*/pytest-\d+/|(?<=<)(\w+ )\d+(?=>)")
"""Folders and texts in which a test has the number of the run."""


def digest(text: str) -> str:
    """Return a short digest."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclasses.dataclass(frozen=True, slots=True)
class Outline:
    """The form in which a class is written: ``kind`` is one of node, type, variable, named, place,
    sequence, text, enum, other; ``fields`` with their defaults."""

    kind: str
    name: str
    fields: tuple[tuple[str, object], ...] = ()
    counted: bool = False


@cache
def outline(cls: Any) -> Outline:
    """Return the outline of a class."""
    name = NODES.get(cls.__name__, cls.__name__)
    if not dataclasses.is_dataclass(cls):
        kinds = ((str, "text"), (tuple | list, "sequence"), (enum.Enum, "enum"))
        return Outline(next((k for c, k in kinds if issubclass(cls, c)), "other"), name)
    fields = tuple((f.name, f.default) for f in dataclasses.fields(cls))
    if name in UNNAMED:
        fields = tuple(f for f in fields if f[0] != "name")
    elif name == PLACE:
        return Outline("place", name)
    elif name == NAMED:
        return Outline("named", name)
    elif fields and fields[0][0] == "name" and fields[-1][0] == "id":
        return Outline("variable", name, fields[1:-1])
    by_value = "__eq__" in vars(cls)
    kind = "type" if by_value and name not in LITERALS else "node"
    return Outline(kind, name, fields, not by_value and name not in NOT_COUNTED)


class Canonical:
    """Writes one program."""

    def __init__(self, program: Any) -> None:
        self.parts: list[str] = []
        self.counts: Counter[str] = Counter()
        self.variables: dict[int, int] = {}
        self.functions: dict[str, int] = {}
        self.types: dict[Any, int] = {}
        self.declared: dict[str, int] = {}
        self.program = program
        self.decls = getattr(program, "decls", {})
        self.function(program.main)
        done = 0
        while done < len(self.functions):  # those that the ones before call
            name = list(self.functions)[done]
            self.write(program.functions[name])
            done += 1

    def text(self) -> str:
        """Return the program without names."""
        return " ".join(self.parts)

    def function(self, name: str) -> None:
        number = self.functions.setdefault(name, len(self.functions))
        self.parts.append(f"f{number}")

    def write(self, x: Any) -> None:
        """Write any part of a program."""
        form = outline(x.__class__)
        match form.kind:
            case "node":
                self.node(x, form)
            case "variable":
                self.variable(x, form)
            case "type":
                self.type(x, form)
            case "sequence":
                self.parts.append("(")
                for part in x:
                    self.write(part)
                self.parts.append(")")
            case "text":
                self.parts.append(repr(x))
            case "enum":
                self.parts.append(str(x.value))
            case "named":
                self.named(x.name)
            case "other" if callable(x):
                self.parts.append(str(getattr(x, "__qualname__", form.name)))
            case "other":
                self.parts.append(f"{form.name}:{ADDRESS.sub('at', repr(x))}")

    def node(self, x: Any, form: Outline) -> None:
        """Write a node: its name, and the fields that do not have their default."""
        if form.counted:
            self.counts[form.name] += 1
        self.parts.append(form.name)
        for key, default in form.fields:
            value = getattr(x, key)
            if key == "function" and value.__class__ is str and value in self.program.functions:
                self.function(value)
            elif value is not default and not (value.__class__ is str and value == default):
                self.write(value)

    def type(self, x: Any, form: Outline) -> None:
        """Write a type, with its parts where it appears first."""
        number = self.types.get(x)
        if number is None:
            self.types[x] = number = len(self.types)
            self.node(x, form)
        self.parts.append(f"t{number}")

    def variable(self, x: Any, form: Outline) -> None:
        """Write a variable, with its type where it appears first."""
        number = self.variables.get(id(x))
        if number is None:
            self.variables[id(x)] = number = len(self.variables)
            for key, _ in form.fields:
                self.write(getattr(x, key))
            if getattr(x, "lanes", 1) > 1:
                self.counts["lanes"] += 1
        self.parts.append(f"v{number}")

    def named(self, name: str) -> None:
        """Write a declared type, with its declaration where it appears first."""
        known = name in self.declared
        number = self.declared.setdefault(name, len(self.declared))
        self.parts.append(f"n{number}")
        if not known and name in self.decls:
            self.node(self.decls[name], outline(self.decls[name].__class__))


# --- LLVM text ------------------------------------------------------------------------------------

DEFINED = re.compile(r'^(?:define\b.*?|(?=@))@("[^"]*"|[\w.$-]+)', re.MULTILINE)
TOKEN = re.compile(
    r'^(?P<define>define\b)|@(?P<global>"[^"]*"|[\w.$-]+)|%(?P<local>"[^"]*"|[\w.$-]+)'
    r'|^(?P<label>"[^"]*"|[\w.$-]+)(?=:)|(?<![\w.])(?P<kind>\d{13,17})(?![\w.])',
    re.MULTILINE,
)


def llvm_text(text: str) -> str:
    """Return LLVM text in which local names, and functions that it defines, are numbered. The
    numbers that mark residual objects, which are digests themselves, are left out."""
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
    """Return a message without the parts that differ from machine to machine, and without line
    numbers: the line itself stands below."""
    text = RUN.sub(lambda m: "'" if m.group(1) is None else f"{m.group(1)}_", text)
    return ADDRESS.sub("at", SITE.sub(r"\1:_:\2, in ", text))
