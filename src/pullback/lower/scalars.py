"""Lower scalar primitives, each by its row of the table. Integer arithmetic on affine values stays
scalar."""

from __future__ import annotations

from pullback.core.messages import MOST_WORDS, Limit, Message, Raised
from pullback.core.terms import Prim, Site
from pullback.core.trails import can_point
from pullback.core.types import I64, Type
from pullback.lower.forms import to_leaves
from pullback.lower.loopcode import LANES, Imm, RaiseIf, Reg, Show, Ty, Value
from pullback.lower.powers import power
from pullback.lower.state import Lowering
from pullback.lower.values import ZERO, NotInLanes, Scalar, Val, View, lanes_of, machine

OVERFLOW = "integer result does not fit in 64 bits"


def scalar_prim(lo: Lowering, op: Prim, result: Type, site: Site | None) -> Scalar:
    """Emit the value of a scalar row."""
    args = [lo.scalar(a) for a in op.args]
    ty = machine(result)
    if op.name == "stop_gradient" or (op.name == "flush" and lo.flushing):
        return args[0]
    if op.name in ("to_real", "to_int", "to_bool") and machine(args[0].type) is ty:
        return args[0]
    if op.name.endswith(".ck"):
        return _checked(lo, op.name[:-3], args, result, site)
    if op.name.endswith(".if"):
        cond, *operands, other = map(lo.value, args)
        product = lo.arith(op.name[:-3], ty, *operands)
        return Scalar(result, lo.arith("select", ty, cond, product, other))
    if op.name == "select":
        chosen = _choice(lo, args)
        if chosen is not None:
            return chosen
    if op.name == "pow":
        return Scalar(result, power(lo, lo.value(args[0]), lo.value(args[1])))
    found = _affine(lo, op.name, args, result) if ty is Ty.I64 else None
    if found is not None:
        return found
    value = lo.arith(op.name, ty, *(lo.value(a) for a in args), hint=op.name)
    natural = op.name in ("max", "mod") and ty is Ty.I64 and args[1].natural
    return Scalar(result, value, natural=natural or _stays_natural(op.name, args))


def _choice(lo: Lowering, args: list[Scalar]) -> Scalar | None:
    """The argument that a select chooses, if that is known. A choice from outside the lanes
    between an affine index and a constant (0 where an array is broadcast) is taken to be for the
    index; the lanes test it first."""
    cond = lo.value(args[0])
    if isinstance(cond, Imm):
        return args[1] if cond.value else args[2]
    affine = [a.base is not None for a in args[1:]]
    constant = [isinstance(a.value, Imm) for a in args[1:]]
    if lo.lane is None or not lo.lane.older(cond) or sum(affine) != 1 or not any(constant):
        return None
    wanted = lo.lane.assumed.setdefault(cond, affine[0])
    return args[1] if wanted else args[2]


def _stays_natural(name: str, args: list[Scalar]) -> bool:
    """A loop index plus a small literal is natural (it would take centuries to overflow)."""
    match name, args:
        case "add", [Scalar(bound=reach), Scalar(value=Imm(n))] if reach is not None:
            return 0 <= n < 2**31
        case "add", [Scalar(value=Imm(n)), Scalar(bound=reach)] if reach is not None:
            return 0 <= n < 2**31
        case _:
            return False


def _affine(lo: Lowering, name: str, args: list[Scalar], result: Type) -> Scalar | None:
    """Sums and multiples of affine values, if one of the arguments is one."""
    if name not in ("add", "sub", "mul") or not any(a.base is not None for a in args):
        return None
    if any(a.base is None and lanes_of(lo.value(a)) > 1 for a in args):
        return None
    a, b = args
    (base1, step1), (base2, step2) = (
        (x.base, x.step) if x.base and x.step else (lo.value(x), ZERO) for x in (a, b)
    )
    natural = _stays_natural(name, args)
    if name in ("add", "sub"):
        base = lo.arith(name, Ty.I64, base1, base2)
        step = lo.arith(name, Ty.I64, step1, step2)
        if step == ZERO:
            return Scalar(result, base)
        return Scalar(result, None, base=base, step=step, natural=natural)
    if step1 != ZERO and step2 != ZERO:
        return None
    step = lo.mul(base1, step2) if step1 == ZERO else lo.mul(step1, base2)
    return Scalar(result, None, base=lo.mul(base1, base2), step=step)


