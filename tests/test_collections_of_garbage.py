"""The collector beside compilations: it is on again after each if it was before, and what the user
has frozen stays frozen and is not counted again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from pullback.call import uncollected


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.enable()


def compiled(monkeypatch: pytest.MonkeyPatch, made: int, frozen: int) -> list[str]:
    """Return what is asked of the collector by two compilations."""
    asked: list[str] = []
    monkeypatch.setattr(uncollected, "_made", made)
    for name, result in (("get_freeze_count", frozen), ("freeze", None), ("unfreeze", None)):
        monkeypatch.setattr(gc, name, lambda n=name, r=result: asked.append(n) or r)
    for _ in range(2):
        with uncollected.uncollected():
            assert not gc.isenabled()
        assert gc.isenabled()
    monkeypatch.undo()
    return asked


def test_a_young_process_leaves_its_garbage_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(monkeypatch, 0, 0) == ["get_freeze_count", "freeze", "unfreeze"] * 2


def test_an_old_one_and_one_with_frozen_objects_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(monkeypatch, uncollected.MOST, 0) == []
    assert compiled(monkeypatch, 0, 10**6) == ["get_freeze_count"]


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    with uncollected.uncollected():
        pass
    assert not gc.isenabled()
