"""Where a method's source language ends, and which section of its paper is missing there.

>>> from pullback.papers.language.terms import R, Var
>>> lacking(Lam("x", R, Var("x")))
'functions as values'
>>> print(missing("chad.naive", "functions as values"))
section 9 (chad.higher) and appendix B (chad.closures) have functions as values
"""

from __future__ import annotations

from pullback.papers.language.terms import (
    App,
    Build,
    Con,
    Fold,
    Foldl,
    Lam,
    LetRec,
    Map,
    Match,
    Op,
    Scan,
    Term,
    TyApp,
    TyLam,
    ZipWith,
)

CHAD = {
    "functions as values": "section 9 (chad.higher) and appendix B (chad.closures) have {}",
    "recursion": "Efficient CHAD has no {}; chad.closures has, where appendix B would have it",
    "declared types": "Efficient CHAD has no {}; chad.monadic and chad.closures have (derived)",
    "arrays and loops": "section 7 (chad.monadic, chad.mutable, chad.closures) has {}",
    "polymorphic functions": "Efficient CHAD has no {}",
}
CURRY = {
    "arrays and loops": "The Differentiable Curry has tensors (Fig. 6), and no {}",
    "polymorphic functions": "the language of The Differentiable Curry is simply typed (Fig. 1)",
}
DELTA = {"polymorphic functions": "pairs of vectors (section 8.3) depend on the type: no {}"}
SECTIONS = {"chad": CHAD, "curry": CURRY, "delta": DELTA}


def lacking(t: Term) -> str:
    """Return the feature that a language lacks if it has not this construct; "" if that says
    nothing."""
    match t:
        case Lam() | App():
            return "functions as values"
        case LetRec():
            return "recursion"
        case Con() | Match():
            return "declared types"
        case Build() | Map() | ZipWith() | Fold() | Scan() | Foldl() | Op():
            return "arrays and loops"
        case TyLam() | TyApp():
            return "polymorphic functions"
        case _:
            return ""


def missing(method: str, what: str) -> str:
    """Return the section that has what the method lacks, or that leaves it out; "" if none is
    known."""
    return SECTIONS.get(method.split(".")[0], {}).get(what, "").format(what)
