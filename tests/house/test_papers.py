"""Every row of the papers' checklist has a test or a reason, and docs/PAPERS.md says so."""

from tests.papers.conformance import PAGE, Row, claims, complaints, page, read_rows


def test_every_row_has_a_test_or_a_reason() -> None:
    assert complaints(read_rows(), claims()) == []


def test_the_page_is_up_to_date() -> None:
    # python -m tests.papers.conformance writes it anew
    assert PAGE.read_text() == page(read_rows(), claims())


def test_the_checklist_is_whole() -> None:
    ids = [row.id for row in read_rows()]
    for paper, count in {"DN": 74, "KR": 72, "CHAD": 95, "DC": 32, "X": 12}.items():
        assert [i for i in ids if i.rpartition("-")[0] == paper] == [
            f"{paper}-{k}" for k in range(1, count + 1)]


def test_planted_gaps_are_caught() -> None:
    def row(i: str, kind: str = "CORE", state: tuple[str, str] = ("", ""), seen: str = "") -> Row:
        seen = seen or ("–" if state[0] else "=")
        return Row(i, kind, "Fig 1", "a claim", "1", seen, ("papers/methods.py:run",), state)

    assert complaints([row("A-1")], {"A-1": ["tests/a.py:test_a"]}) == []
    assert complaints([row("A-1")], {}) == ["A-1: no test carries the id"]
    assert complaints([row("A-1", state=("open", ""))], {}) == ["A-1: open without a reason"]
    assert complaints([row("A-1", state=("open", "hard"))], {"A-1": ["t.py:t"]}) == [
        "A-1: listed as open, and t.py:t carries the id"]
    assert complaints([row("A-1", state=("note", "prose"))], {}) == ["A-1: a CORE row needs a test"]
    assert complaints([], {"B-2": ["t.py:t"]}) == ["B-2: a test carries an id that is no row"]
