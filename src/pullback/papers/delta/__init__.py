"""Provably correct, asymptotically efficient, higher-order reverse AD (Krawiec et al.)."""
