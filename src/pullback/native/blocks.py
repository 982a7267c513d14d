"""Blocks hold converted data in memory; this file writes the runtime that makes and enlarges them.

A block belongs to one converted argument. Its owner is the code that had it made, such as an entry
point, which keeps it in its frame. The nodes of the data stand one after another in a chain of
chunks, each behind a header of two words: its alternative, and a word for the code that walks
through the nodes. Columns of lists stand in a second chain. While an argument is converted, the
block also has a table from Python objects to their nodes (open addressing), and a stack of nodes
whose fields are not yet filled in.
"""

from __future__ import annotations

from pullback.core.thresholds import LIMITS
from pullback.native.builder import Code

(
    NODE_CUR, NODE_END, NODE_CHUNK, DATA_CUR, DATA_END, DATA_CHUNK, TABLE, MASK, COUNT,
    STACK, TOP, STACK_END, CELLS, KIND, HELD,
) = range(0, 120, 8)  # fmt: skip
WORDS = 128
"""Offsets in a block. ``HELD``: the objects that it keeps alive, each with the address of the next.
The machine values of the argument begin at the last one."""

CHUNK_BEFORE, CHUNK_USED, CHUNK_SIZE, CHUNK_DATA = 0, 8, 16, 32
MOST_CHUNK = 1 << 25
SPARES = 16
"""The number of chunks of the least size that are not given back, but used again (the GIL is
held)."""

HEADER, ALTERNATIVE, SCRATCH = 16, -16, -8
"""The size of the header of a node, and the offsets of its two words from the node."""

CAPSULE_NAME = "pb_block_name"

UNION_BITS = 15 - (1 << 48)
"""The bits of an address that say of which union an object is looked at: objects are at multiples
of 16, and no address has more than 48 bits. (As a signed number.)"""


