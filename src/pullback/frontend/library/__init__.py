"""The functions of libraries that compiled code may call."""
