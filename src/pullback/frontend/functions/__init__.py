"""Functions and closures: specialisation, scopes and recursive lambda sets."""
