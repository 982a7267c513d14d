"""The reverse of If and Case: the reverse of the arm that was taken, with its residuals.

If all arms but one end in an error, the arm that was taken is certain.
"""

from __future__ import annotations

from pullback.ad.branch_residuals import handed_on
from pullback.ad.frames import Frame, Plan
from pullback.ad.sweep import Cts, Got, Key, Sweep, has_effect, keys_of, leaf_type
from pullback.core.build import Builder, boolean, i64
from pullback.core.effects import fails
from pullback.core.terms import Atom, Block, Case, CaseArm, If, Let, Var
from pullback.core.traverse import refresh
from pullback.core.types import BOOL, Named, Sum, Variant


def branches(
    s: Sweep, f: Frame, let: Let, fields: tuple[tuple[Var, ...], ...],
    bodies: tuple[Block, ...], got: Got, ct: Cts, b: Builder,
) -> None:
    """C{if}, C{case}. The results of each arm are the cotangents of the fields that it matched, if
    they belong to a sum by value, and those of the variables around it that any arm uses."""
    frames, inner, cts = [], [], []
    handed = f.facts.restored.before
    arrays = [(k, handed[v]) for k, v in enumerate(let.vars) if v in handed]
    after = [s.restored(f, let.vars[k], b) for k, _ in arrays]
    back: list[tuple[Atom, ...]] = []
    only = only_arm(bodies)
    for arm, (bound, body) in enumerate(zip(fields, bodies, strict=True)):
        g, gb, gct = f.child(), Builder(), Cts()
        for (k, before), m in zip(arrays, after, strict=True):
            s.now[before] = s.now[_var(body.results[k])] = m
        for v in bound:
            g.fresh(v)
        g.open(body, repeated=True)
        if only in (None, arm):
            _seed_results(s, f, g, let, body, got, gct, gb)
            s.block(g, body, gct, gb)
        back.append(tuple(s.now[before] for _, before in arrays))
        frames.append(g)
        inner.append(gb)
        cts.append(gct)
    own = _fields(s, f, let, fields, frames, cts, inner)
    keys = keys_of(cts)
    around = [key for key in keys if key not in own]
    there = _presence(s, cts, around) if only is None else {}
    truths = list(dict.fromkeys(there.values()))
    blocks = [
        gb.block((
            *(s.leaf(f, gct, key, gb) for key in own + around), *versions,
            *(each[arm] for each in truths),
        ))
        for arm, (gb, gct, versions) in enumerate(zip(inner, cts, back, strict=True))
    ]
    if not keys and not arrays and not any(has_effect(x) for x in blocks):
        return
    outs = tuple(Var("t", leaf_type(f, key)) for key in own + around)
    names = tuple(s.back_at(f, before) for _, before in arrays)
    # if an arm has not updated the array, the version after the branch has its old name inside
    same: list[dict[Var, Atom]] = [
        {v: m for v, m, now in zip(names, after, versions, strict=True) if now is m}
        for versions in back
    ]
    where = tuple(Var("there", BOOL) for _ in truths)
    b.lets.append(Let((*outs, *names, *where), _run(f, let, frames, blocks, same, only)))
    for key, out in zip(around, outs[len(own):], strict=True):
        if key in there:
            s.sums.where[out] = where[truths.index(there[key])]
    for key, out in zip(own, outs, strict=False):
        assert isinstance(let.op, Case)
        s.add(f, ct, let.op.scrutinee, _scrutinee_leaf(f, let.op, fields, key), out, b)
    for (v, k), out in zip(around, outs[len(own):], strict=True):
        s.add(f, ct, v, k, out, b)


def _presence(s: Sweep, cts: list[Cts], keys: list[Key]) -> dict[Key, tuple[Atom, ...]]:
    """Return the leaves that are not always present, with the truth value of each arm."""
    found = {}
    for v, k in keys:
        leaves = [ct[v][k] if v in ct else None for ct in cts]
        truths = tuple(
            boolean(False) if x is None else s.sums.where.get(x, boolean(True)) for x in leaves
        )
        if v in s.curved and any(t != boolean(True) for t in truths):
            found[v, k] = truths
    return found


def _seed_results(
    s: Sweep, f: Frame, g: Frame, let: Let, body: Block, got: Got, gct: Cts, gb: Builder
) -> None:
    for v, r, c in zip(let.vars, body.results, got, strict=True):
        if f.active(v) and g.active(r):
            s.join(g.look(r)[1:], f.look(v)[1:])
            if f.spaces.composite(v.type):
                s.touch(g.look(r))
        for k, leaf in enumerate(c or ()):
            s.add(g, gct, r, k, leaf, gb)


