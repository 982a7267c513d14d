"""The advice with code in it that no pair follows, and why not."""

NOT_YET = "it has no pair yet"
UNTRIED: dict[str, str] = {
    "a comprehension: np.array([f(v) for v in x])": NOT_YET,
    "compute it in a statement of its own: v = g(x), then if v > 0.0: ...": NOT_YET,
    "declare it with @dataclass(frozen=True)": NOT_YET,
    "declare it with @dataclass(frozen=True), or pass what is in {}": NOT_YET,
    "declare it with @dataclass(frozen=True): {} is used as a value": NOT_YET,
    "do one of the two in the function: xs.clear(), xs[:] = ys, or a new object always": NOT_YET,
    "do only one of the two in this function: xs.clear(), xs[:] = ys, or a new "
    "object always": NOT_YET,
    "fill a table in a loop (table = np.zeros(n); table[i] = ... table[i - 1] "
    "...), or leave the decorator away if the function does not call itself more "
    "than once": NOT_YET,
    "give the program as a file, python -i file.py, or as an argument, python -c "
    '"$(cat)"; IPython and notebooks keep what is typed': NOT_YET,
    "hand the items on as they are (yield from), and give what changes them as "
    "an argument": NOT_YET,
    "let it return np.array(...) of the list": NOT_YET,
    "loop over the dict itself (d.items(), d.values()), or use a list or an array": NOT_YET,
    "make a list of it: xs = list(...); or make a new generator here": NOT_YET,
    "make a plain one: np.asarray(a), float(x); of a masked array a.filled(0.0) "
    "and a.mask": NOT_YET,
    "make all nodes with values of one type (0.0 instead of 0)": NOT_YET,
    "name the classes: except (ValueError, ZeroDivisionError): ...": NOT_YET,
    "put a copy there, on all paths: o.v = o.v.copy()": NOT_YET,
    "test before you change: if not fine: raise ValueError(...)": NOT_YET,
    "this text, the function with all that it calls, and the types of its "
    "arguments ({}). {}=1 in the environment shows the whole traceback": NOT_YET,
    "use floats from the start (0.0 in place of 0; a field declared float)": NOT_YET,
    "use it inside, or let the function that is called outside be pb.grad(...)": NOT_YET,
    "use it where it is made, or make a list of it: [... for ...]": NOT_YET,
    "write 1.0 for 1, sum(xs, 0.0) for sum(xs), or ask isinstance(x, int)": NOT_YET,
    "write float(n), or keep ints and floats in variables of their own": NOT_YET,
    "write it in brackets, as in list[float]": NOT_YET,
    "write it: {}[float](...)": NOT_YET,
}
