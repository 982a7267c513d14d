"""The files of ``pb.export``: an object or a shared library, a header, and callers in C and Python.
Nothing in them needs Python when it runs, but for the caller in Python itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from pullback.call.alone import Alone, alone, error_texts, status_texts
from pullback.call.c_names import RESERVED
from pullback.call.leaving import writing
from pullback.call.request import Request
from pullback.core.frozen import dataclass
from pullback.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError, brief
from pullback.lower.loopcode import Ty
from pullback.native.c_entry import CValue, constant_data
from pullback.native.compile import emit_object

MOST_DATA = 1 << 25
"""How many bytes of arrays from around a function go into an object."""

C_TYPES = {
    Ty.F64: "double", Ty.F32: "float", Ty.I64: "int64_t", Ty.I32: "int32_t", Ty.I1: "uint8_t",
}  # fmt: skip
DTYPES = {Ty.F64: "float64", Ty.F32: "float32", Ty.I64: "int64", Ty.I32: "int32", Ty.I1: "bool"}
EXAMPLES: dict[type, object] = {
    float: 0.0, int: 0, bool: False, np.float64: np.float64(0), np.float32: np.float32(0),
    np.int64: np.int64(0), np.int32: np.int32(0), np.bool_: np.False_,
}  # fmt: skip
"""A value of each type that may stand for one."""


@dataclass(frozen=True, slots=True)
class Files:
    """What was written; ``library`` is None where an object was asked for."""

    object: Path
    library: Path | None
    header: Path
    c_example: Path
    python: Path | None


def exported(
    f: Callable[..., object], types: Sequence[object], name: str, folder: Path, request: Request,
    shared: bool,
) -> Files:  # fmt: skip
    """Write the files of a function, for arguments of these types, into a folder."""
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise ArgumentValueError(
            f"{name!r} is no name of a C function", 'use letters, digits and _: "loss"'
        )
    if name in RESERVED:
        raise ArgumentValueError(
            f"{name!r} is a word of C or Python, or a function of C's library",
            f'take another name: "{name}_of_x"',
        )
    args, given = _examples(types)
    program = alone(f, args, request, given)
    if sum(a.nbytes for a in program.held.values()) > MOST_DATA:
        raise UnsupportedError(
            f"the function reads more than {MOST_DATA >> 20} MiB from around it, which would go "
            "into the object",
            "make that an argument: def loss(x, data)",
        )
    data = "".join(constant_data(s, a.tobytes()) for s, a in program.held.items())
    errors = program.text(name).errors
    texts = error_texts(f"{name}_error", status_texts(errors))
    image, _ = emit_object(program.text(name, data + texts).text, program.thorough)
    with writing():
        return _written(program, name, image, folder, shared)


def _written(program: Alone, name: str, image: bytes, folder: Path, shared: bool) -> Files:
    """Write the files, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = Files(
        folder / f"{name}.o", folder / f"lib{name}.so" if shared else None, folder / f"{name}.h",
        folder / f"{name}_example.c", folder / f"{name}.py" if shared else None,
    )  # fmt: skip
    files.object.write_bytes(image)
    files.header.write_text(_header(program, name))
    files.c_example.write_text(_c_example(program, name))
    if files.library is not None and files.python is not None:
        _link(files.object, files.library)
        files.python.write_text(_python(program, name, files.library.name))
    return files


def _examples(types: Sequence[object]) -> tuple[tuple[object, ...], bool]:
    """Return arguments of these types, and whether all of them were given as values."""
    if not isinstance(types, (tuple, list)):
        raise ArgumentTypeError(
            f"pb.export takes the types of all arguments as a tuple, not {brief(types)}",
            "write (np.zeros(3), float), or (float,) for a single one",
        )
    out = [EXAMPLES.get(t, t) if isinstance(t, type) else t for t in types]
    for t in out:
        if isinstance(t, type):
            raise ArgumentTypeError(
                f"{t.__name__} says too little of an argument",
                "give float, int, bool or a scalar type of NumPy, or an example such as "
                "np.zeros((2, 2))",
            )
    return tuple(out), not any(isinstance(t, type) for t in types)


