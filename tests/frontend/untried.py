"""The advice with code in it that no pair follows, and why not."""

UNMET = "no program is known that meets this refusal (others come first)"
OF_ARGUMENTS = "is said of arguments of pb.export, pb.profile or another package, not of a program"
OF_A_VALUE = "says where a number became infinite or NaN, in a program that is as it should be"
OF_FREQUENCIES = "says which frequencies are meant, where SciPy chooses some by the system"
UNTRIED: dict[str, str] = {
    "no_plot=True": "is said of a picture, which needs matplotlib",
    "call x.compute_chunk_sizes() before": OF_ARGUMENTS,
    "pass a list of this process's shards: np.array_split(x, 8)": OF_ARGUMENTS,
    "pass distributed.Client(...)": OF_ARGUMENTS,
    "pass both, model= and start=": OF_ARGUMENTS,
    "pass penalty=, a function of the parameters": OF_ARGUMENTS,
    "rechunk it: x.rechunk({0: 1000})": OF_ARGUMENTS,
    "install one, or write the object only: pb.export(f, types, name, shared=False)": OF_ARGUMENTS,
    "look at the arguments; pb.config.debug_nans = False lets it pass": OF_A_VALUE,
    "look at these operands; pb.config.debug_nans = False lets it pass": OF_A_VALUE,
    "make that an argument: def loss(x, data)": OF_ARGUMENTS,
    "pass result=": OF_ARGUMENTS,
    "pass x.cpu()": OF_ARGUMENTS,
    "pass x.to_dense(), or x.double()": OF_ARGUMENTS,
    "say the shapes with result=": OF_ARGUMENTS,
    "write seconds=1.0": OF_ARGUMENTS,
    "an array of them: w=w": OF_FREQUENCIES,
    "an array of them: worN=w": OF_FREQUENCIES,
    "use float64, float32, int64, int32 or bool: a.astype(np.int64)": OF_ARGUMENTS,
    "use pb.interop.torch.function(f), or pass t.detach()": OF_ARGUMENTS,
    "do only one of the two in this function: xs.clear(), xs[:] = ys, or a new "
    "object always": UNMET,
    "give the program as a file, python -i file.py, or as an argument, python -c "
    '"$(cat)"; IPython and notebooks keep what is typed': "needs a program that comes by a pipe",
    "keep it under a name of its own: self.value = value, and read e.value":
        "is said in the note of another refusal (tests/frontend/test_exception_values.py)",
    "loop over the dict itself (d.items(), d.values()), or use a list or an array": UNMET,
    "make a plain one: np.asarray(a), float(x); of a masked array a.filled(0.0) "
    "and a.mask": UNMET,
    "let it work on a copy: {} = list({})": UNMET,
    "make a list of it: list(...)": UNMET,
    "use isinstance(x, Class), type(x) is Class, table[type(x)], or type(x).__name__": UNMET,
    "make a list of its items first: xs = list(...)": UNMET,
    "make all nodes with values of one type (0.0 instead of 0)": UNMET,
    "test before you change: if not fine: raise ValueError(...)": UNMET,
    "this text, the function with all that it calls, and the types of its "
    "arguments ({}). {}=1 in the environment shows the whole traceback":
        "is no advice for a program, but what to send of a mistake of Pullback",
}
