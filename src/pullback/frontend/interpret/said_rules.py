"""``g.defvjp(fwd, bwd)`` and the like, where ``g`` has been made by compiled code too.

Values do not change here, so the name gets the function with its rule. Other names that the
function has had before keep the one without a rule, which cannot be called; for the same reason a
rule is said once, in the block that made the function, or it would be another one for them.
"""

from __future__ import annotations

import ast

from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.values import OperatorV, Static, TupleV, Value
from pullback.frontend.run import Run

SAYING = {"defvjp": "custom_vjp", "defjvp": "custom_jvp", "defjvps": "custom_jvp"}
"""What says a rule, and what has made the function."""


def said(run: Run, call: ast.expr) -> bool:
    """Run a call that says the rule of a function that is a local variable; return whether it is
    one."""
    if not isinstance(call, ast.Call) or function_of(run, call.func) is None:
        return False
    if call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
        run.refuse(call, "a rule that is said by keywords or *args", "give its parts in order")
    _say(run, call.func, tuple(run.evaluate(a) for a in call.args), call)
    return True


def said_of(run: Run, decorator: ast.expr, rule: Value) -> bool:
    """Run ``@g.defjvp``; return whether the decorator is one."""
    if function_of(run, decorator) is None:
        return False
    _say(run, decorator, (rule,), decorator)
    return True


def function_of(run: Run, method: ast.expr) -> OperatorV | None:
    """Return the function with a rule whose method this is."""
    match method:
        case ast.Attribute(ast.Name(name), attr) if attr in SAYING:
            value = run.scope.names.get(name)
            if isinstance(value, OperatorV) and value.name.startswith("custom_"):
                return value
    return None


def _say(run: Run, method: ast.expr, rules: tuple[Value, ...], node: ast.AST) -> None:
    operator = function_of(run, method)
    assert operator is not None and isinstance(operator.function, TupleV)
    assert isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name)
    if len(operator.function.items) > 1:
        run.refuse(node, "a second rule for a function of compiled code", "make another function")
    if SAYING[method.attr] != operator.name:
        run.refuse(
            node, f"{method.attr} of a function of pb.{operator.name}",
            f"make it with pb.{SAYING[method.attr]}", error=ArgumentTypeError,
        )  # fmt: skip
    count = {"defvjp": 2, "defjvp": 1}.get(method.attr)
    if (count is not None and len(rules) != count) or not rules:
        run.refuse(
            node, f"{method.attr} with {len(rules)} functions",
            "write f.defvjp(fwd, bwd), f.defjvp(rule) or f.defjvps(part, ...)",
            error=ArgumentTypeError,
        )  # fmt: skip
    if any(isinstance(r, Static) and r.value is None for r in rules) and count is not None:
        run.refuse(node, f"{method.attr} of None", "give it a function", error=ArgumentTypeError)
    name = "custom_jvps" if method.attr == "defjvps" else operator.name
    functions = TupleV((*operator.function.items, *rules))
    run.scope.names[method.value.id] = OperatorV(name, functions, operator.options)


__all__ = ["function_of", "said", "said_of"]
