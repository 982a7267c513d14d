"""Python's own: autograd has classes of its own in their place, which need no more here."""

import builtins

dict, isinstance, list, tuple, type = (
    builtins.dict, builtins.isinstance, builtins.list, builtins.tuple, builtins.type
)  # fmt: skip

__all__ = ["dict", "isinstance", "list", "tuple", "type"]