def _link(made: Path, library: Path) -> None:
    """Make a shared library of an object."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise UnsupportedError(
            "a shared library is linked by a C compiler, and none (cc, gcc, clang) is in the path",
            "install one, or write the object only: pb.export(f, types, name, shared=False)",
        )
    with tempfile.TemporaryDirectory(dir=library.parent) as scratch:  # whole, or not at all
        new = Path(scratch) / library.name
        command = [compiler, "-shared", "-o", str(new), str(made), "-lm"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if run.returncode:
            raise UnsupportedError(f"{compiler} could not link {library.name}: {run.stderr}", "")
        new.replace(library)


# --- the header -----------------------------------------------------------------------------------


def _parameters(program: Alone) -> list[str]:
    """Return the parameters as C declares them."""
    out = []
    for p in program.params:
        ty = C_TYPES[p.ty]
        out.append(f"const {ty} *{p.name}" if p.rank else f"{ty} {p.name}")
        out += [f"int64_t {p.name}_{k}" for k in range(p.rank)]
    for r in program.results:
        out.append(f"{C_TYPES[r.ty]} *{r.name}")
        if r.rank and not r.sized:
            out += [f"int64_t {r.name}_room", f"int64_t *{r.name}_shape"]
    return out


def _about(program: Alone) -> list[str]:
    """Return what the header says of parameters and results."""
    lines = []
    for p in program.params:
        if p.rank:
            extents = ", ".join(f"{p.name}_{k}" for k in range(p.rank))
            lines.append(f"{p.name}: an array in C order with the extents {extents}")
    for r in program.results:
        if r.sized and r.rank:
            lines.append(f"{r.name}: gets as many elements as the argument has")
        elif r.rank:
            lines.append(f"{r.name}: gets at most {r.name}_room elements in C order, and "
                         f"{r.name}_shape[{r.rank}] its extents")  # fmt: skip
        else:
            lines.append(f"{r.name}: gets a number")
    return lines


def _header(program: Alone, name: str) -> str:
    guard = f"PULLBACK_{name.upper()}_H"
    parameters = ",\n    ".join(_parameters(program)) or "void"
    about = "\n".join(f"   {line}" for line in _about(program))
    return f"""#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* Returns 0, or a status that {name}_error explains. Results may be null where they are not
   wanted, and must not overlap the arguments. Several threads may call it at once.

{about} */
int64_t {name}(
    {parameters});

const char *{name}_error(int64_t status);

#ifdef __cplusplus
}}
#endif

#endif
"""


def _c_example(program: Alone, name: str) -> str:
    """A program that calls the function once, with ones, and prints the results."""
    lines, args = [], []
    size: dict[str, str] = {}
    for p in program.params:
        ty = C_TYPES[p.ty]
        if not p.rank:
            args.append("1")
            continue
        size[p.name] = str(3**p.rank)
        ones = ", ".join(["1"] * 3**p.rank)
        lines.append(f"{ty} {p.name}[{size[p.name]}] = {{{ones}}};")
        args += [p.name, *["3"] * p.rank]
    shows = []
    for r in program.results:
        ty, rank = C_TYPES[r.ty], r.rank
        room = str(3**rank if r.sized else 4096) if rank else ""
        lines.append(f"{ty} {r.name}[{room}];" if rank else f"{ty} {r.name};")
        shows.append(f'printf("{r.name}: %g\\n", (double){r.name}{"[0]" if rank else ""});')
        args.append(r.name if rank else f"&{r.name}")
        if rank and not r.sized:
            lines.append(f"int64_t {r.name}_shape[{rank}];")
            args += [room, f"{r.name}_shape"]
    body = "\n    ".join(lines)
    return f"""/* cc {name}_example.c {name}.o -lm -o {name}_example */
