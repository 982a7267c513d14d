"""``heapq`` as plain Python that the front end compiles (``compiled_text``): the text of the
standard library, so that ties are broken as there. A heap is a list that the user's function has
made."""

from __future__ import annotations

from typing import Any

Heap = list[Any]


def heappush(heap: Heap, item: Any) -> None:
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


def heappop(heap: Heap) -> Any:
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _sift_up(heap, 0)
    return first


def heapreplace(heap: Heap, item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return first


def heappushpop(heap: Heap, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sift_up(heap, 0)
        return first
    return item


def heapify(x: Heap) -> None:
    for i in range(len(x) // 2 - 1, -1, -1):
        _sift_up(x, i)


def nsmallest(n: int, iterable: Any, key: Any = None) -> Heap:
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable: Any, key: Any = None) -> Heap:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _sift_down(heap: Heap, start: int, pos: int) -> None:
    """Move the item at ``pos`` up until its parent is not larger."""
    item = heap[pos]
    while pos > start and item < heap[(pos - 1) >> 1]:
        heap[pos] = heap[(pos - 1) >> 1]
        pos = (pos - 1) >> 1
    heap[pos] = item


def _sift_up(heap: Heap, pos: int) -> None:
    """Move the smaller children up to a leaf, put the item of ``pos`` there, and move it up."""
    end, start, item = len(heap), pos, heap[pos]
    child = 2 * pos + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[pos] = heap[child]
        pos = child
        child = 2 * pos + 1
    heap[pos] = item
    _sift_down(heap, start, pos)
