"""Make abstract values of the Python values in globals, closure cells and defaults.

Numbers and arrays become *hidden arguments*: they are read anew at every call. All other values are
compiled in, each with a *guard*, which says what must still hold for the compiled code to be used
again. A bool is a flag, which is compiled in too (``PythonValues.flag``).
"""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import sys
import types
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Site, Var
from pullback.errors import ArgumentTypeError, MutationError, PullbackError, UnsupportedError
from pullback.frontend.functions import ambient
from pullback.frontend.functions.scopes import Outside, Path, PyScope, Scope
from pullback.frontend.kinds.by_callable import is_foreign
from pullback.frontend.kinds.complex_pairs import of_complex
from pullback.frontend.kinds.flatten import rebuild
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    UnionK,
    leaf_types,
    static_kind,
)
from pullback.frontend.kinds.plain_kinds import CHANGEABLE
from pullback.frontend.kinds.values import (
    CALLS,
    WRITTEN,
    FunctionV,
    OperatorV,
    Owner,
    RecordV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.kinds.wrapped import CAPTURED, held_attributes, is_met
from pullback.frontend.python import dispatching, records
from pullback.frontend.python.exact import refusal
from pullback.frontend.python.frozen_distributions import distribution_in, frozen_kind, parts_of
from pullback.frontend.python.guards import ABSENT, Guard, guards_of, stream_of
from pullback.frontend.python.libraries import is_closed, name_of
from pullback.frontend.python.managed_functions import form_of, is_managed
from pullback.frontend.python.object_classes import is_container_class, is_object_class
from pullback.frontend.python.paths import Namespace, describe_path
from pullback.frontend.python.pytypes import place_of, type_of
from pullback.frontend.python.rewrites import refuse_library
from pullback.frontend.python.source import definition_of
from pullback.frontend.state import Frame, Hidden

if TYPE_CHECKING:
    from pullback.frontend.store.protocol import Store

_TRUSTED_MODULES = ("numpy", "math", "cmath", "builtins", "scipy")
"""Modules whose attributes are known, unless they have been replaced."""

_OWN = ("pullback.frontend.", "pullback.api.", "pullback.compat.")


def is_library(names: dict[str, object]) -> bool:
    """Whether these are the globals of library texts or derived operators: they do not change."""
    return str(names.get("__name__")).startswith(_OWN)


def text_of(function: object) -> FunctionV:
    """Return the text in Python that is compiled in place of a library function."""
    return with_defaults(WRITTEN[function])


def with_defaults(text: types.FunctionType) -> FunctionV:
    """Return a function of the library in plain Python; its defaults are static."""
    known = tuple(map(_default, text.__defaults__ or ()))
    keywords = tuple((n, _default(v)) for n, v in (text.__kwdefaults__ or {}).items())
    return FunctionV(definition_of(text), None, known, keywords)


def _default(value: object) -> Value:
    return TupleV(tuple(map(Static, value))) if isinstance(value, tuple) else Static(value)


@dataclass(frozen=True, slots=True)
class Taken:
    """What the entry has as variables of its own, since the function changes it: objects and cells
    by their ids, and paths. Whoever reads it in another way would see what it was before."""

    objects: frozenset[int]
    cells: frozenset[int]
    paths: frozenset[Path]
    variables: Mapping[Path, str] = field(default_factory=dict)
    """The variables that hold attributes of classes and modules (``attributes_outside``)."""


class PythonValues:
    """The part of a run that deals with Python objects; ``Run`` inherits from it."""

    def __init__(self) -> None:
        self.guards: dict[Path, Guard] = {}
        self.hidden_kinds: dict[Path, Kind] = {}
        self.static_paths: dict[Path, StaticK] = {}
        self.known_flags = True  # otherwise bools are hidden arguments
        self.has_flags = False
        self.taken: Taken | None = None
        self.store: Store | None = None

    @property
    def rows(self) -> Store:
        """The store, in a program that has references."""
        assert self.store is not None
        return self.store

    def within(self, f: FunctionV) -> FunctionV:
        """Return a function as it is called here: with the columns, in a program that has
        references, and with attributes of classes and modules."""
        if self.store is None and (self.taken is None or not self.taken.variables):
            return f
        return ambient.within(self.scope, f)

    def variable_here(self, variable: str, node: ast.AST) -> str:
        """Return the name that an attribute of a class or module has in this frame."""
        found = ambient.names_here(self.scope).get(variable)
        if found is None:
            reason = (
                "an attribute of a class or module that the program assigns, in a function that is "
                "given to a function of a library"
            )
            self.refuse(node, reason, "call the function by its name", error=MutationError)
        return found

    def called(self, f: FunctionV, args: dict[str, Value]) -> tuple[FunctionV, dict[str, Value]]:
        """Return a function that is called here, and what it is told of its arguments."""
        return (self.within(f), {}) if self.store is None else self.store.called(f, args)

    if TYPE_CHECKING:  # the attributes of Run that this part uses

        @property
        def frame(self) -> Frame: ...
        @property
        def scope(self) -> Scope: ...
        origins: dict[Atom, tuple[object, str]]

        def lookup(self, name: str, node: ast.AST) -> Value: ...
        def site(self, node: ast.AST) -> Site: ...
        def refuse(
            self, node: ast.AST, reason: str, rewrite: str = "",
            error: type[PullbackError] | None = None,
        ) -> NoReturn: ...
        def declare_kind(self, kind: Kind) -> None: ...
        def given(self, value: Value, kind: Kind, node: ast.AST) -> Value: ...
        def text_class(self, cls: type) -> type | None: ...
        def texts_within(self, classes: tuple[type, ...]) -> tuple[type, ...]: ...
        def met(self, obj: object, path: Path, node: ast.AST) -> Value: ...

    def hidden(self, path: Path, kind: Kind) -> Value:
        """Return the hidden argument at ``path``, as a parameter of the function that is being
        made."""
        known = self.frame.hidden.get(path)
        if known is None:
            self.declare_kind(kind)
            hint = str(path[-1][-1]) if isinstance(path[-1][-1], str) else "h"
            params = tuple(Var(hint, t) for t in leaf_types(kind))
            own = frozenset({Owner("a global or captured array")}), False
            known = Hidden(path, kind, params, rebuild(kind, iter(params), lambda: own))
            self.frame.hidden[path] = known
            self.hidden_kinds[path] = kind
            if isinstance(kind, ScalarK):
                self.origins[params[0]] = (path, describe_path(path))
        return known.value

    def from_python(self, obj: object, path: Path, node: ast.AST, guarded: bool = True) -> Value:
        """Return the abstract value of the Python object found at ``path``."""
        if path in self.static_paths:
            return Static(self.static_paths[path].value)
        if self.taken is not None:
            variable = self.taken.variables.get(path)
            if variable is not None:
                return self.lookup(self.variable_here(variable, node), node)
            if path in self.taken.paths or id(obj) in self.taken.objects:
                self._refuse_taken(path, node)
        if (stream := stream_of(obj, path)) is not None:
            self.guards |= guards_of(obj, path)
            return Static(stream)
        if not is_container_class(type(obj)) and refusal(obj) is not None:
            self._type_of(obj, path, node)  # it refuses the object
        match obj:
            case _ if is_container_class(type(obj)) or is_met(type(obj)):
                return self._object(obj, path, node, guarded)
            case bool() if self.known_flags:
                return self.flag(obj, path)
            case bool() | int() | float() | complex() | np.generic() | np.ndarray():
                return self._hidden_of(obj, path, node)
            case None | str() | enum.Enum():
                return self._static(obj, path, node, guarded)
            case types.BuiltinFunctionType() | types.FunctionType() | types.MethodType() if (
                obj in WRITTEN
            ):
                self._static(obj, path, node, guarded)
                return text_of(obj)
            case types.FunctionType() if dispatching.is_generic(obj):
                return self.generic(obj, path, node, dispatching.dispatched)
            case types.FunctionType() if is_managed(obj):
                self._guard(path, self._code_of(obj))
                return self.from_python(form_of(obj), (*path, ("managed",)), node, guarded)
            case types.FunctionType() if obj in CALLS or is_closed(obj):  # np.sum, pb.build
                return self._static(obj, path, node, guarded)
            case types.FunctionType():
                return self._function(obj, path, node, guarded)
            case types.MethodType() if obj in CALLS:  # of a distribution of SciPy
                return self._static(obj, path, node, guarded)
            case types.MethodType():
                return self._method(obj, path, node, guarded)
            case list() if not isinstance(self._type_of(obj, path, node), TupleK):
                return self._hidden_of(obj, path, node)
            case dict() if type(obj) is dict:
                keys = tuple(obj)
                self._guard(path, StaticK(("keys", keys), obj))  # always: keys can change
                if not all(map(records.is_key, keys)):
                    reason = f"{describe_path(path)} is a dict with keys of other types"
                    self.refuse(node, reason, "use strings, ints or members of an enum")
                inside = {
                    k: self.from_python(v, (*path, ("key", k)), node, guarded)
                    for k, v in obj.items()
                }
                return RecordV(dict, inside)
            case tuple() if names := _struct_names(obj):
                return RecordV(type(obj), {
                    n: self.from_python(getattr(obj, n), (*path, ("attr", n)), node, guarded)
                    for n in names
                })
            case tuple() | list() if not hasattr(obj, "_fields"):
                is_list = isinstance(obj, list)  # of functions, or empty
                if guarded or is_list:  # a list can change
                    self._guard(path, StaticK((list if is_list else tuple, len(obj)), obj))
                items = [
                    self.from_python(v, (*path, ("item", k)), node, guarded)
                    for k, v in enumerate(obj)
                ]
                return TupleV(tuple(items), is_list, fresh=False)
            case _:
                return self._object(obj, path, node, guarded)

    def _object(self, obj: object, path: Path, node: ast.AST, guarded: bool) -> Value:
        cls = type(obj)
        if isinstance(obj, type):
            known = self._static(obj, path, node, guarded)
            return Static(self.text_class(obj) or obj) if isinstance(obj, Hashable) else known
        if is_object_class(cls):
            self.guards.setdefault(path, Guard(path, StaticK(("class of", cls), obj)))
            return RecordV(cls, {}, outside=Outside(path, obj, type_of))
        if records.is_record_class(cls):
            return self._record(obj, path, node, guarded)
        if isinstance(obj, functools.partial):
            return self.partial(obj, path, node, guarded)
        if (whole := distribution_in(obj)) is not None:
            return self._frozen(whole, obj, path, node)
        if cls in CAPTURED or is_met(cls) or held_attributes(cls) is not None:
            return self.met(obj, path, node)
        operator = getattr(obj, "__pullback_operator__", None)
        if operator is not None:
            name, function, *options = operator
            if guarded:
                self._guard(path, StaticK(("operator", name, tuple(options)), obj))
            inner = self.from_python(function, (*path, ("operator", 1)), node, guarded)
            return OperatorV(name, inner, tuple(options))
        return self._static(obj, path, node, guarded)

    def partial(
        self, obj: functools.partial[object] | functools.partialmethod[object], path: Path,
        node: ast.AST, guarded: bool = True,
    ) -> OperatorV:  # fmt: skip
        if guarded:
            self._guard(path, StaticK(("partial", len(obj.args), tuple(obj.keywords)), obj))
        function = self.from_python(obj.func, (*path, ("attr", "func")), node, guarded)
        args = [
            self.from_python(v, (*path, ("attr", "args"), ("item", k)), node, guarded)
            for k, v in enumerate(obj.args)
        ]
        keywords = {
            n: self.from_python(v, (*path, ("attr", "keywords"), ("key", n)), node, guarded)
            for n, v in obj.keywords.items()
        }
        return OperatorV("partial", function, tuple(keywords), (*args, *keywords.values()))

    def _frozen(self, whole: object, obj: Any, path: Path, node: ast.AST) -> Value:
        """Return a frozen distribution of ``scipy.stats``; its attributes can be assigned."""
        self._guard(path, frozen_kind(obj))
        held = tuple(self.from_python(v, (*path, *p), node) for p, v in parts_of(obj))
        return OperatorV("frozen distribution", Static(whole), tuple(obj.kwds), held)

    def _static(self, obj: object, path: Path, node: ast.AST, guarded: bool) -> Static:
        if guarded or isinstance(obj, CHANGEABLE):
            self._guard(path, static_kind(obj))
        return Static(obj)

    def flag(self, value: bool, path: Path) -> Static:
        """Return a bool from outside as known. It has two values only, and branches ask for it: so
        what follows from it is known too, and a branch that it decides against is not looked at."""
        self.has_flags = True
        self._guard(path, static_kind(value))
        return Static(value)

    def _guard(self, path: Path, kind: StaticK) -> None:
        self.guards[path] = Guard(path, kind)

    def without_own(self, path: Path, name: str) -> None:
        """Note that the object at a path has no attribute of this name, its class may have one."""
        self._guard((*path, ("own", name)), StaticK(ABSENT, None))

    def _type_of(self, obj: object, path: Path, node: ast.AST) -> Kind:
        try:
            return type_of(obj)
        except ArgumentTypeError as e:
            inside = place_of(obj, "") or ""
            self.refuse(node, f"{describe_path(path)}{inside}: {e.reason}", e.rewrite, type(e))

    def _hidden_of(self, obj: object, path: Path, node: ast.AST) -> Value:
        kind = self._type_of(obj, path, node)
        if isinstance(kind, StaticK):
            return self._static(obj, path, node, True)
        return self.hidden(path, kind)

    @staticmethod
    def _code_of(obj: types.FunctionType) -> StaticK:
        return StaticK(("code", obj.__code__, id(obj.__globals__)), obj)

    def _refuse_taken(self, path: Path, node: ast.AST) -> NoReturn:
        reason = (
            f"{describe_path(path)} is changed by the function that is called, and read by another "
            "one or by another name"
        )
        error = MutationError(reason, "pass it as an argument", self.site(node))
        if len(path) == 1 and isinstance(names := path[0][1], Namespace):
            error.captured = str(path[0][2]), names.names  # an attribute of a module all may read
        raise error

    def _function(
        self, obj: types.FunctionType, path: Path, node: ast.AST, guarded: bool
    ) -> FunctionV:
        if guarded and path not in self.guards:  # there may be a guard that asks for more
            self._guard(path, self._code_of(obj))
        count = len(obj.__defaults__ or ())  # from the end on: others may come in front of them
        guarded |= (entry := path == (("function",),))  # its code is guarded, its defaults not
        own = is_library(obj.__globals__)  # whose numbers do not change
        defaults = tuple(
            Static(v) if own and type(v) in (int, float)
            else self.from_python(v, (*path, ("default", k - count)), node, guarded)
            for k, v in enumerate(obj.__defaults__ or ())
        )
        keywords = tuple(
            (name, self.from_python(v, (*path, ("kwdefault", name)), node, guarded))
            for name, v in (obj.__kwdefaults__ or {}).items()
        )
        scope = PyScope(obj, path) if obj.__closure__ or (vars(obj) and not entry) else None
        return FunctionV(definition_of(obj), scope, defaults, keywords)

    def is_function(self, function: types.FunctionType, path: Path) -> None:
        """Note that the function at a path is this one, and no other one with its code."""
        self._guard(path, static_kind(function))

    def generic(
        self, obj: object, path: Path, node: ast.AST, text: Callable[..., object]
    ) -> FunctionV:
        """Return a function of ``singledispatch``, with the functions that are registered now."""
        self._guard(path, static_kind(obj))
        registry, place = dispatching.registry_of(obj, path)
        self._guard(place, StaticK(("keys", tuple(registry)), registry))
        if (found := dispatching.undecided(registry)) is not None:
            cls, a, b = (c.__name__ for c in found)
            reason = f"{name_of(obj)} has a function for {a} and one for {b}, and {cls} is both"
            self.refuse(node, reason, f"register one for {cls}")
        functions = {
            cls: self.from_python(f, (*place, ("key", cls)), node) for cls, f in registry.items()
        }
        order = dispatching.in_order(registry)
        cases = (TupleV((Static(cls), functions[cls])) for cls in order)
        assert isinstance(text, types.FunctionType)
        return FunctionV(
            definition_of(text), None, bound=(TupleV(tuple(cases)), functions[object])
        )

    def _method(
        self, obj: types.MethodType, path: Path, node: ast.AST, guarded: bool
    ) -> FunctionV:
        receiver = self.from_python(obj.__self__, (*path, ("attr", "__self__")), node, guarded)
        f = self.from_python(obj.__func__, (*path, ("attr", "__func__")), node, guarded)
        if not isinstance(f, FunctionV):
            refuse_library(self, obj, node)
        return FunctionV(f.definition, f.scope, f.defaults, f.kw_defaults, (receiver,))

    def _record(self, obj: object, path: Path, node: ast.AST, guarded: bool) -> Value:
        kind = self._type_of(obj, path, node)
        if isinstance(kind, UnionK):
            return self.hidden(path, kind)
        cls = type(obj)
        if guarded:
            self._guard(path, StaticK(("class of", cls), obj))
        fields = {}
        for name in records.field_names(cls):
            part = getattr(obj, name)
            inner = (*path, ("attr", name))
            group = records.mentions_union(records.annotations_of(cls)[name])
            if group is not None:
                assert isinstance(kind, RecordK)
                own = dict(kind.fields)[name]
                known = isinstance(own, StaticK)
                fields[name] = Static(None) if known else self.hidden(inner, own)
            else:
                fields[name] = self.from_python(part, inner, node, guarded)
        return RecordV(cls, fields)

    def cell(self, scope: PyScope, name: str, node: ast.AST) -> Value | None:
        """Return the variable ``name`` that a Python function captured; None if it has no such
        variable."""
        names = scope.function.__code__.co_freevars
        if name not in names:
            return None
        k = names.index(name)
        cells = scope.function.__closure__ or ()
        try:
            content = cells[k].cell_contents
        except ValueError:
            self.refuse(node, f"{name!r} has no value yet", error=UnsupportedError)
        path = (*scope.path, ("cell", k))
        if self.taken is not None and id(cells[k]) in self.taken.cells:
            self._refuse_taken(path, node)
        if content is scope.function:  # a recursive function made inside another one
            self._guard(path, self._code_of(scope.function))
            return self._function(scope.function, scope.path, node, False)
        return self.from_python(content, path, node)

    def global_value(self, names: dict[str, object], name: str, node: ast.AST) -> Value:
        own, value = is_library(names), names[name]
        if own and type(value) in (int, float):
            return Static(value)
        path = (("global", Namespace.of(names), name),)
        return self.from_python(value, path, node, not own)

    def has_no_others(self, place: Outside) -> None:
        """Note that an object has the attributes that it has now in every call."""
        if type(obj := place.value).__dictoffset__ and vars(obj) is not obj:
            keys = StaticK(("keys", tuple(vars(obj))), vars(obj))
            self._guard((*place.path, ("attr", "__dict__")), keys)

    def builtin(self, names: dict[str, object], name: str) -> Value:
        """Return the built-in object of a name, guarded by the condition that no global has the
        name."""
        if names and not is_library(names):
            self._guard((("global", Namespace.of(names), name),), StaticK(ABSENT, None))
        found = getattr(builtins, name)
        if is_foreign(found):
            return self.global_value(vars(builtins), name, ast.Pass())
        return Static(found)

    def imported(self, name: str, module: types.ModuleType, node: ast.AST) -> Static:
        """Return a module that a statement inside the function imports; it is found in
        ``sys.modules``."""
        modules = cast("dict[str, object]", sys.modules)
        path = (("global", Namespace.of(modules), name),)
        return self._static(module, path, node, True)

    def module_attribute(self, module: types.ModuleType, name: str, node: ast.AST) -> Value:
        """Return the value of ``module.name``; the constants of NumPy and the like are literals."""
        obj = getattr(module, name)
        if module.__name__.split(".")[0] in _TRUSTED_MODULES and not is_foreign(obj):
            asked_by = self.frame.definition
            if name in vars(module) and asked_by and not is_library(asked_by.globals):
                path = (("global", Namespace.of(vars(module)), name),)
                self._guard(path, static_kind(obj))
            if isinstance(obj, type):
                return Static(self.text_class(obj) or obj)
            return of_complex(obj) if type(obj) is complex else Static(obj)
        if name not in vars(module):
            reason = f"{module.__name__}.{name} is made by the module's __getattr__ at every look"
            self.refuse(node, reason, f"import it by name: from {module.__name__} import {name}")
        return self.global_value(vars(module), name, node)


def _struct_names(obj: tuple[object, ...]) -> tuple[str, ...]:
    """Return the names of the items of a tuple like ``sys.float_info``; () for other tuples."""
    names: tuple[str, ...] = getattr(type(obj), "__match_args__", ())
    struct = hasattr(type(obj), "n_sequence_fields") and len(names) == len(obj)
    return names if struct else ()


__all__ = ["ArrayK", "Callable", "Hidden", "Iterator", "ListK", "PythonValues", "is_library"]
