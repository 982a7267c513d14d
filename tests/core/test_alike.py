"""Programs that are the same but for names, and what is not cleaned up again because of that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pullback import pipeline
from pullback.core.alike import alike
from pullback.core.build import Builder, lit
from pullback.core.terms import Block, Function, Program, Var
from pullback.core.types import F64
from pullback.pipeline import run_stages


def _program(factor: float, swapped: bool = False) -> Program:
    x, y, b = Var("x", F64), Var("y", F64), Builder()
    z = b.prim("mul", b.prim("add", x, y), lit(factor, F64))
    result = b.prim("sub", z, y if swapped else x)
    f = Function("main", (x, y), Block(tuple(b.lets), (result,)), (F64,))
    return Program({"main": f}, {}, "main")


def test_alike() -> None:
    program = _program(2.0)
    assert alike(program, program)
    assert alike(program, _program(2.0))
    assert not alike(program, _program(3.0))
    assert not alike(program, _program(2.0, swapped=True))
    main = program.functions["main"]
    shorter = replace(main, body=replace(main.body, lets=main.body.lets[:-1]))
    assert not alike(program, replace(program, functions={"main": shorter}))
    assert not alike(_program(0.0), _program(-0.0))
    assert alike(_program(np.nan), _program(np.nan))


def test_what_is_clean_is_not_cleaned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def cleaning(name: str) -> pipeline.Pass:
        def run(program: Program) -> Program:
            seen.append(name)
            return program

        return run

    passes = {name: cleaning(name) for name in ("clean_up", "merge_common", "drop_dead")}
    for name, run in passes.items():
        monkeypatch.setattr(pipeline, name, run)
    monkeypatch.setattr(pipeline, "_CLEANING", tuple(passes.values()))
    kept = [_program(2.0), _program(3.0), _program(3.0)]

    def other(program: Program) -> Program:
        return kept.pop(0)

    stages = [
        pipeline.Stage(name, run, pipeline.FLAT, "")
        for name, run in [
            ("drop", passes["drop_dead"]), ("clean", passes["clean_up"]), ("other", other),
            ("clean again", passes["clean_up"]), ("share", passes["merge_common"]),
            ("other again", other), ("clean after", passes["clean_up"]), ("last", other),
            ("drop last", passes["drop_dead"]),
        ]
    ]  # fmt: skip
    run_stages(_program(2.0), stages, {})
    assert seen == ["drop_dead", "clean_up", "clean_up"]
