"""Seventy-five faults, each with the row whose claim it breaks: what the rows are worth.

``python -m tests.papers.faults`` plants one after the other in a copy of the sources and runs the
tests of its row, which must fail; ``python -m tests.papers.faults DN-7 KR-2`` those of some rows.
The list was made before the tests were looked at again, away from what had been mended.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.papers.conformance import ROOT, claims


class Fault(NamedTuple):
    """``old`` occurs once in the file below ``papers`` and becomes ``new``: what is wrong then."""

    row: str
    what: str
    file: str
    old: str
    new: str


FAULTS = [Fault(*f) for f in (
    ("DN-1", "an argument of another type than the function's is accepted", "language/check.py",
     "                self.want(arg, f.arg)\n", "                self.infer(arg)\n"),
    ("DN-2", "z * z passes for a linear body", "language/linearity.py",
     "            return (z not in free_vars(a) and in_figure5(b, z)) or (",
     "            return in_figure5(b, z) or ("),
    ("DN-7", "an operation adds 0 to its result", "dual/naive.py",
     "return b.close(Pair(Prim(op, tuple(xs), static), lam(",
     'return b.close(Pair(Prim("add", (Prim(op, tuple(xs), static), Lit(0.0))), lam('),
    ("DN-10", "arrays of functions are accepted as arguments", "methods.py",
     "            case Arr(a):\n                todo.append(a)",
     "            case Arr():\n                pass"),
    ("DN-15", "the call with the lowest ID is resolved first", "language/maps.py",
     "    while m.right:\n        m = m.right\n    return m\n",
     "    while m.left:\n        m = m.left\n    return m\n"),
    ("DN-20", "the backpropagator of a literal goes by an operation's", "dual/staged.py",
     '"-o", "const")))', '"-o", "op")))'),
    ("DN-23", "Deinterleave calls backpropagators itself", "dual/staged.py",
     'op("SCall", Snd(x), z, Var(zero)), "-o"),', 'App(Snd(Snd(x)), z.t), "-o"),'),
    ("DN-25", "the larger of two maps is put into the smaller", "dual/calls.py",
     "if tree.size(small) > tree.size(large):", "if tree.size(small) < tree.size(large):"),
    ("DN-26", "IDs begin with 1", "dual/staged.py", "b = Block(Lit(0))", "b = Block(Lit(1))"),
    ("DN-28", "a rebuilder runs the left half twice", "dual/rebuild.py",
     "self.function_of(lambda g: Pair(App(f1, g), App(f2, g)))",
     "self.function_of(lambda g: Pair(\n                    App(f1, g), Snd(Pair(App(f1, g), "
     "App(f2, g)))))"),
    ("DN-29", "Interleave goes to every scalar from the root", "dual/interleave.py",
     'x, d = b.atom("x", x), b.atom("d", d)\n        match t:',
     'd = b.atom("d", d)\n        match t:'),
    ("DN-30", "a sum of cotangents costs 1", "dual/calls.py",
     '    m.cost += size_of(c)\n    m.count("+_c")', '    m.cost += 1\n    m.count("+_c")'),
    ("DN-34", "the zero of N3 is a sum of two", "dual/cayley.py",
     'op("staged", Pair(op("0_c", Var(arg)), Op(',
     'op("staged", Pair(op("+_c", op("0_c", Var(arg)), op("0_c", Var(arg))), Op('),
    ("DN-40", "the array of calls has one cell too many", "dual/mutable.py",
     'op("alloc", m, Pair(nothing(STAGED)', 'op("alloc", prim("add", m, 1), Pair(nothing(STAGED)'),
    ("DN-41", "the loop stops above ID 0", "dual/mutable.py",
     "start, Build(n, j, Var(j)))", 'start, Build(prim("sub", n, 1), j, Var(j)))'),
    ("DN-45", "dealloc leaves its array alive", "dual/arrays.py",
     'dead.consume("dealloc").clear()', "dead.cells"),
    ("DN-46", "a handle can be used twice", "dual/arrays.py",
     "self.stale = True", "self.stale = False"),
    ("DN-50", "f ∘ g calls f first", "dual/rows.py",
     "return m.call(f, m.call(g, x))", "return m.call(g, m.call(f, x))"),
    ("DN-52", "the tape has the last argument first", "dual/tape.py",
     "xs, t.static)) for k, d in ds]\n        return Pair(Prim",
     "xs, t.static)) for k, d in reversed(ds)]\n        return Pair(Prim"),
    ("DN-55", "Interleave drops the change of a right alternative", "dual/interleave.py",
     '"q", Inr(App(f, Var("q")), cs))', '"q", Inr(Var("q"), cs))'),
    ("KR-2", "⊕ of discrete values takes the right one", "delta/zips.py",
     "return Lit(0.0) if dot else x", "return Lit(0.0) if dot else y"),
    ("KR-16", "K2 adds its terms from the last to the first", "delta/symbolic.py",
     "return scaled(parts, DELTA2)", "return scaled(parts[::-1], DELTA2)"),
    ("KR-20", "a coefficient of 1 makes a Scale", "delta/types.py",
     "terms = [u if isinstance(c, Lit) and c.value == 1.0 else", "terms = [u if c is None else"),
    ("KR-23", "eval leaves what it has visited in the map", "delta/eval.py",
     'rest = op("mdelete", Var(m2), Var(i))', "rest = Var(m2)"),
    ("KR-24", "a dead Let is evaluated at 0", "delta/eval.py",
     'look_up(Var(m2), Var(i)), fresh("_"), Var(m2), y, call(Var(y), Var(u), rest))))',
     'look_up(Var(m2), Var(i)), fresh("_"), call(Lit(0.0), Var(u), Var(m2)),\n'
     "        y, call(Var(y), Var(u), rest))))"),
    ("KR-25", "the first input has ID 2", "delta/wrapper.py",
     "p.thread(s, input_, Lit(0), init_var", "p.thread(s, input_, Lit(1), init_var"),
    ("KR-26", "every addition copies the array", "delta/arrays.py",
     'return op("set", m, i, Inr(', 'return op("set", op("copy", m), i, Inr('),
    ("KR-32", "overloading scales by 1 too", "delta/overload.py",
     "terms = [xs[p.i].delta if p.one else", "terms = [xs[p.i].delta if p.i < 0 else"),
    ("KR-35", "the order rl is the order lr", "delta/loops.py",
     "return [action() for action in reversed(actions)][::-1]",
     "return [action() for action in actions]"),
    ("KR-44", "eval does not scale", "delta/eval.py",
     'call(Prim("mul", (Var(x), Var(y))), Var(u), fm)', "call(Var(x), Var(u), fm)"),
    ("KR-47", "the coefficients of the first output for all", "delta/primitives.py",
     "return [Op(self.partial(j, i), (xs,))", "return [Op(self.partial(0, i), (xs,))"),
    ("KR-55", "the second derivative forgets p' x'", "delta/triples.py",
     "        if slope is not None:\n", "        if slope is None:\n"),
    ("KR-59", "fusion reads the coefficient of the first argument for all", "delta/fusion.py",
     "store.lookup(fm, Lit(k + 1))", "store.lookup(fm, Lit(1))"),
    ("KR-62", "zip takes injections that differ", "dual/forward.py",
     "case Inj(i, a), Inj(j, u) if i == j:", "case Inj(i, a), Inj(_, u):"),
    ("KR-63", "⊙ forgets the second component", "delta/zips.py",
     'Prim("add", (p, q)) if dot else Pair(p, q))', "p if dot else Pair(p, q))"),
    ("CHAD-6", "lcastl of a right alternative is no error", "language/linear.py",
     "                if tag != index:\n", "                if tag > 1:\n"),
    ("CHAD-20", "a scope forgets the cell that it hides", "language/linear.py",
     "                if outer is not None:\n", "                if outer is cells:\n"),
    ("CHAD-27", "the size of an injection is 1", "chad/values.py",
     "                todo.append(x)\n            # size 0",
     "                pass\n            # size 0"),
    ("CHAD-31", "the stack grows by one cell", "chad/mutable.py",
     "self.cells = self.cells + [None] * self.height", "self.cells = self.cells + [None]"),
    ("CHAD-33", "run charges nothing for itself", "language/linear.py",
     "    m.cost += 1 + len(names)\n", "    m.cost += len(names)\n"),
    ("CHAD-34", "lfst of a zero costs what lfst of a pair does", "language/linear.py",
     "            case Zero(Data(_, types)):\n                m.cost += 1\n",
     "            case Zero(Data(_, types)):\n"),
    ("CHAD-35", "a zero of L(R) costs 3", "language/linear.py",
     "m.cost += 2 if t == L_R else 1", "m.cost += 3 if t == L_R else 1"),
    ("CHAD-36", "m >> k evaluates k inside", "chad/actions.py",
     'return let("q", k, lambda q: op("bind", m, lam("_", ONE, lambda _: q)))',
     'return op("bind", m, lam("_", ONE, lambda _: k))'),
    ("CHAD-51", "collect costs a bag twice", "chad/bags.py",
     "    m.cost += bag_size(args[0])\n", "    m.cost += 2 * bag_size(args[0])\n"),
    ("CHAD-54", "both halves of a node get the right cotangent", "chad/fold.py",
     'op("bind", E(Var(go))(op("lfst", v))(Var(left)), lam(',
     'op("bind", E(Var(go))(op("lsnd", v))(Var(left)), lam('),
    ("CHAD-59", "scatter overwrites", "chad/bags.py",
     "out[cast(int, k)] = plus(m, d, out[cast(int, k)])", "out[cast(int, k)] = d"),
    ("CHAD-63", "the rule of gather ignores the indices", "chad/array_ops.py",
     'return pairs(x_, d, lambda j, e: Pair(op("index", xs[1], j), e.t))',
     "return pairs(x_, d, lambda j, e: Pair(j.t, e.t))"),
    ("CHAD-64", "what scatter_set overwrote gets a cotangent", "chad/array_ops.py",
     'prim("lt", writer(i), 0), Pair(i.t, e.t))))', 'prim("ge", i, 0), Pair(i.t, e.t))))'),
    ("CHAD-65", "scan forgets the cotangent of its own element", "chad/scans.py",
     'op("plus", Snd(fd.t), op("lfst", Fst(r.t))),', 'op("lfst", Fst(r.t)),'),
    ("CHAD-67", "transpose does not transpose back", "chad/array_ops.py",
     'Pair(i.t, op("BOne", Pair(j.t, e.t)))', 'Pair(j.t, op("BOne", Pair(i.t, e.t)))'),
    ("CHAD-71", "who loses the race puts his cell in place", "chad/cells.py",
     'found = self._found.setdefault("parts", made)  # one step: nobody comes in between',
     'self._found["parts"] = found = made'),
    ("CHAD-72", "a branch begins at the cells of its trunk", "chad/workers.py",
     "parent.base + len(parent.cells) if parent else 0", "parent.base if parent else 0"),
    ("CHAD-73", "the work of threads is not counted", "chad/workers.py",
     "            m.cost += cost\n", "            m.cost += 0 * cost\n"),
    ("CHAD-74", "any number of additions into a cell takes no time", "chad/span.py",
     "m.cost += self.count.bit_length()", "m.cost += 0"),
    ("CHAD-76", "a gather of one array is not recognised", "chad/gather.py",
     "if not 1 <= len(found) <= 2", "if not len(found) == 2"),
    ("CHAD-78", "a block costs nothing", "chad/bags.py",
     "        m.cost += len(array(args[0]))\n        return ConV(name",
     "        return ConV(name"),
    ("CHAD-94", "a sequence always forks", "chad/parallel.py",
     "len(actions) >= workers.threshold)", "True)"),
    ("DC-9", "a tensor of integers has a tensor of tangents", "curry/tangents.py",
     "return ONE if inner == ONE else Arr(inner)", "return Arr(inner)"),
    ("DC-18", "the environment of a composition is the other way round", "curry/dependent.py",
     "lambda ef, ga: Pair(env(w, Pair(ef.t, eg.t)), ga.t)",
     "lambda ef, ga: Pair(env(w, Pair(eg.t, ef.t)), ga.t)"),
    ("DC-21", "the universal zero wins a sum", "curry/universal_zero.py",
     "        case (AnyZero(), z) | (z, AnyZero()):\n            return z\n",
     "        case (AnyZero(), z) | (z, AnyZero()):\n            return ANY_ZERO\n"),
)]  # fmt: skip

LATER = [Fault(*f) for f in (
    ("CHAD-15", "lsnd is lfst", "language/linear.py",
     'Row("lsnd", sig((lprod(a, b),), b), _part(1)),',
     'Row("lsnd", sig((lprod(a, b),), b), _part(0)),'),
    ("CHAD-26", "a zero before a plus costs one more", "language/linear.py",
     "        case (Zero(), _):\n            return y\n",
     "        case (Zero(), _):\n            m.cost += 1\n            return y\n"),
    ("CHAD-36", "the second component's action comes first", "chad/monadic.py",
     'App(Snd(Fst(a.t)), op("lfst", d)), App(Snd(Snd(a.t)), op("lsnd", d)),',
     'App(Snd(Snd(a.t)), op("lsnd", d)), App(Snd(Fst(a.t)), op("lfst", d)),'),
    ("CHAD-83", "a closure holds its variables the other way round", "closure_conversion.py",
     "return Pack(env, Pair(tuple_(*map(Var, names)), code), whole)",
     "return Pack(env, Pair(tuple_(*map(Var, names[::-1])), code), whole)"),
    ("KR-11", "K1 scales by 1 too", "delta/dense.py",
     "terms = [a if isinstance(c, Lit) and c.value == 1.0 else app(",
     "terms = [a if c is None else app("),
    ("KR-12", "the other component of a one-hot input is itself, not zero", "delta/dense.py",
     "lambda u: put(Pair(u, p.zeros(b, right))), dt, n),",
     "lambda u: put(Pair(u, right)), dt, n),"),
    ("KR-23", "eval goes into the second summand first", "delta/eval.py",
     'call(Var(x), Var(w), call(Var(x), Var(v), fm))',
     'call(Var(x), Var(v), call(Var(x), Var(w), fm))'),
    ("KR-49", "zipWith takes its first array twice", "delta/loops.py",
     "ZipWith(x, y, self.action(body), p, q), b)", "ZipWith(x, y, self.action(body), p, p), b)"),
    ("KR-56", "a literal is its own derivative", "delta/towers.py",
     "return tower(t, self.zero())", "return tower(t, tower(t, self.zero()))"),
    ("DN-33", "SCall forgets what was there", "dual/cayley.py",
     'new = Pair(Snd(d.t), prim("add", a, old))', "new = Pair(Snd(d.t), a.t)"),
    ("DN-50", "an edge adds its partial derivative", "dual/contrib.py",
     'prim("mulz", Fst(Var(e)), Snd(p.t))', 'prim("add", Fst(Var(e)), Snd(p.t))'),
    ("DN-55", "Deinterleave drops the cotangent of a right alternative", "dual/deinterleave.py",
     'z, "p", error(self.target), "q", App(d, Var("q"))))',
     'z, "p", error(self.target), "q", self.zero()))'),
    ("DC-7", "the pullback of proj_i puts g at another place", "curry/tangents.py",
     "g if k == i else zero(", "g if k == n - 1 - i else zero("),
    ("DC-14", "curry gives its environment the other way round", "curry/dependent.py",
     "Pair(cte.t, Fst(ct.t))", "Pair(Fst(ct.t), cte.t)"),
    ("DC-28", "a recursive function forgets the calls inside it", "curry/dependent_sums.py",
     'Op("plus_env", (env(w, Pair(cte.t, ctt.t)), ctf.t))', "env(w, Pair(cte.t, ctt.t))"),
)]  # fmt: skip
"""Fifteen more, made before they were tried: 12 were caught, and then all."""


def plant(fault: Fault, root: Path) -> None:
    """Put the fault into a copy of the sources."""
    path = root / "src" / "pullback" / "papers" / fault.file
    text = path.read_text()
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.row}: {text.count(fault.old)} places in {fault.file}")
    path.write_text(text.replace(fault.old, fault.new))


def caught(fault: Fault) -> bool:
    """Whether the tests of the row fail with the fault in the sources."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("src", "tests", "docs", "benchmarks", "pyproject.toml", "Makefile"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, root / name)
        plant(fault, root)
        files = sorted({place.split(":")[0] for place in claims(root)[fault.row]})
        words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files,
                 "-k", f"[{fault.row}]"]  # fmt: skip
        try:
            done = subprocess.run(
                words, cwd=root, env={**os.environ, "PYTHONPATH": str(root / "src")},
                capture_output=True, text=True, check=False, timeout=300)  # fmt: skip
        except subprocess.TimeoutExpired:  # a fault in a cost that is exponential then
            return True
        return done.returncode == 1 and " failed" in done.stdout


def main(rows: list[str]) -> int:
    """Plant the faults of these rows ("later": the last fifteen), or all, and say which were
    missed."""
    missed = 0
    for fault in (*FAULTS, *LATER):
        if not rows or fault.row in rows or ("later" in rows and fault in LATER):
            found = caught(fault)
            missed += not found
            print(f"{'caught' if found else 'MISSED'}  {fault.row:8} {fault.what}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
