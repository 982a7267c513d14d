"""Library functions as plain Python, compiled like the functions of users."""
