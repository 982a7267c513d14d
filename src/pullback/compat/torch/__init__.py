"""The names of ``torch.func``: ``import pullback.compat.torch.func as func``."""

from pullback.compat.library_names import absent
from pullback.compat.torch import func
from pullback.compat.torch.func import vmap

__getattr__ = absent(__name__, {
    "autograd": "torch.func, whose operators take functions",
    "compile": "pb.jit",
    "nn": "a dict or a dataclass of arrays, and functions of it",
    "tensor": "np.array: compiled functions are of NumPy's arrays; pb.interop.torch has tensors",
})  # fmt: skip

__all__ = ["func", "vmap"]
