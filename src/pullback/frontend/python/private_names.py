"""Private names: inside of ``class A``, Python takes ``__x`` for ``_A__x``.

Python mangles identifiers when it compiles a text, wherever they stand: attributes, variables,
parameters, functions and classes that are defined there, imports. Only the names of arguments in a
call stay as they are written. The tree of a text gets the same names.
"""

from __future__ import annotations

import ast

_FIELDS = ("id", "attr", "name", "asname", "arg", "rest")
"""The fields of syntax nodes that hold an identifier."""


def mangled(name: str, cls: str) -> str:
    """Return what Python takes a name for inside of a class.

    >>> mangled("__x", "_Point"), mangled("__init__", "Point"), mangled("__x", "__")
    ('_Point__x', '__init__', '__x')
    """
    plain = cls.lstrip("_")
    private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{plain}{name}" if private and plain else name


def is_written(name: str, node_name: str) -> bool:
    """Whether a name in a tree may be that of a code, which keeps the name as it is written."""
    private = name.startswith("__") and not name.endswith("__")
    return node_name == name or (private and node_name.endswith(name))


def mangle(tree: ast.Module) -> None:
    """Give the tree of a text the names that Python takes the private names in it for."""
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, cls = todo.pop()
        if isinstance(node, ast.ClassDef):
            todo += [(n, cls) for n in (*node.bases, *node.keywords, *node.decorator_list)]
            todo += [(n, node.name) for n in node.body]
        else:
            todo += [(n, cls) for n in ast.iter_child_nodes(node)]
        if cls and not isinstance(node, ast.keyword):
            _mangle(node, cls)


def _mangle(node: ast.AST, cls: str) -> None:
    found = vars(node)
    for field in _FIELDS:
        name = found.get(field)
        if isinstance(name, str):
            found[field] = mangled(name, cls)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        node.names = [mangled(name, cls) for name in node.names]


__all__ = ["is_written", "mangle", "mangled"]