def _run(
    f: Frame, let: Let, frames: list[Frame], blocks: list[Block], same: list[dict[Var, Atom]],
    only: int | None,
) -> If | Case:
    """Return the reverse branch: a case on the residuals, or a branch on the old condition if there
    are none."""
    settled = [g.settle(x) for g, x in zip(frames, blocks, strict=True)]
    arms_keep = [kept for _, kept in settled]
    handed = handed_on(f, let, frames, arms_keep)
    fresh = [
        refresh(x, {**rename, **outside})
        for (x, _), rename, outside in zip(settled, same, handed, strict=True)
    ]
    residuals = tuple(
        tuple(v for v in kept if v not in outside)
        for kept, outside in zip(arms_keep, handed, strict=True)
    )
    plan = Plan(tuple(frames), residuals, only=only)
    f.plans[let] = plan
    if only is not None:
        plan.kept = tuple(f.add("kept", v.type) for v in residuals[only])
        now: dict[Var, Atom] = dict(zip(residuals[only], plan.kept, strict=True))
        return If(boolean(True), refresh(fresh[only], now), fresh[only - 1])
    if any(residuals) or (any(arms_keep) and isinstance(let.op, Case)):
        kinds = tuple(
            Variant(f"b{i}", tuple(v.type for v in rs)) for i, rs in enumerate(residuals)
        )
        plan.kept = (f.add("took", Sum(kinds)),)
        arms = tuple(_arm(rs, x) for rs, x in zip(residuals, fresh, strict=True))
        return Case(plan.kept[0], arms)
    if isinstance(let.op, If):
        return If(f.value(let.op.cond), fresh[0], fresh[1])
    assert isinstance(let.op, Case)
    scrutinee = f.value(let.op.scrutinee)
    variants = f.spaces.forward_variants(scrutinee.type)
    arms = tuple(
        CaseArm(tuple(Var("f", t) for t in variant.fields), x)
        for variant, x in zip(variants, fresh, strict=True)
    )
    return Case(scrutinee, arms)


def only_arm(bodies: tuple[Block, ...]) -> int | None:
    """Return the number of the arm that does not end in an error, if all others do."""
    rest = [k for k, body in enumerate(bodies) if not fails(body)]
    return rest[0] if len(rest) == 1 < len(bodies) else None


def _var(a: Atom) -> Var:
    assert isinstance(a, Var), a
    return a


def _arm(residuals: tuple[Var, ...], block: Block) -> CaseArm:
    fields = tuple(Var(v.name, v.type) for v in residuals)
    rename: dict[Var, Atom] = dict(zip(residuals, fields, strict=True))
    return CaseArm(fields, refresh(block, rename))


def _fields(
    s: Sweep, f: Frame, let: Let, fields: tuple[tuple[Var, ...], ...], frames: list[Frame],
    cts: list[Cts], inner: list[Builder],
) -> list[Key]:
    """Add the cotangents of matched fields to the cells of the node; for a sum by value, return
    their keys."""
    if not isinstance(let.op, Case):
        return []
    boxed = isinstance(let.op.scrutinee.type, Named)
    own: list[Key] = []
    for bound, g, gct, gb in zip(fields, frames, cts, inner, strict=True):
        cell = 0
        for v in bound:
            leaves = gct.get(v)
            for k in range(len(f.spaces.cotangent(v.type))):
                leaf = leaves[k] if leaves is not None else None
                if leaf is not None and boxed:
                    s.accumulate(g.cells(let), (i64(cell),), leaf, gb)
                elif leaf is not None:
                    own.append((v, k))
                cell += 1
            if boxed:
                gct.pop(v, None)
    return own


def _scrutinee_leaf(f: Frame, op: Case, fields: tuple[tuple[Var, ...], ...], key: Key) -> int:
    """Which leaf of the scrutinee's cotangent a leaf of a matched field is."""
    for tag, bound in enumerate(fields):
        if key[0] in bound:
            before = bound[: bound.index(key[0])]
            inside = sum(len(f.spaces.cotangent(w.type)) for w in before)
            return f.spaces.offset(op.scrutinee.type, tag) + inside + key[1]
    raise AssertionError("a field of no arm")
