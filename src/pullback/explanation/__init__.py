"""What a function, its derivative and their runs look like: the page of ``pb.explain``."""
