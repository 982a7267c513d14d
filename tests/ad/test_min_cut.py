"""Straight-line code keeps enough for its reverse, and no more words than necessary."""

import itertools

import numpy as np
import pytest

from benchmarks import methods
from pullback.ad.min_cut import divide
from pullback.call import driver
from pullback.call.request import Request, What
from pullback.core import translate_state
from pullback.core.build import Builder
from pullback.core.terms import Let, Var, atoms
from pullback.core.traverse import free_variables
from pullback.core.types import F64


@pytest.mark.parametrize("seed", range(60))
def test_the_fewest(seed: int) -> None:
    """Random operations, some of the forward sweep, against all sets of variables."""
    rng = np.random.default_rng(seed)
    ct = Var("ct", F64)
    known = [Var(f"x{k}", F64) for k in range(rng.integers(1, 4))]
    forward, backward = Builder(), Builder()
    everything = list(known)
    for k in range(7):
        b = forward if k < 3 else backward
        args = [everything[i] for i in rng.integers(0, len(everything), rng.integers(1, 3))]
        everything.append(b.prim("add" if len(args) == 2 else "sin", *args))
    read = [everything[i] for i in rng.integers(1, len(everything), 4)]
    results = tuple(backward.prim("mul", v, ct) for v in read)
    cheap = {let.vars[0]: let for let in forward.lets}
    kept = divide(backward, results, {ct}, cheap, lambda v: True)

    defined: dict[Var, Let] = {
        let.vars[0]: let for let in (*forward.lets, *backward.lets) if let.vars[0] in everything
    }

    def enough(stored: tuple[Var, ...]) -> bool:
        def has(v: Var) -> bool:
            if v in stored:
                return True
            args = atoms(defined[v].op) if v in defined else ()
            return bool(args) and all(has(a) for a in args if isinstance(a, Var))

        return all(map(has, read))

    fewest = next(n for n in range(9) if any(map(enough, itertools.combinations(everything, n))))
    assert enough(kept.stored) and len(kept.stored) == fewest
    assert set(free_variables(kept.back)) <= {*kept.stored, ct}
    made = {let.vars[0] for let in kept.front}
    assert {v for v in kept.stored if v not in known and v not in cheap} <= made


@pytest.mark.parametrize(
    ("name", "words"), [("multiplication", 1), ("rotation", 3), ("dot product", 2)]
)
def test_words_of_a_step(name: str, words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values that the reverse needs; the ids of elements of the inputs are known."""
    sizes: list[int] = []
    read = translate_state.Tape.all

    def noted(self: translate_state.Tape, kind: type[int] | type[float]) -> np.ndarray:
        sizes.append(len(self.words))
        return read(self, kind)

    monkeypatch.setattr(translate_state.Tape, "all", noted)
    f, argnums = methods.PROGRAMS[name]
    for n in (10, 20):
        request = Request(What.GRADIENT, argnums, method="dual")
        driver.call(f, methods.inputs(name, n), request, "eval")
    assert sizes[-1] - sizes[0] == 10 * words