def union_mark(union: int) -> int:
    """What is added to the address of an object for the union of this number."""
    return union % 16 + (union // 16 << 48)


_DECLARED = """
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare void @Py_DecRef(ptr)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
@pb_spare = internal global ptr null
@pb_spares = internal global i64 0
@pb_block_name = constant [15 x i8] c"pullback.block\\00"
"""

FUNCTIONS = {
    "pb_block_new": ("ptr", "i64"),
    "pb_block_free": ("void", "ptr"),
    "pb_block_clear": ("void", "ptr"),
    "pb_blocks_clear": ("void", "ptr, i64"),
    "pb_block_dies": ("void", "ptr"),
    "pb_block_close": ("void", "ptr"),
    "pb_block_more": ("i1", "ptr, i64, i64"),
    "pb_block_find": ("ptr", "ptr, ptr"),
    "pb_block_deeper": ("i1", "ptr"),
}
"""The result and parameter types of the functions that conversions call."""


def _new() -> str:
    c = Code()
    bytes_ = c.add(c.mul("%n", 8), WORDS)
    block = c.call("ptr", "calloc", "i64 1", f"i64 {bytes_}")
    c.line(f"ret ptr {block}")
    return c.function("define ptr @pb_block_new(i64 %n)")


def _free_chain(c: Code, start: int) -> None:
    chunk = c.slot("ptr")
    c.store("ptr", c.load("ptr", "%block", start), chunk)
    c.store("ptr", "null", "%block", start)
    with c.loop(lambda: c.let(f"icmp ne ptr {c.load('ptr', chunk)}, null")):
        this = c.load("ptr", chunk)
        c.store("ptr", c.load("ptr", this, CHUNK_BEFORE), chunk)
        count = c.load("i64", "@pb_spares")
        least = c.same(c.load("i64", this, CHUNK_SIZE), str(LIMITS.chunk), "i64")
        few = c.let(f"icmp ult i64 {count}, {SPARES}")
        keep, drop, done = c.label("keep"), c.label("drop"), c.label("done")
        c.branch(c.let(f"and i1 {least}, {few}"), keep, drop)
        c.block(keep)
        c.store("ptr", c.load("ptr", "@pb_spare"), this, CHUNK_BEFORE)
        c.store("ptr", this, "@pb_spare")
        c.store("i64", c.add(count, 1), "@pb_spares")
        c.jump(done)
        c.block(drop)
        c.call("void", "free", f"ptr {this}")
        c.jump(done)
        c.block(done)


def _close() -> str:
    c = Code()
    for field in (TABLE, STACK):
        memory = c.load("ptr", "%block", field)
        with c.when(c.let(f"icmp ne ptr {memory}, null")):
            c.call("void", "free", f"ptr {memory}")
            c.store("ptr", "null", "%block", field)
    c.line("ret void")
    return c.function("define void @pb_block_close(ptr %block)")


def _clear() -> str:
    """Write the function that gives back all memory that a block has outside of itself."""
    c = Code()
    c.call("void", "pb_block_close", "ptr %block")
    held = c.var("ptr", c.load("ptr", "%block", HELD))
    with c.loop(lambda: c.let(f"icmp ne ptr {c.load('ptr', held)}, null")):
        one = c.load("ptr", held)
        c.store("ptr", c.load("ptr", one, 8), held)
        c.call("void", "Py_DecRef", f"ptr {c.load('ptr', one)}")
    c.store("ptr", "null", "%block", HELD)
    _free_chain(c, NODE_CHUNK)
    _free_chain(c, DATA_CHUNK)
    c.line("ret void")
    return c.function("define void @pb_block_clear(ptr %block)")


def _free() -> str:
    c = Code()
    c.call("void", "pb_block_clear", "ptr %block")
    c.call("void", "free", "ptr %block")
    c.line("ret void")
    return c.function("define void @pb_block_free(ptr %block)")


def _clear_several() -> str:
    """Write the function that clears the blocks whose addresses stand in a row; null stands for no
    block."""
    c = Code()
    with c.counting("%n") as i:
        block = c.load("ptr", "%row", c.mul(i, 8))
        with c.when(c.let(f"icmp ne ptr {block}, null")):
            c.call("void", "pb_block_clear", f"ptr {block}")
    c.line("ret void")
    return c.function("define void @pb_blocks_clear(ptr %row, i64 %n)")


def _dies() -> str:
    c = Code()
    block = c.call("ptr", "PyCapsule_GetPointer", "ptr %capsule", f"ptr @{CAPSULE_NAME}")
    c.call("void", "pb_block_free", f"ptr {block}")
    c.line("ret void")
    return c.function("define void @pb_block_dies(ptr %capsule)")


def _more() -> str:
    """Write the function that adds a chunk with room for so many bytes to the chain whose fields
    are at ``%cur``."""
    c = Code()
    cur = c.at("%block", "%cur")
    before = c.load("ptr", cur, NODE_CHUNK)
    size = c.var("i64", str(LIMITS.chunk))
    with c.when(c.let(f"icmp ne ptr {before}, null")):
        c.store("ptr", c.load("ptr", cur), before, CHUNK_USED)
        twice = c.mul(c.load("i64", before, CHUNK_SIZE), 2)
        c.store("i64", c.call("i64", "llvm.umin.i64", f"i64 {twice}", f"i64 {MOST_CHUNK}"), size)
    least = c.add("%bytes", CHUNK_DATA)
    got = c.call("i64", "llvm.umax.i64", f"i64 {c.load('i64', size)}", f"i64 {least}")
    spare = c.load("ptr", "@pb_spare")
    fits = c.same(got, str(LIMITS.chunk), "i64")
    some = c.let(f"icmp ne ptr {spare}, null")

    def again() -> str:
        c.store("ptr", c.load("ptr", spare, CHUNK_BEFORE), "@pb_spare")
        c.store("i64", c.let(f"sub i64 {c.load('i64', '@pb_spares')}, 1"), "@pb_spares")
        return spare

    chunk = c.choose(c.let(f"and i1 {fits}, {some}"), again,
                     lambda: c.call("ptr", "malloc", f"i64 {got}"), "ptr")  # fmt: skip
    c.need(c.let(f"icmp ne ptr {chunk}, null"), "fail")
    c.store("ptr", before, chunk, CHUNK_BEFORE)
    c.store("i64", got, chunk, CHUNK_SIZE)
    c.store("ptr", chunk, cur, NODE_CHUNK)
    c.store("ptr", c.at(chunk, CHUNK_DATA), cur)
    c.store("ptr", c.at(chunk, got), cur, NODE_END)
    c.line("ret i1 true")
    c.block("fail")
    c.line("ret i1 false")
    return c.function("define i1 @pb_block_more(ptr %block, i64 %cur, i64 %bytes) noinline")


def _deeper() -> str:
    """Write the function that doubles the room of the stack of unfilled nodes."""
    c = Code()
    base = c.load("ptr", "%block", STACK)
    start = c.let(f"ptrtoint ptr {base} to i64")
    used = c.let(f"sub i64 {c.load('i64', '%block', TOP)}, {start}")
    size = c.call("i64", "llvm.umax.i64", f"i64 {c.mul(used, 2)}", "i64 512")
    grown = c.call("ptr", "realloc", f"ptr {base}", f"i64 {size}")
    c.need(c.let(f"icmp ne ptr {grown}, null"), "fail")
    c.store("ptr", grown, "%block", STACK)
    c.store("ptr", c.at(grown, used), "%block", TOP)
    c.store("ptr", c.at(grown, size), "%block", STACK_END)
    c.line("ret i1 true")
    c.block("fail")
    c.line("ret i1 false")
    return c.function("define i1 @pb_block_deeper(ptr %block) cold noinline")


def _probe(c: Code, table: str, mask: str, key: str) -> str:
    """Return the address of the entry of a key in the table, or of the empty entry where the key
    would stand."""
    word = c.let(f"ptrtoint ptr {key} to i64")
    mixed = c.mul(word, -7046029254386353131)
    at = c.var("i64", c.let(f"lshr i64 {mixed}, 24"))
    found = c.slot("ptr")

    def unsettled() -> str:
        index = c.let(f"and i64 {c.load('i64', at)}, {mask}")
        entry = c.at(table, c.mul(index, 16))
        c.store("ptr", entry, found)
        has = c.load("ptr", entry)
        other = c.let(f"icmp ne ptr {has}, {key}")
        full = c.let(f"icmp ne ptr {has}, null")
        return c.let(f"and i1 {other}, {full}")

    with c.loop(unsettled):
        c.store("i64", c.add(c.load("i64", at), 1), at)
    return c.load("ptr", found)


def _find() -> str:
    """Write the function that returns the entry of a key; a new entry has no node yet. Null: out of
    memory."""
    c = Code()
    count = c.add(c.load("i64", "%block", COUNT), 1)
    size = c.load("i64", "%block", MASK)  # 0: there is no table yet
    with c.when(c.let(f"icmp uge i64 {c.mul(count, 2)}, {size}")):
        c.need(c.call("i1", "pb_block_rehash", "ptr %block"), "fail")
    table, mask = c.load("ptr", "%block", TABLE), c.load("i64", "%block", MASK)
    entry = _probe(c, table, mask, "%key")
    with c.when(c.same(c.load("ptr", entry), "null")):
        c.store("ptr", "%key", entry)
        c.store("i64", count, "%block", COUNT)
    c.line(f"ret ptr {entry}")
    c.block("fail")
    c.line("ret ptr null")
    return c.function("define ptr @pb_block_find(ptr %block, ptr %key)")


def _rehash() -> str:
    c = Code()
    old, last = c.load("ptr", "%block", TABLE), c.load("i64", "%block", MASK)
    size = c.call("i64", "llvm.umax.i64", f"i64 {c.mul(c.add(last, 1), 4)}", "i64 64")
    table = c.call("ptr", "calloc", f"i64 {size}", "i64 16")
    c.need(c.let(f"icmp ne ptr {table}, null"), "fail")
    mask = c.let(f"sub i64 {size}, 1")
    entries = c.let(f"select i1 {c.same(old, 'null')}, i64 0, i64 {c.add(last, 1)}")
    with c.counting(entries) as i:
        entry = c.at(old, c.mul(i, 16))
        key = c.load("ptr", entry)
        with c.when(c.let(f"icmp ne ptr {key}, null")):
            to = _probe(c, table, mask, key)
            c.store("ptr", key, to)
            c.store("ptr", c.load("ptr", entry, 8), to, 8)
    c.call("void", "free", f"ptr {old}")
    c.store("ptr", table, "%block", TABLE)
    c.store("i64", mask, "%block", MASK)
    c.line("ret i1 true")
    c.block("fail")
    c.line("ret i1 false")
    return c.function("define internal i1 @pb_block_rehash(ptr %block) cold noinline")


def blocks_text() -> str:
    """Return the text of the runtime of blocks, one module."""
    parts = (_new, _close, _clear, _free, _clear_several, _dies, _more, _deeper, _rehash, _find)
    return _DECLARED + "\n".join(part() for part in parts)
