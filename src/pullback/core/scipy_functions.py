"""Where SciPy keeps its special functions (``scipy.special.cython_special``), which compiled code
calls by their addresses: C functions of doubles, of whole numbers and of complex numbers.

A function of several results is one for each of them ("airy.1"), one of whole numbers beside one
of real numbers has ".l" at its end ("eval_legendre.l"), and a complex one has two parts
("wofz.re")."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from pullback.core.frozen import dataclass
from pullback.core.later import Later

PREFIX = "special_"
"""Before the name of a function, among the foreign routines (``core/lapack.py``)."""

_TYPES = {"d": "double", "l": "(?:Py_ssize_t|long)", "D": "__pyx_t_double_complex"}


@dataclass(frozen=True, slots=True)
class Kernel:
    """A C function of SciPy's.

    takes      its arguments: "d" a double, "l" a whole number, "D" a complex number
    gives      its result: "d", "D", or one letter for each number that it writes behind a pointer
    part       which of its numbers is asked for; a complex one is two
    slope      whether it is told to give its derivative; None: it is not asked
    wide       whether single precision is computed in double, as native code does: SciPy's own
               loops are less exact there, and some do not end
    """

    name: str
    takes: str
    gives: str = "d"
    part: int = 0
    slope: bool | None = None
    wide: bool = False

    @property
    def arity(self) -> int:
        """The number of its real arguments: a complex number is two."""
        return len(self.takes) + self.takes.count("D")

    @property
    def pointers(self) -> bool:
        return len(self.gives) > 1

    def __call__(self, *numbers: Any) -> Any:
        """Return what SciPy's Python function gives."""
        if self.wide and all(np.asarray(x).dtype == np.float32 for x in numbers):
            return np.float32(self(*(np.asarray(x, np.float64)[()] for x in numbers)))
        rest, args = list(numbers), list[Any]()
        for kind in self.takes:
            x = rest.pop(0)
            if kind == "l":
                x = np.asarray(x).astype(np.int64)[()]
            elif kind == "D":
                z = np.empty(np.shape(x), np.complex128)
                z.real, z.imag = x, rest.pop(0)
                x = z[()]
            args.append(x)
        function = getattr(_special, self.name)
        found = function(*args) if self.slope is None else function(*args, self.slope)
        whole = found if self.pointers else (found,)
        parts = [p for kind, v in zip(self.gives, whole, strict=True)
                 for p in ((v.real, v.imag) if kind == "D" else (v,))]  # fmt: skip
        return parts[self.part]

    def capsule(self) -> tuple[object, bytes]:
        """Return the capsule of the C function, and its signature."""
        types = [_TYPES[k] for k in self.takes]
        if self.pointers:
            types += [rf"{_TYPES[k]} \*" for k in self.gives]
        else:
            types.append("int __pyx_skip_dispatch")
        if self.slope is not None:
            types.append(r"struct \w+ \*__pyx_optional_args")
        result = "void" if self.pointers else _TYPES[self.gives]
        wanted = re.compile(rf'"({result} \({", ".join(types)}\))"')
        table: dict[str, object] = _functions.__pyx_capi__
        for key, capsule in table.items():
            if re.fullmatch(rf"(__pyx_fuse_\d+(_\d+)?)?{self.name}", key):
                found = wanted.search(repr(capsule))
                if found is not None:
                    return capsule, found[1].encode()
        raise KeyError(f"SciPy has no {self.name} of this signature: {wanted.pattern}")


def _several(takes: str, *names: str) -> dict[str, Kernel]:
    return {name: Kernel(name, takes) for name in names}


def _of_whole(takes: str, *names: str) -> dict[str, Kernel]:
    return {f"{name}.l": Kernel(name, takes) for name in names}


def _parts(takes: str, gives: str, *names: str) -> dict[str, Kernel]:
    return {f"{name}.{k}": Kernel(name, takes, gives, k, wide=True)
            for name in names for k in range(len(gives))}  # fmt: skip


def _complex(takes: str, *names: str) -> dict[str, Kernel]:
    return {f"{name}.{p}": Kernel(name, takes, "D", k)
            for name in names for k, p in enumerate(("re", "im"))}  # fmt: skip


def _complex_parts(gives: str, *names: str) -> dict[str, Kernel]:
    return {f"{name}.{k}.{p}": Kernel(name, "D", gives, 2 * k + j)
            for name in names for k in range(len(gives))
            for j, p in enumerate(("re", "im"))}  # fmt: skip


