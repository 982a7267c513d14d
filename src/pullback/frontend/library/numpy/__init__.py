"""The functions of NumPy that the compiler knows itself."""
