"""Shards cover their campaigns, and ``make test-fast`` knows the layers that there are."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import campaign, conftest, durations, fast, test_agreement
from tests.papers import generate, test_bridge

ROOT = Path(__file__).parents[2]


def test_shards_cover_a_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "ASKED", frozenset())
    items, found, names = list(range(70)), set[int](), set[str]()
    seeds, programs, kinds = set[int](), set[int](), set[int]()
    for shard in range(1000, 1400):
        monkeypatch.setattr(campaign, "SHARD", shard)
        some = campaign.part("work", items, 8, core=(3, 5))
        assert {3, 5} <= set(some) and len(some) < 12
        found |= set(some)
        names |= {name for name in map(str, items) if campaign.chosen("cost", name, 4)}
        few = campaign.seeds("random", 2, 3, 60)
        assert few[:2] == [0, 1] and len(set(few)) == 5
        seeds |= set(few)
        kinds |= set(campaign.rotated("edges", "sin", items[:5]))
        moved = [generate.in_shard(seed) for seed in range(generate.LEAST)]
        assert moved[: generate.CORE] == items[: generate.CORE] and len(set(moved)) == len(moved)
        programs |= set(moved)
    assert found == set(items) and names == set(map(str, items))
    assert seeds == set(range(60)) and kinds == set(range(5)) and programs == set(range(2000))


PART_OF = re.compile(r'\bpart\(\s*"(\w+)"')


def test_what_is_taken_in_parts_is_in_its_campaign() -> None:
    """``make campaign-NAME`` runs it in full."""
    paths = (p for p in (ROOT / "tests").rglob("test_*.py") if p != Path(__file__))
    files = {str(p.relative_to(ROOT)): set(PART_OF.findall(p.read_text())) for p in paths}
    missing = [
        (name, file)
        for file, names in files.items()
        for name in names
        if not file.startswith(campaign.NAMES[name][1:])
    ]
    assert missing == [] and len(files) > 300


def test_each_case_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is one of a part that has turns of its own; few cases are always taken."""
    monkeypatch.setattr(campaign, "ASKED", frozenset())
    names, found, runs = [f"test[{k}]" for k in range(60)], set[str](), 3 * campaign.TURNS
    for shard in range(1000, 1000 + runs):
        monkeypatch.setattr(campaign, "SHARD", shard)
        some = campaign.part("values", names, 3, core=())
        taken = campaign.in_turn(some, some)
        assert 0 < len(taken) < len(some)
        found |= {*taken}
        few = names[: campaign.MANY - 1]
        assert campaign.in_turn(few, few) == few
    assert found == {*names}


@pytest.mark.parametrize(("every", "ways"), [(3, 2), (3, 4), (2, 3)])
def test_what_is_taken_in_turns_meets_all_ways(
    every: int, ways: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of its name, which move on with the shard too: the numbers have no common factor.
    """
    monkeypatch.setattr(campaign, "ASKED", frozenset())
    names, found = [f"program {k}" for k in range(30)], set[tuple[str, int]]()
    for shard in range(1000, 1000 + every * ways):
        monkeypatch.setattr(campaign, "SHARD", shard)
        for name in campaign.part("values", names, every, core=()):
            found |= {(name, way) for way in campaign.rotated("values", name, range(ways))}
            if campaign.chosen("values", name, ways):
                found.add((name, ways))
    assert found == {(name, way) for name in names for way in range(ways + 1)}


def test_the_turns_of_a_program_of_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is bridged and counted where its gradient is compiled, and so are its other ways."""
    monkeypatch.setattr(campaign, "ASKED", frozenset())
    for program in test_agreement.corpus()[::20]:
        found: set[str] = set()
        for shard in range(1000, 1000 + len(test_agreement.EVALUATED)):
            monkeypatch.setattr(campaign, "SHARD", shard)
            (way,) = test_agreement.evaluated(program)
            (bridged,) = campaign.rotated("papers", program.name, test_bridge.TURNS)
            counted = campaign.chosen("cost", program.name, 2)
            natively = campaign.chosen("agreement", program.name, test_agreement.EVERY)
            assert bool(way) is counted and (way or not (bridged or natively))
            found |= {way, bridged}
        assert found == {*test_agreement.EVALUATED, *test_bridge.TURNS}


def test_in_full_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "ASKED", frozenset(campaign.NAMES))
    items = list(range(70))
    assert campaign.part("work", items, 8) == campaign.rotated("edges", "sin", items) == items
    assert campaign.seeds("random", 2, 3, 70) == items
    assert all(campaign.chosen("cost", str(k), 4) for k in items)


def test_a_campaign_that_is_not_there_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.campaign", "wrok"], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode and "the campaigns are agreement, cost" in done.stderr


def test_the_tables_name_what_is_there() -> None:
    for _, *tests in campaign.NAMES.values():
        assert all(map(fast.files, tests)), tests
    for home, tests in fast.LAYERS:
        assert (ROOT / home).exists() and all(map(fast.files, tests)), home
    assert all((ROOT / file).exists() for file in durations.table())
    assert all((ROOT / file).exists() for file in conftest.OF_THE_CORPUS)


@pytest.mark.parametrize("layer", [home for home, _ in fast.LAYERS])
def test_a_change_in_a_layer_chooses_its_tests_within_the_budget(layer: str) -> None:
    run, left = fast.choose([f"{layer}/something_new.py"])
    assert len(run) > 5 and sum(map(fast.cost, run)) <= fast.BUDGET
    assert not set(run) & set(left)
    assert set(fast.files("tests/house")) <= set(run)


def test_the_tests_of_a_program_are_one_unit() -> None:
    same = ("tests/test_agreement.py::test_values_agree[{}-3]",
            "tests/test_scaling.py::test_steps_of_the_gradient_scale_as_the_function[{}]",
            "tests/papers/test_bridge.py::test_the_corpus_bridged[functions-{}]")  # fmt: skip
    for name in ("polynomial", "examples/attention", "tables.stacks"):
        assert {conftest.unit(test.format(name)) for test in same} == {f"program {name}"}
    alone = "tests/test_cost.py::test_the_exponent_tells_linear_from_quadratic"
    assert conftest.unit(alone) == "tests/test_cost.py"