#include <stdio.h>
#include "{name}.h"

int main(void) {{
    {body}
    int64_t status = {name}({", ".join(args)});
    if (status) {{
        fprintf(stderr, "%s\\n", {name}_error(status));
        return 1;
    }}
    {chr(10).join(f"    {s}" for s in shows).strip()}
    return 0;
}}
"""


# --- the caller in Python -------------------------------------------------------------------------

_PYTHON = '''"""Calls {name}, which was compiled by Pullback. Needs NumPy, and not Pullback."""

import ctypes
from pathlib import Path

import numpy as np

_library = ctypes.CDLL(str(Path(__file__).with_name("{library}")))
_call, _error = _library.{name}, _library.{name}_error
_call.restype, _error.restype, _error.argtypes = ctypes.c_int64, ctypes.c_char_p, [ctypes.c_int64]


def _check(status):
    if status:
        raise RuntimeError(_error(status).decode())


def _array(value, dtype, rank, name):
    array = np.asarray(value)
    if array.dtype != dtype or array.ndim != rank:
        raise TypeError(f"{{name}} is an array of {{dtype}}, rank {{rank}}, not of "
                        f"{{array.dtype}}, rank {{array.ndim}}")
    return np.require(array, requirements="CA")


def {name}({parameters}{rooms}):
    """{about}"""
    {body}
    return {result}
'''

_C_NUMBERS = {
    Ty.F64: "c_double", Ty.F32: "c_float", Ty.I64: "c_int64", Ty.I32: "c_int32",
    Ty.I1: "c_uint8",
}  # fmt: skip


def _python(program: Alone, name: str, library: str) -> str:
    lines, args, back = [], [], []
    for p in program.params:
        if not p.rank:
            args.append(f"ctypes.{_C_NUMBERS[p.ty]}({p.name})")
            continue
        lines.append(f'{p.name} = _array({p.name}, "{DTYPES[p.ty]}", {p.rank}, "{p.name}")')
        args.append(f"ctypes.c_void_p({p.name}.ctypes.data)")
        args.append(f"*map(ctypes.c_int64, {p.name}.shape)")
    rooms = ""
    for r in program.results:
        if not r.rank:
            lines.append(f"{r.name} = ctypes.{_C_NUMBERS[r.ty]}()")
            args.append(f"ctypes.byref({r.name})")
            back.append(f"bool({r.name}.value)" if r.ty is Ty.I1 else f"{r.name}.value")
        elif r.sized:
            like = r.name.removeprefix("grad_")
            lines.append(f"{r.name} = np.empty_like({like})")
            args.append(f"ctypes.c_void_p({r.name}.ctypes.data)")
            back.append(r.name)
        else:
            back.append(_room(r, lines, args))
            rooms = ", *, room=1 << 16"
    parameters = ", ".join(p.name for p in program.params)
    lines.append(f"_check(_call({', '.join(args)}))")
    about = f"Return {', '.join(r.name for r in program.results) or 'nothing'}."
    if rooms:
        about += " ``room``: for how many elements of a result."
    return _PYTHON.format(
        name=name, library=library, parameters=parameters, rooms=rooms, about=about,
        body="\n    ".join(lines), result=", ".join(back) or "None",
    )  # fmt: skip


def _room(r: CValue, lines: list[str], args: list[str]) -> str:
    """Write the room for an array, and give the expression of what is in it afterwards."""
    lines.append(f'{r.name} = np.empty(room, "{DTYPES[r.ty]}")')
    lines.append(f"{r.name}_shape = np.empty({r.rank}, np.int64)")
    args += [f"ctypes.c_void_p({r.name}.ctypes.data)", "ctypes.c_int64(room)",
             f"ctypes.c_void_p({r.name}_shape.ctypes.data)"]  # fmt: skip
    return f"{r.name}[: {r.name}_shape.prod()].reshape({r.name}_shape)"


__all__ = ["Files", "exported"]
