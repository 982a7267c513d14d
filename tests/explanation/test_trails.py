"""Trails change nothing of what is compiled, and every let of the function's own has one."""

import pytest

from pullback.call.request import Request, What
from pullback.call.specialised import compiling
from pullback.call.stage_programs import traced
from pullback.call.tangents import differentiable
from pullback.core.pretty import show
from pullback.core.trails import Sweep, Trail, following
from pullback.core.traverse import all_lets
from pullback.lower.lower import lower
from pullback.lower.show import show_module
from tests import campaign
from tests.explanation.nasty_programs import CASES

NAMES = campaign.part("values", [n for n in CASES if n not in ("an array", "no reals")], 3)


@pytest.mark.parametrize("name", NAMES)
def test_trails_change_nothing(name: str) -> None:
    f, args = CASES[name]
    request = Request(What.VALUE_AND_GRADIENT, differentiable(args))
    texts = []
    for follow in (True, False):
        with compiling:
            if follow:
                with following():
                    unit, trace = traced(f, args, request)
                    code = lower(unit.program(True))
            else:
                unit, trace = traced(f, args, request)
                code = lower(unit.program(True))
        sites = {let.site for _, p in trace for fn in p.functions.values()
                 for let in all_lets(fn.body)}  # fmt: skip
        assert any(isinstance(s, Trail) for s in sites) == follow
        loop = [line.partition(" line ")[0] for line in show_module(code).splitlines()]
        texts.append([*(show(program) for _, program in trace), "\n".join(loop)])
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", NAMES)
def test_every_let_has_a_trail_at_the_end(name: str) -> None:
    f, args = CASES[name]
    with compiling, following():
        _, trace = traced(f, args, Request(What.VALUE_AND_GRADIENT, differentiable(args)))
    lets = [let for fn in trace[-1][1].functions.values() for let in all_lets(fn.body)]
    assert all(isinstance(let.site, Trail) for let in lets)
    sweeps = {let.site.sweep for let in lets}
    assert Sweep.FORWARD in sweeps
    assert (Sweep.REVERSE in sweeps) == (name not in ("lambda", "script"))  # a constant is a number
