"""``collections.ChainMap`` as a plain class that the front end compiles like the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pullback.frontend.library.text_helpers import has_missing


class ChainMap:
    """Several dicts that are looked at one after the other; the first one is updated."""

    def __init__(self, *maps: Any) -> None:
        self.maps = list(maps) if maps else [{}]

    def __getitem__(self, key: Any) -> Any:
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
            if has_missing(mapping):
                try:
                    return mapping[key]
                except KeyError:
                    pass
        raise KeyError(key)

    def get(self, key: Any, default: Any = None) -> Any:
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
        return default

    def __contains__(self, key: Any) -> bool:
        return any(key in mapping for mapping in self.maps)

    def _merged(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for mapping in reversed(self.maps):
            found.update(mapping)
        return found

    def __len__(self) -> int:
        return len(self._merged())

    def __bool__(self) -> bool:
        return any(len(mapping) > 0 for mapping in self.maps)

    def __iter__(self) -> Iterator[Any]:
        yield from self._merged()

    def keys(self) -> _Keys:
        return _Keys(self)

    def values(self) -> _Values:
        return _Values(self)

    def items(self) -> _Items:
        return _Items(self)

    def __eq__(self, other: object) -> bool:
        return self._merged() == (other._merged() if isinstance(other, ChainMap) else other)

    __hash__ = None  # type: ignore[assignment]  # as that of a dict

    def __repr__(self) -> str:
        return f"ChainMap({', '.join(map(repr, self.maps))})"

    def __setitem__(self, key: Any, value: Any) -> None:
        self.maps[0][key] = value

    def __delitem__(self, key: Any) -> None:
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def clear(self) -> None:
        self.maps[0].clear()

    def new_child(self, m: Any = None) -> ChainMap:
        return ChainMap({} if m is None else m, *self.maps)

    @property
    def parents(self) -> ChainMap:
        return ChainMap(*self.maps[1:])

    def copy(self) -> ChainMap:
        return ChainMap(self.maps[0].copy(), *self.maps[1:])

    __copy__ = copy


class _View:
    """What is in a ChainMap when it is asked."""

    def __init__(self, chain: ChainMap) -> None:
        self._chain = chain

    def __len__(self) -> int:
        return len(self._chain)


class _Keys(_View):
    def __iter__(self) -> Iterator[Any]:
        yield from self._chain._merged()

    def __contains__(self, key: Any) -> bool:
        return key in self._chain


class _Values(_View):
    def __iter__(self) -> Iterator[Any]:
        yield from self._chain._merged().values()


class _Items(_View):
    def __iter__(self) -> Iterator[Any]:
        yield from self._chain._merged().items()


__all__ = ["ChainMap"]