KERNELS: dict[str, Kernel] = {
    **_several(
        "d", "gamma", "j0", "j1", "y0", "y1", "i0", "i1", "i0e", "i1e", "k0", "k1", "k0e", "k1e",
        "erfcx", "erfi", "dawsn", "expi", "exp1", "wrightomega", "ndtri", "ndtri_exp", "erfinv",
        "erfcinv", "ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip", "sindg", "cosdg",
        "tandg", "cotdg", "round", "kolmogorov", "kolmogi", "it2struve0", "itstruve0",
        "itmodstruve0", "zetac",
    ),
    **_several(
        "dd", "jv", "yv", "iv", "kv", "ive", "kve", "jve", "yve", "kn", "yn", "expn", "owens_t",
        "ellipkinc", "ellipeinc", "gammaincinv", "gammainccinv", "stdtrit", "struve", "modstruve",
        "hyp0f1", "eval_chebyt", "eval_chebyu", "eval_chebyc", "eval_chebys", "eval_sh_chebyt",
        "eval_sh_chebyu", "eval_legendre", "eval_sh_legendre", "eval_laguerre", "mathieu_a",
        "mathieu_b", "powm1",
    ),
    **_several(
        "ddd", "betaincinv", "hyp1f1", "hyperu", "eval_gegenbauer", "eval_genlaguerre", "lpmv",
        "besselpoly", "radian",
    ),
    **_several(
        "d", "entr", "gammasgn", "rgamma", "loggamma", "ellipk", "ellipe", "ellipkm1", "exprel",
        "spence", "cosm1", "log_ndtr",
    ),
    **_several(
        "dd", "beta", "betaln", "binom", "gammainc", "gammaincc", "rel_entr", "kl_div", "poch",
        "chdtr", "chdtrc", "chdtri", "pdtr", "pdtrc", "stdtr", "boxcox", "boxcox1p", "inv_boxcox",
        "inv_boxcox1p", "huber", "pseudo_huber", "agm", "pdtri", "pdtrik", "chdtriv", "stdtridf",
        "smirnov", "smirnovi", "tklmbda",
    ),
    **_several(
        "ddd", "betainc", "betaincc", "betainccinv", "gdtr", "gdtrc", "bdtr", "bdtrc", "fdtr",
        "fdtrc", "fdtri", "voigt_profile", "bdtri", "bdtrik", "bdtrin", "btdtria", "btdtrib",
        "chndtr", "chndtridf", "chndtrinc", "chndtrix", "fdtridfd", "gdtria", "gdtrib", "gdtrix",
        "nbdtr", "nbdtrc", "nbdtri", "nbdtrik", "nbdtrin", "nctdtr", "nctdtridf", "nctdtrinc",
        "nctdtrit", "nrdtrimn", "nrdtrisd", "wright_bessel", "log_wright_bessel",
    ),
    **_several("dddd", "ncfdtr", "ncfdtri", "ncfdtridfd", "ncfdtridfn", "ncfdtrinc"),
    **_parts("dd", "dddd", "ellipj"),
    "elliprc": Kernel("elliprc", "dd"),
    **_several("ddd", "elliprd", "elliprf", "elliprg"),
    "elliprj": Kernel("elliprj", "dddd"),
    **_several("dddd", "hyp2f1", "eval_jacobi", "eval_sh_jacobi"),
    **_of_whole(
        "ld", "eval_chebyt", "eval_chebyu", "eval_chebyc", "eval_chebys", "eval_sh_chebyt",
        "eval_sh_chebyu", "eval_legendre", "eval_sh_legendre", "eval_laguerre", "eval_hermite",
        "eval_hermitenorm",
    ),
    **_of_whole("dld", "bdtr", "bdtrc", "bdtri"),  # a real n is warned of
    **_of_whole("lld", "nbdtr", "nbdtrc", "nbdtri"),
    **_of_whole("ldd", "eval_gegenbauer", "eval_genlaguerre"),
    **_of_whole("lddd", "eval_jacobi", "eval_sh_jacobi"),
    **_parts("d", "dddd", "airy", "airye", "itairy"),
    **_parts("d", "dd", "itj0y0", "iti0k0", "it2j0y0", "it2i0k0", "sici", "shichi", "fresnel"),
    **_parts("dd", "dd", "pbdv", "pbvv", "pbwa"),
    **_parts("ddd", "dd", "mathieu_cem", "mathieu_sem", "mathieu_modcem1", "mathieu_modcem2",
             "mathieu_modsem1", "mathieu_modsem2"),
    **{name: Kernel(name, "ddd", wide=True) for name in ("pro_cv", "obl_cv")},
    **_parts("dddd", "dd", "pro_ang1", "pro_rad1", "pro_rad2", "obl_ang1", "obl_rad1", "obl_rad2"),
    **{f"{name}{end}": Kernel(name, "ld", slope=slope)
       for name in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
       for end, slope in (("", False), (".1", True))},
    **_complex("D", "gamma", "rgamma", "loggamma", "psi", "erf", "erfc", "erfi", "erfcx", "dawsn",
               "wofz", "ndtr", "log_ndtr", "exp1", "expi", "wrightomega", "spence"),
    **_complex("dD", "jv", "yv", "iv", "kv", "jve", "yve", "ive", "kve", "hankel1", "hankel2",
               "hankel1e", "hankel2e", "hyp0f1", "eval_chebyt", "eval_chebyu", "eval_chebyc",
               "eval_chebys", "eval_sh_chebyt", "eval_sh_chebyu", "eval_legendre",
               "eval_sh_legendre", "eval_laguerre"),
    **_complex("ddD", "hyp1f1", "eval_gegenbauer", "eval_genlaguerre"),
    **_complex("dddD", "hyp2f1", "eval_jacobi", "eval_sh_jacobi"),
    **_complex_parts("DDDD", "airy", "airye"),
    **_complex_parts("DD", "sici", "shichi", "fresnel"),
}  # fmt: skip
"""The functions that rows of the table call."""

ARITIES = {name: kernel.arity for name, kernel in KERNELS.items()}
"""Each with its number of arguments."""

_functions, _special = Later("scipy.special.cython_special"), Later("scipy.special")


def symbol_of(name: str) -> str:
    """The name of a function in symbols, which have no dots."""
    return name.replace(".", "__")


def capsule_of(symbol: str) -> tuple[object, bytes]:
    """Return the capsule of a function, and its signature."""
    return KERNELS[symbol.replace("__", ".")].capsule()


__all__ = ["ARITIES", "KERNELS", "PREFIX", "Kernel", "capsule_of", "symbol_of"]
