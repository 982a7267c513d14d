"""Import modules of Pullback by the names that they have before or after a move.

The tests and this tool belong to one revision, the compiler may belong to another one. A module
that does not exist under its name is searched for by its file name, then by ``RENAMED``.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PACKAGE = "pullback"

RENAMED: tuple[tuple[str, str], ...] = (
    ("ad.carried", "ad.loop_residuals"),
    ("ad.few_axes", "ad.broadcast_residuals"),
    ("ad.functions", "ad.function_halves"),
    ("ad.handed", "ad.branch_residuals"),
    ("ad.kept", "ad.min_cut"),
    ("ad.payoff", "ad.cost_model"),
    ("ad.rows", "ad.tape_rows"),
    ("applied", "call.callee"),
    ("boundary", "call.packed"),
    ("call.products", "call.jacobian_products"),
    ("cells", "call.store"),
    ("convert.slots", "convert.unboxed_sums"),
    ("convert.unfold", "convert.unboxing"),
    ("core.calls", "core.call_graph"),
    ("core.nested", "papers.language.terms"),
    ("core.nested_arrays", "papers.language.arrays"),
    ("core.nested_build", "papers.language.build"),
    ("core.nested_check", "papers.language.check"),
    ("core.nested_eval", "papers.language.eval"),
    ("core.nested_linear", "papers.language.linear"),
    ("core.nested_machine", "papers.language.machine"),
    ("core.nested_map", "papers.language.maps"),
    ("core.nested_ops", "papers.language.ops"),
    ("core.nested_pretty", "papers.language.pretty"),
    ("core.nested_prims", "papers.language.prims"),
    ("core.nested_traverse", "papers.language.traverse"),
    ("core.nested_values", "papers.language.values"),
    ("demo.run", "demo.steps"),
    ("entries", "call.fast_calls"),
    ("frontend.array_programs", "frontend.library.text.sorting"),
    ("frontend.bisect_programs", "frontend.library.text.bisection"),
    ("frontend.builtins_calls", "frontend.library.python_builtins"),
    ("frontend.combinator_calls", "frontend.library.combinators"),
    ("frontend.derivatives", "frontend.derivatives.derivative_calls"),
    ("frontend.dummies", "frontend.kinds.undefined"),
    ("frontend.float_calls", "frontend.library.math_texts"),
    ("frontend.float_programs", "frontend.library.text.floats"),
    ("frontend.functions.cells", "frontend.functions.captured_variables"),
    ("frontend.functions.nesting", "frontend.functions.self_capture"),
    ("frontend.heap_programs", "frontend.library.text.heaps"),
    ("frontend.integer_calls", "frontend.library.math_texts"),
    ("frontend.integer_programs", "frontend.library.text.integers"),
    ("frontend.iteration_calls", "frontend.library.consumers"),
    ("frontend.itertools_calls", "frontend.library.itertools_functions"),
    ("frontend.library.numpy.methods", "frontend.library.numpy.array_methods"),
    ("frontend.library.numpy.shape", "frontend.library.numpy.rearrange"),
    ("frontend.linear_programs", "frontend.library.text.linear_algebra"),
    ("frontend.list_calls", "frontend.library.list_methods"),
    ("frontend.math_calls", "frontend.library.math_functions"),
    ("frontend.nested", "frontend.memory.nested_updates"),
    ("frontend.numpy_choice", "frontend.library.numpy.choice"),
    ("frontend.numpy_create", "frontend.library.numpy.create"),
    ("frontend.numpy_elementwise", "frontend.library.numpy.elementwise"),
    ("frontend.numpy_join", "frontend.library.numpy.concatenate"),
    ("frontend.numpy_linalg", "frontend.library.numpy.linalg"),
    ("frontend.numpy_linear", "frontend.library.numpy.products"),
    ("frontend.numpy_methods", "frontend.library.numpy.array_methods"),
    ("frontend.numpy_padding", "frontend.library.numpy.padding"),
    ("frontend.numpy_reduce", "frontend.library.numpy.reduce"),
    ("frontend.numpy_scan", "frontend.library.numpy.scan"),
    ("frontend.numpy_series", "frontend.library.numpy.series"),
    ("frontend.numpy_shape", "frontend.library.numpy.rearrange"),
    ("frontend.numpy_sort", "frontend.library.numpy.sort"),
    ("frontend.numpy_special", "frontend.library.numpy.special_functions"),
    ("frontend.numpy_spectral", "frontend.library.numpy.decompositions"),
    ("frontend.operator_calls", "frontend.library.operator_functions"),
    ("frontend.partial_calls", "frontend.library.partial_application"),
    ("frontend.programs", "frontend.library.compiled_text"),
    ("frontend.series_programs", "frontend.library.text.polynomials"),
    ("frontend.special_programs", "frontend.library.text.special"),
    ("frontend.spectral_programs", "frontend.library.text.spectral"),
    ("frontend.zip_calls", "frontend.library.transposes"),
    ("halves", "call.pullbacks"),
    ("lower.linear", "lower.lapack_calls"),
    ("lower.records", "lower.error_records"),
    ("lower.sequences", "lower.sequential"),
    ("native.absent", "native.builtin_names"),
    ("native.objects", "native.object_cache"),
    ("opt.arms", "opt.control.case_of_case"),
    ("opt.choices", "opt.scalar.if_conversion"),
    ("opt.nest", "opt.arrays.build_flattening"),
    ("opt.ranks", "opt.residuals.residual_flattening"),
    ("opt.residuals", "opt.residuals.residual_elimination"),
    ("opt.steady", "opt.control.constructor_specialisation"),
    ("opt.turns", "opt.residuals.ring_buffers"),
    ("opt.unchanged", "opt.arrays.invariant_loads"),
    ("opt.variants", "opt.control.known_constructor"),
    ("papers.chad_actions", "papers.chad.actions"),
    ("papers.chad_array_ops", "papers.chad.array_ops"),
    ("papers.chad_arrays", "papers.chad.arrays"),
    ("papers.chad_bags", "papers.chad.bags"),
    ("papers.chad_cells", "papers.chad.cells"),
    ("papers.chad_closed", "papers.chad.closed"),
    ("papers.chad_closures", "papers.chad.closures"),
    ("papers.chad_data", "papers.chad.data"),
    ("papers.chad_dense", "papers.chad.dense"),
    ("papers.chad_fold", "papers.chad.fold"),
    ("papers.chad_gather", "papers.chad.gather"),
    ("papers.chad_higher", "papers.chad.higher"),
    ("papers.chad_lists", "papers.chad.lists"),
    ("papers.chad_monadic", "papers.chad.monadic"),
    ("papers.chad_mutable", "papers.chad.mutable"),
    ("papers.chad_naive", "papers.chad.naive"),
    ("papers.chad_operations", "papers.chad.operations"),
    ("papers.chad_parallel", "papers.chad.parallel"),
    ("papers.chad_prims", "papers.chad.prims"),
    ("papers.chad_program", "papers.chad.program"),
    ("papers.chad_scans", "papers.chad.scans"),
    ("papers.chad_span", "papers.chad.span"),
    ("papers.chad_sparse", "papers.chad.sparse"),
    ("papers.chad_types", "papers.chad.types"),
    ("papers.chad_values", "papers.chad.values"),
    ("papers.chad_workers", "papers.chad.workers"),
    ("papers.curry_combinators", "papers.curry.combinators"),
    ("papers.curry_dependent", "papers.curry.dependent"),
    ("papers.curry_environments", "papers.curry.environments"),
    ("papers.curry_run", "papers.curry.run"),
    ("papers.curry_simple", "papers.curry.simple"),
    ("papers.curry_tangents", "papers.curry.tangents"),
    ("papers.curry_translation", "papers.curry.translation"),
    ("papers.delta_arrays", "papers.delta.arrays"),
    ("papers.delta_dense", "papers.delta.dense"),
    ("papers.delta_direct", "papers.delta.direct"),
    ("papers.delta_eval", "papers.delta.eval"),
    ("papers.delta_families", "papers.delta.families"),
    ("papers.delta_fused", "papers.delta.fused"),
    ("papers.delta_fusion", "papers.delta.fusion"),
    ("papers.delta_ground", "papers.delta.ground"),
    ("papers.delta_lazy", "papers.delta.lazy"),
    ("papers.delta_line", "papers.delta.line"),
    ("papers.delta_loops", "papers.delta.loops"),
    ("papers.delta_maps", "papers.delta.maps"),
    ("papers.delta_monadic", "papers.delta.monadic"),
    ("papers.delta_numbers", "papers.delta.numbers"),
    ("papers.delta_over", "papers.delta.over"),
    ("papers.delta_overload", "papers.delta.overload"),
    ("papers.delta_primitives", "papers.delta.primitives"),
    ("papers.delta_rows", "papers.delta.rows"),
    ("papers.delta_show", "papers.delta.show"),
    ("papers.delta_symbolic", "papers.delta.symbolic"),
    ("papers.delta_towers", "papers.delta.towers"),
    ("papers.delta_triples", "papers.delta.triples"),
    ("papers.delta_types", "papers.delta.types"),
    ("papers.delta_vectors", "papers.delta.vectors"),
    ("papers.delta_wrapper", "papers.delta.wrapper"),
    ("papers.delta_zips", "papers.delta.zips"),
    ("papers.dual_arrays", "papers.dual.arrays"),
    ("papers.dual_block", "papers.dual.block"),
    ("papers.dual_calls", "papers.dual.calls"),
    ("papers.dual_cayley", "papers.dual.cayley"),
    ("papers.dual_collector", "papers.dual.collector"),
    ("papers.dual_contrib", "papers.dual.contrib"),
    ("papers.dual_deinterleave", "papers.dual.deinterleave"),
    ("papers.dual_forward", "papers.dual.forward"),
    ("papers.dual_generic", "papers.dual.generic"),
    ("papers.dual_ground", "papers.dual.ground"),
    ("papers.dual_interleave", "papers.dual.interleave"),
    ("papers.dual_late", "papers.dual.late"),
    ("papers.dual_lift", "papers.dual.lift"),
    ("papers.dual_loops", "papers.dual.loops"),
    ("papers.dual_mutable", "papers.dual.mutable"),
    ("papers.dual_naive", "papers.dual.naive"),
    ("papers.dual_rebuild", "papers.dual.rebuild"),
    ("papers.dual_rows", "papers.dual.rows"),
    ("papers.dual_scalars", "papers.dual.scalars"),
    ("papers.dual_staged", "papers.dual.staged"),
    ("papers.dual_tape", "papers.dual.tape"),
    ("papers.dual_types", "papers.dual.types"),
    ("plans", "call.request"),
    ("trees", "call.pytrees"),
)
"""Pairs of names of one module, before and after it was renamed, below ``pullback``."""


class _Known(Loader):
    """Returns a module that is already imported, under one more name."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class Moved(MetaPathFinder):
    """Finds a moved module in the sources ``src``. A folder that ``other``, another source tree,
    has and ``src`` has not is an empty package."""

    def __init__(self, src: Path, other: Path) -> None:
        self.src, self.other = src, other

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the place of a module that the usual finders did not find."""
        if not name.startswith(f"{PACKAGE}."):
            return None
        home = self.elsewhere(name)
        if home is not None:
            return ModuleSpec(name, _Known(importlib.import_module(home)))
        if (self.other / name.replace(".", "/")).is_dir():
            return ModuleSpec(name, None, is_package=True)
        return None

    def elsewhere(self, name: str) -> str | None:
        """Return the name of the only module that may be meant."""
        for pair in RENAMED:
            for one, two in (pair, pair[::-1]):
                if name == f"{PACKAGE}.{one}" and self.file(f"{PACKAGE}.{two}").exists():
                    return f"{PACKAGE}.{two}"
        last = name.rpartition(".")[2]
        files = sorted((self.src / PACKAGE).rglob(f"{last}.py"))
        if len(files) > 1:  # the one in the same top folder, if there is one
            top = name.split(".")[1]
            files = [f for f in files if f.relative_to(self.src).parts[1] == top]
        return module_name(self.src, files[0]) if len(files) == 1 else None

    def file(self, name: str) -> Path:
        """Return the file in which a module would be."""
        return self.src / (name.replace(".", "/") + ".py")


def module_name(src: Path, file: Path) -> str:
    """Return the name by which a file is imported."""
    return ".".join(file.relative_to(src).with_suffix("").parts)


def install(src: Path, other: Path) -> None:
    """Import Pullback from ``src``, also by the names that its modules have in ``other``."""
    sys.path.insert(0, str(src))
    sys.meta_path.append(Moved(src, other))


def locate(src: Path, module: str, name: str) -> object:
    """Return a global: that of the module, or that of the only other module that defines the
    name."""
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        home = Moved(src, src).elsewhere(module)
        if home is not None:
            return getattr(importlib.import_module(home), name)
        texts = {f: f.read_text() for f in (src / PACKAGE).rglob("*.py")}
        for pattern in (rf"^(?:def|class) {name}\b", rf"^{name}\b.*="):
            files = [f for f, text in texts.items() if re.search(pattern, text, re.MULTILINE)]
            if files:
                break
        if len(files) != 1:
            raise LookupError(f"{name} of {module} is in {len(files)} modules") from None
        return getattr(importlib.import_module(module_name(src, files[0])), name)


def replace_everywhere(old: object, new: object) -> None:
    """Replace a global of Pullback in every module that has it."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == PACKAGE:
            for key in [k for k, v in vars(module).items() if v is old]:
                setattr(module, key, new)
