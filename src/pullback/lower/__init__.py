"""First-order Core to loop code: data layout, lanes, arenas."""
