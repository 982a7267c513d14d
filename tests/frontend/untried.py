"""The advice with code in it that no pair follows, and why not."""

UNMET = "no program is known that meets this refusal (others come first)"
UNTRIED: dict[str, str] = {
    "do only one of the two in this function: xs.clear(), xs[:] = ys, or a new "
    "object always": UNMET,
    "give the program as a file, python -i file.py, or as an argument, python -c "
    '"$(cat)"; IPython and notebooks keep what is typed': "needs a program that comes by a pipe",
    "keep it under a name of its own: self.value = value, and read e.value":
        "is said in the note of another refusal (tests/frontend/test_exception_values.py)",
    "loop over the dict itself (d.items(), d.values()), or use a list or an array": UNMET,
    "make a plain one: np.asarray(a), float(x); of a masked array a.filled(0.0) "
    "and a.mask": UNMET,
    "make all nodes with values of one type (0.0 instead of 0)": UNMET,
    "test before you change: if not fine: raise ValueError(...)": UNMET,
    "this text, the function with all that it calls, and the types of its "
    "arguments ({}). {}=1 in the environment shows the whole traceback":
        "is no advice for a program, but what to send of a mistake of Pullback",
}
