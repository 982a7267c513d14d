"""From a Python call to a native call and back: one boundary for all operators."""
