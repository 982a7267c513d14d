"""The part of the runtime for lists of Python numbers: it reads them into an arena, and makes them.

In a call with short lists, making float objects costs more than all else. So the floats of such
lists are also held in a ring. When the ring comes round to a float to which only the ring refers,
it is given out again with another number, as CPython does with the tuples of ``zip``.
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.lower.loopcode import Ty
from pullback.native.builder import Code, increment
from pullback.native.layout import Field
from pullback.native.pyabi import FLOAT_VALUE, LIST_ITEMS, OB_TYPE, TUPLE_SIZE
from pullback.native.text import SIZE, memory_type

LIST_TYPES = (Ty.F64, Ty.I64, Ty.I1)

RING = 2048
"""The number of floats in the ring; lists longer than half of it do not use it."""

UNROLLED = 4
"""The number of items that are read or made in one round of a loop."""

READ, OTHER, FULL = 0, 1, 2
"""The results of reading a list: it was read, an item is of another type, there is no memory
left."""

LIST_FUNCTIONS = {
    **{f"pb_read_list_{ty.value}": ("i32", "ptr, ptr, ptr") for ty in LIST_TYPES},
    **{f"pb_make_list_{ty.value}": ("ptr", "ptr, i64, i64") for ty in LIST_TYPES},
    "pb_floats": ("i1", "ptr, ptr, i64, i64"),
    "pb_reals": ("i1", "ptr, i64, ptr"),
}
"""The result and parameter types of the functions that entry points call. (``DECLARED`` has the
other declarations that these functions need.)"""

DECLARED = f"""
@pb_ring = internal global [{RING} x ptr] zeroinitializer
@pb_ring_next = internal global i64 0
@pb_ring_filled = internal global i64 0
declare ptr @PyList_New(i64)
declare ptr @PyFloat_FromDouble(double)
declare void @PyErr_Clear()
declare ptr @PyLong_FromLongLong(i64)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
@pb_float = external global i8
@pb_int = external global i8
@pb_true = external global i8
@pb_false = external global i8
"""


def _read(ty: Ty) -> str:
    """Write the function that copies the items of a list into the residual arena; ``%out`` gets
    address, extent and stride."""
    c = Code()
    n = c.load("i64", "%obj", TUPLE_SIZE)
    items = c.load("ptr", "%obj", LIST_ITEMS)
    up = c.add(c.load("i64", "%ctx", 8 * Field.RESID_CUR), 63)
    start = c.let(f"and i64 {up}, -64")
    end = c.add(start, c.mul(n, SIZE[ty]))
    limit = c.load("i64", "%ctx", 8 * Field.RESID_END)
    with c.when(c.let(f"icmp ugt i64 {end}, {limit}")):
        grown = c.call("i32", "pb_grow", "ptr %ctx", f"i64 {8 * Field.RESID_END}", f"i64 {end}")
        c.need(c.same(grown, "0", "i32"), "full")
    c.store("i64", end, "%ctx", 8 * Field.RESID_CUR)
    to = c.let(f"inttoptr i64 {start} to ptr")
    if ty is Ty.F64:
        c.need(c.call("i1", "pb_reals", f"ptr {items}", f"i64 {n}", f"ptr {to}"), "other")
    else:
        over = c.slot("i32")
        with c.counting(n) as i:
            item = c.load("ptr", items, c.mul(i, 8))
            c.store(memory_type(ty), _number(c, ty, item, over), to, c.mul(i, SIZE[ty]))
    for k, word in enumerate((start, n, "1")):
        c.store("i64", word, "%out", 8 * k)
    c.line(f"ret i32 {READ}")
    for label, status in (("other", OTHER), ("full", FULL)):
        c.block(label)
        c.line(f"ret i32 {status}")
    return c.function(f"define i32 @pb_read_list_{ty.value}(ptr %ctx, ptr %obj, ptr %out)")


def _number(c: Code, ty: Ty, item: str, over: str) -> str:
    if ty is Ty.I1:
        yes, no = c.same(item, "@pb_true"), c.same(item, "@pb_false")
        c.need(c.let(f"or i1 {yes}, {no}"), "other")
        return c.let(f"zext i1 {yes} to i8")
    c.need(c.same(c.load("ptr", item, OB_TYPE), "@pb_int"), "other")
    value = c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {item}", f"ptr {over}")
    c.need(c.same(c.load("i32", over), "0", "i32"), "other")
    return value


def _make(ty: Ty) -> str:
    """Write the function that makes a list of so many numbers; null if there is no memory left (an
    exception is set)."""
    c = Code()
    out = c.call("ptr", "PyList_New", "i64 %n")
    c.need(c.let(f"icmp ne ptr {out}, null"), "none")
    items = c.load("ptr", out, LIST_ITEMS)
    if ty is Ty.F64:
        made = c.call("i1", "pb_floats", f"ptr {items}", "ptr %data", "i64 %n", "i64 %stride")
        c.need(made, "drop")
    else:
        step = c.mul("%stride", SIZE[ty])
        with c.counting("%n") as i:
            value = c.load(memory_type(ty), "%data", c.mul(i, step))
            if ty is Ty.I1:
                yes = c.let(f"icmp ne i8 {value}, 0")
                item = increment(c, c.let(f"select i1 {yes}, ptr @pb_true, ptr @pb_false"))
            else:
                item = c.call("ptr", "PyLong_FromLongLong", f"i64 {value}")
            c.need(c.let(f"icmp ne ptr {item}, null"), "drop")
            c.store("ptr", item, items, c.mul(i, 8))
    c.line(f"ret ptr {out}")
    c.block("drop")
    c.call("void", "Py_DecRef", f"ptr {out}")
    c.jump("none")
    c.block("none")
    c.line("ret ptr null")
    return c.function(f"define ptr @pb_make_list_{ty.value}(ptr %data, i64 %n, i64 %stride)")


def _reals() -> str:
    """Write the function that reads the numbers of so many Python floats; false if one of them is
    no float."""
    c = Code()

    def one(i: str) -> None:
        item = c.load("ptr", "%items", c.mul(i, 8))
        c.need(c.same(c.load("ptr", item, OB_TYPE), "@pb_float"), "other")
        c.store("double", c.load("double", item, FLOAT_VALUE), "%to", c.mul(i, 8))

    _unrolled(c, one)
    c.line("ret i1 true")
    c.block("other")
    c.line("ret i1 false")
    return c.function("define i1 @pb_reals(ptr %items, i64 %n, ptr %to)")


def _unrolled(c: Code, one: Callable[[str], None]) -> None:
    """Write code for each index below ``%n``, several in one round of the loop."""
    i = c.var("i64", "0")
    with c.loop(lambda: c.let(f"icmp sle i64 {c.add(c.load('i64', i), UNROLLED)}, %n")):
        index = c.load("i64", i)
        for k in range(UNROLLED):
            one(c.add(index, k))
        c.store("i64", c.add(index, UNROLLED), i)
    with c.loop(lambda: c.let(f"icmp slt i64 {c.load('i64', i)}, %n")):
        index = c.load("i64", i)
        one(index)
        c.store("i64", c.add(index, 1), i)


def _floats() -> str:
    """Write the function that puts so many new floats into the places of a list or tuple; false if
    no memory is left. It cannot run the user's code, so nobody else takes floats from the ring
    meanwhile."""
    c = Code()
    plain = "tail call i1 @pb_new_floats(ptr %items, ptr %data, i64 %n, i64 %stride)"
    c.need(c.let(f"icmp ult i64 {c.add('%n', -1)}, {RING // 2}"), "plain")  # also if n is 0
    c.need(c.same("%stride", "1", "i64"), "plain")
    start = _window(c)
    end, filled = c.add(start, "%n"), c.load("i64", "@pb_ring_filled")
    with c.when(c.let(f"icmp ugt i64 {end}, {filled}")):
        c.need(c.let(f"call preserve_mostcc i1 @pb_ring_fill(i64 {end})"), "plain")
    ring = c.at("@pb_ring", c.mul(start, 8))
    c.need(c.same(c.load("i64", c.load("ptr", ring)), "1", "i64"), "busy")

    def one(i: str) -> None:
        place = c.at(ring, c.mul(i, 8))
        value = c.load("double", "%data", c.mul(i, 8))
        held = c.load("ptr", place)

        def again() -> str:
            c.store("i64", "2", held)
            c.store("double", value, held, FLOAT_VALUE)
            return held

        def other() -> str:
            made = c.let(f"call preserve_mostcc ptr @pb_ring_float(ptr {place}, double {value})")
            c.need(c.let(f"icmp ne ptr {made}, null"), "none")
            return made

        item = c.choose(c.same(c.load("i64", held), "1", "i64"), again, other, "ptr")
        c.store("ptr", item, "%items", c.mul(i, 8))

    _unrolled(c, one)
    c.line("ret i1 true")
    c.block("plain")
    c.line(f"%all = {plain}")
    c.line("ret i1 %all")
    c.block("busy")
    renewed = c.let(f"tail call i1 @pb_ring_renew(ptr %items, ptr %data, i64 %n, ptr {ring})")
    c.line(f"ret i1 {renewed}")
    c.block("none")
    c.line("ret i1 false")
    return c.function("define i1 @pb_floats(ptr %items, ptr %data, i64 %n, i64 %stride)")


def _new_floats() -> str:
    """Write the function that does so without the ring."""
    c = Code()
    step = c.mul("%stride", 8)
    with c.counting("%n") as i:
        value = c.load("double", "%data", c.mul(i, step))
        made = c.call("ptr", "PyFloat_FromDouble", f"double {value}")
        c.need(c.let(f"icmp ne ptr {made}, null"), "none")
        c.store("ptr", made, "%items", c.mul(i, 8))
    c.line("ret i1 true")
    c.block("none")
    c.line("ret i1 false")
    words = "ptr %items, ptr %data, i64 %n, i64 %stride"
    return c.function(f"define internal i1 @pb_new_floats({words}) noinline")


def _window(c: Code) -> str:
    """Return where the next ``%n`` places of the ring are: at its start if the floats there are
    free again, so that few calls use few floats; else behind the last ones that were taken."""
    following = c.load("i64", "@pb_ring_next")
    end = c.add(following, "%n")
    over = c.let(f"icmp ugt i64 {end}, {RING}")
    head = c.load("ptr", "@pb_ring")
    back = c.choose(c.same(head, "null"), lambda: "false",
                    lambda: c.same(c.load("i64", head), "1", "i64"), "i1")  # fmt: skip
    again = c.let(f"or i1 {over}, {back}")
    start = c.let(f"select i1 {again}, i64 0, i64 {following}")
    c.store("i64", c.add(start, "%n"), "@pb_ring_next")
    return start


def _ring_renew() -> str:
    """Write the function that does so where the floats from ``%ring`` on are still in use: it
    replaces those in the ring."""
    c = Code()
    with c.counting("%n") as i:
        value = c.load("double", "%data", c.mul(i, 8))
        made = _renewed(c, c.at("%ring", c.mul(i, 8)), value)
        c.store("ptr", made, "%items", c.mul(i, 8))
    c.line("ret i1 true")
    c.block("none")
    c.line("ret i1 false")
    words = "ptr %items, ptr %data, i64 %n, ptr %ring"
    return c.function(f"define internal i1 @pb_ring_renew({words}) noinline")


def _ring_fill() -> str:
    """Write the function that fills the first ``%end`` places of the ring with floats; false if
    there is no memory, or if this CPython does not count references as expected."""
    c = Code()

    def fewer() -> str:
        return c.let(f"icmp ult i64 {c.load('i64', '@pb_ring_filled')}, %end")

    with c.loop(fewer):
        filled = c.load("i64", "@pb_ring_filled")
        made = c.call("ptr", "PyFloat_FromDouble", "double 0.0")
        c.need(c.let(f"icmp ne ptr {made}, null"), "none")
        c.need(c.same(c.load("i64", made), "1", "i64"), "odd")
        c.store("ptr", made, "@pb_ring", c.mul(filled, 8))
        c.store("i64", c.add(filled, 1), "@pb_ring_filled")
    c.line("ret i1 true")
    c.block("none")
    c.call("void", "PyErr_Clear")
    c.line("ret i1 false")
    c.block("odd")
    c.call("void", "Py_DecRef", f"ptr {made}")
    c.line("ret i1 false")
    return c.function("define internal preserve_mostcc i1 @pb_ring_fill(i64 %end) cold noinline")


def _renewed(c: Code, place: str, value: str) -> str:
    """Return a new float, which the ring holds at this place instead of the old one."""
    made = c.call("ptr", "PyFloat_FromDouble", f"double {value}")
    c.need(c.let(f"icmp ne ptr {made}, null"), "none")
    with c.when(c.same(c.load("i64", made), "1", "i64")):
        c.store("i64", "2", made)
        old = c.load("ptr", place)
        c.store("ptr", made, place)
        c.call("void", "Py_DecRef", f"ptr {old}")
    return made


def _ring_float() -> str:
    """Write the function that returns a float for one place of the ring, where some floats are in
    use and others are not."""
    c = Code()
    made = _renewed(c, "%place", "%value")
    c.line(f"ret ptr {made}")
    c.block("none")
    c.line("ret ptr null")
    return c.function(
        "define internal preserve_mostcc ptr @pb_ring_float(ptr %place, double %value) "
        "cold noinline"
    )


def lists_text() -> str:
    """Return the functions, for every type of numbers."""
    parts = [*map(_read, LIST_TYPES), *map(_make, LIST_TYPES), _reals(), _floats(),
             _new_floats(), _ring_renew(), _ring_fill(), _ring_float()]  # fmt: skip
    return DECLARED + "\n".join(parts)
