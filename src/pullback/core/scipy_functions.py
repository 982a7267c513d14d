"""Where SciPy keeps its special functions of reals (``scipy.special.cython_special``), which
compiled code calls by their addresses: C functions that take a flag of Cython's at the end."""

from __future__ import annotations

from pullback.core.later import Later

PREFIX = "special_"
"""Before the name of a function, among the foreign routines (``core/lapack.py``)."""

ARITIES = {
    **dict.fromkeys(
        ("gamma", "j0", "j1", "y0", "y1", "i0", "i1", "i0e", "i1e", "k0", "k1", "k0e", "k1e",
         "erfcx", "erfi", "dawsn", "expi", "exp1", "wrightomega", "ndtri", "ndtri_exp", "erfinv",
         "erfcinv"), 1),
    **dict.fromkeys(
        ("jv", "yv", "iv", "kv", "ive", "kve", "expn", "owens_t", "ellipkinc", "ellipeinc",
         "gammaincinv", "gammainccinv", "stdtrit", "struve", "modstruve", "hyp0f1",
         "eval_chebyu"), 2),
    **dict.fromkeys(("betaincinv", "hyp1f1", "hyperu", "eval_gegenbauer", "eval_genlaguerre"), 3),
}  # fmt: skip
"""The functions that rows of the table call, each with its number of arguments."""

_functions = Later("scipy.special.cython_special")


def capsule_of(name: str) -> tuple[object, bytes]:
    """Return the capsule of a function, and its signature: that of doubles, of several."""
    wanted = ", ".join(["double"] * ARITIES[name])
    signature = f"double ({wanted}, int __pyx_skip_dispatch)"
    table: dict[str, object] = _functions.__pyx_capi__
    for key in (name, f"__pyx_fuse_0{name}", f"__pyx_fuse_1{name}", f"__pyx_fuse_0_1{name}"):
        if f'"{signature}"' in repr(table.get(key)):
            return table[key], signature.encode()
    raise KeyError(f"SciPy has no {name} of this signature: {signature}")


__all__ = ["ARITIES", "PREFIX", "capsule_of"]
