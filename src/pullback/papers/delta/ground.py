"""What the delta translations share (Krawiec et al., Figs. 1 and 16): polytypic functions.

``delta.families`` is the generator, ``delta.maps`` has those of one value (⊗, zeros, primal,
lookup, initVars), ``delta.zips`` those of two (⊕, ⊙). In the paper "δA is a synonym for A": a
gradient has the discrete parts of the primal; outside it has () for them.

>>> structured(((), 2.0), (3, 5.0)), unstructured((3, 2.0))
((3, 2.0), ((), 2.0))
"""

from __future__ import annotations

from pullback.papers.delta.maps import Maps
from pullback.papers.delta.zips import Zips
from pullback.papers.language.values import ConV, Inj, array, map_reals, pair


class Polytypic(Maps, Zips):
    """The polytypic functions."""


def structured(seed: object, value: object) -> object:
    """Return a cotangent with the discrete parts of ``value``: "δA is a synonym for A" (section
    3.1)."""
    match value:
        # δR = R
        case float():
            return seed
        # δK = K, copied from the primal; homomorphic otherwise
        case bool() | int():
            return value
        case list():
            return [structured(s, v) for s, v in zip(array(seed), value, strict=True)]
        case ():
            return ()
        case (a, b):
            s, t = pair(seed)
            return structured(s, a), structured(t, b)
        case Inj(tag, x):
            assert isinstance(seed, Inj)
            return Inj(seed.tag, structured(seed.value, x)) if seed.tag == tag else seed
        case ConV(name, fields):
            assert isinstance(seed, ConV)
            if seed.name != name:
                return seed
            return ConV(name, tuple(map(structured, seed.fields, fields)))
        case _:
            raise TypeError(f"not a first-order value: {value!r}")


def unstructured(gradient: object) -> object:
    """Return a cotangent with () for its discrete parts."""
    return map_reals(lambda r: r, gradient, discrete=True)