def _checked(
    lo: Lowering, name: str, args: list[Scalar], result: Type, site: Site | None
) -> Scalar:
    """Python's integer arithmetic: OverflowError beyond 64 bits."""
    flag = name + ".ovf"
    natural = name in ("add", "mul") and all(a.natural for a in args)
    found = _affine(lo, name, args, result)
    if found is not None and found.base is not None and lo.mask() is None:
        # the first and the last lane are the extremes
        for lane in (ZERO, Imm(LANES - 1, Ty.I64)):
            ends = [_at_lane(lo, a, lane) for a in args]
            _raise(lo, lo.arith(flag, Ty.I1, *ends), site)
        return Scalar(result, None, base=found.base, step=found.step, natural=natural)
    values = [lo.value(a) for a in args]
    if all(isinstance(v, Imm) for v in values):
        known = lo.arith(name, Ty.I64, *values)
        if isinstance(known, Imm):
            return Scalar(result, known, natural=known.value >= 0)
    _raise(lo, lo.arith(flag, Ty.I1, *values), site)
    return Scalar(result, lo.arith(name, Ty.I64, *values), natural=natural)


def _at_lane(lo: Lowering, a: Scalar, lane: Value) -> Value:
    if a.base is not None and a.step is not None:
        return lo.add(a.base, lo.mul(a.step, lane))
    return lo.value(a)


def _raise(lo: Lowering, flag: Value, site: Site | None) -> None:
    # without a site: a hoisted check
    raise_if(lo, flag, Limit("OverflowError"), OVERFLOW, site, early=not can_point(site))


def raise_if(
    lo: Lowering, bad: Value, kind: Raised, message: str | Message, site: Site | None,
    early: bool = False,
) -> None:  # fmt: skip
    """Raise where ``bad`` holds in any lane that runs this code."""
    mask = lo.mask()
    if mask is not None and lanes_of(bad) == LANES:
        bad = lo.test("and", bad, mask.lanes)
    bad = lo.any_lane(bad)
    if not (isinstance(bad, Imm) and not bad.value):
        lo.emit(RaiseIf(bad, kind, message, site, early=early))


def require(lo: Lowering, op: Prim, site: Site | None) -> None:
    """Raise the exception named by ``op`` unless its argument holds."""
    kind, message = op.static
    assert isinstance(kind, (str, type)) and isinstance(message, (str, Message))
    holds = lo.value(lo.scalar(op.args[0]))
    bad = lo.negate(holds)
    shown = [lo.atom(a) for a in op.args[1:]]
    if shown and lanes_of(bad) == 1 and lo.mask() is None and all(map(_is_uniform, shown)):
        values = tuple(x for v in shown for x in to_leaves(lo, v))
        if len(values) <= MOST_WORDS:
            types = tuple(a.type for a in op.args[1:])
            lo.emit(RaiseIf(bad, kind, message, site, values, types))
            lo.know(holds)
            return
    if shown or isinstance(message, str):
        message = str(message).replace("{", "{{").replace("}", "}}")
    raise_if(lo, bad, kind, message, site, op.name == "require.early")
    lo.know(holds)


def show(lo: Lowering, op: Prim) -> list[Val]:
    """Call Python with values; not in lanes, since it is called once for each iteration."""
    if lo.lane is not None:
        raise NotInLanes("it calls Python")
    (message,) = op.static
    assert isinstance(message, Message)
    values = tuple(x for a in op.args for x in to_leaves(lo, lo.atom(a)))
    dst = Reg("held", Ty.I64) if message.gives else None
    lo.emit(Show(message, values, tuple(a.type for a in op.args), dst))
    return [] if dst is None else [Scalar(I64, dst)]


def _is_uniform(v: Val) -> bool:
    """Whether a value is the same in all lanes."""
    match v:
        case Scalar(_, value):
            return value is not None and lanes_of(value) == 1
        case View():
            return v.uniform
        case _:
            return False
